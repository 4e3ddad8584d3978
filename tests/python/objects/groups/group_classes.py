# SPDX-License-Identifier: Apache-2.0
"""The classes whose objects the tests of groups are made of: imported by name where they are made."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import octavo as ov


class Part:
    def __init__(self, number: int = 0, factor: int = 1) -> None:
        self.number = number * factor

    def get(self) -> int:
        return self.number

    def add(self, x: int, y: int = 0) -> int:
        self.number += x + y
        return self.number

    def where(self) -> tuple[int, int]:
        me = ov.self()
        return me.index, me.size

    def pid(self) -> int:
        return os.getpid()

    def fails(self, index: int, text: str) -> int:
        if ov.self().index == index:
            raise ValueError(text)
        return index

    def fails_before(self, index: int) -> int:
        """Of all but one a collective."""
        me = ov.self()
        if me.index == index:
            raise LookupError("before it")
        return me.all_reduce(1)

    def in_group(self, g: ov.Group[Part]) -> tuple[int, int]:
        me = ov.self(g)
        return me.index, me.size

    def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """``work(me, *arguments)``, as a member."""
        return work(ov.self(), *arguments)

    async def later(self) -> int:
        return self.number


class Refuses:
    def __init__(self, number: int) -> None:
        if number == 2:
            raise ValueError("no 2")
