# SPDX-License-Identifier: Apache-2.0
"""Stages that tests join."""

from __future__ import annotations

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
    wait_for(lambda: sum(each.agent_pid == os.getpid() for each in octavo.processes()) == 1, 30, "the processes of a stream are to end with it")


def mod_two(x: int) -> int:
    return x % 2


def with_pid(x: int) -> tuple[int, int]:
    return x, os.getpid()


def digits(x: int, workers: int) -> list[int]:
    return [10 * x + i for i in range(workers)]
