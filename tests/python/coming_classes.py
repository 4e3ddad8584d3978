# SPDX-License-Identifier: Apache-2.0
"""What the rows of test_coming_from.py speak of. Each process imports it."""

from __future__ import annotations


class C:
    def __init__(self, value: int) -> None:
        self.value = value

    def f(self, x: int) -> int:
        return self.value + x

    def g(self, x: int) -> int:
        return self.value * x


def f(x: int) -> int:
    return x + 1


def g(x: int) -> int:
    return x * 2


def work(member: C) -> int:
    """For all of a group."""
    return member.value
