# SPDX-License-Identifier: Apache-2.0
"""A class like those that users write, of which a spare makes an object before it has its own (rehearsal.py)."""

from __future__ import annotations


class Rehearsed:
    """It has what most have."""

    def __init__(self, value: int, *others: int) -> None:
        self.value, self.others = value, list(others)

    def add(self, value: int) -> int:
        self.value += value
        return self.value
