# SPDX-License-Identifier: Apache-2.0
"""Stages that tests join."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import octavo
from kit import wait_for


def add_one(x: int) -> int:
    return x + 1


def repeat(x: int) -> Iterator[int]:
    """Each item as often as it says."""
    for _ in range(x % 3):
        yield x


def repeated(items: list[int]) -> list[int]:
    return [x for x in items for _ in range(x % 3)]


async def twice(x: int) -> int:
    return 2 * x


async def each_twice(x: int) -> AsyncIterator[int]:
    yield x
    yield x


class CountsThoseInside:
    """How many items are here at once."""

    def __init__(self) -> None:
        self.inside = self.most = 0

    async def svc(self, x: int) -> int:
        """Waits until there have been two."""
        self.inside += 1
        self.most = max(self.most, self.inside)
        while self.most < 2:
            await asyncio.sleep(0.001)
        self.inside -= 1
        return self.most


class Times:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def svc(self, x: int) -> int:
        return self.factor * x


class FailsAt:
    def __init__(self, item: int) -> None:
        self.item = item

    def svc(self, x: int) -> int:
        if x == self.item:
            raise ArithmeticError(f"item {x}")
        return x


class Notes:
    """Writes what is called."""

    def __init__(self, path: Path, fails: str = "") -> None:
        self.path, self.fails = path, fails

    def _note(self, what: str) -> None:
        with self.path.open("a") as file:
            file.write(what + "\n")
        if what == self.fails:
            raise ArithmeticError(what)

    def svc_init(self) -> None:
        self._note("init")

    def svc(self, x: int) -> int:
        return x

    def svc_end(self) -> None:
        self._note("end")


def die_at_five(x: int) -> int:
    if x == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def stuck_at_three(x: int) -> int:
    while x == 3:
        time.sleep(1)
    return x


def nothing_is_left() -> None:
    wait_for(lambda: sum(each.agent_pid == os.getpid() for each in octavo.watching.processes()) == 1, 30, "the processes of a stream are to end with it")


def count_down(x: int) -> Iterator[int | octavo.Again[int]]:
    """Feeds back what is no multiple of ten."""
    yield octavo.Again(x - 1) if x % 10 else x


def halved(span: tuple[int, int]) -> Iterator[int | octavo.Again[tuple[int, int]]]:
    first, last = span
    if last - first > 1:
        middle = (first + last) // 2
        yield octavo.Again((first, middle))
        yield octavo.Again((middle, last))
    elif first < last:
        yield first


class DiesOnce:
    """Of some items, the first time that anybody has them."""

    def __init__(self, folder: Path, items: list[int]) -> None:
        self.folder, self.items = folder, items

    def svc(self, x: int) -> Iterator[int]:
        yield x
        mark = self.folder / str(x)
        if x in self.items and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield -x


def mod_two(x: int) -> int:
    return x % 2


def with_pid(x: int) -> tuple[int, int]:
    return x, os.getpid()


def digits(x: int, workers: int) -> list[int]:
    return [10 * x + i for i in range(workers)]
