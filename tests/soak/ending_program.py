# SPDX-License-Identifier: Apache-2.0
"""python ending_program.py SEED WAY: a program that ends while calls of it are in flight, in one of these WAYS; "ready" is printed before.

What it began it does not wait for: calls that never return, that are kept for a busy object, streams half read, objects that make others, an Executor.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
from troubles import Fragile, be_stopped, hold, until


class Busy(Fragile):
    """Does what may be in flight when its program ends."""

    async def later(self) -> None:
        await asyncio.sleep(3600)

    def take(self, array: Any) -> float:
        return float(array[0])

    def makes(self, gate: str) -> int:
        return ov.process.make(Fragile).hold(gate)

    def asks(self, other: Fragile, gate: str) -> int:
        return other.hold(gate)


class InFlight:
    """What was begun, kept until the end."""

    def __init__(self, choices: random.Random, gate: str) -> None:
        self.choices, self.gate = choices, gate
        self.kept: list[Any] = []
        self.objects = [ov.process.make(Busy) for _ in range(choices.choice([1, 2]))]

    def begin(self) -> None:
        kinds: list[Callable[[Busy], Any]] = [
            lambda p: ov.start(p.hold, self.gate),
            lambda p: [ov.start(p.add, 1) for _ in range(self.choices.choice([3, 3000]))],
            lambda p: [ov.start(p.take, np.zeros(1 << 20)) for _ in range(3)],
            lambda p: ov.start(p.later),
            lambda p: next(stream := ov.process.make(Busy).lines(1000)) or stream,
            lambda p: ov.start(p.makes, self.gate),
            lambda p: ov.start(p.asks, ov.process.make(Fragile), self.gate),
            lambda p: ov.start(ov.process.make, Fragile),
            lambda p: ov.start(ov.process, hold, self.gate),
            lambda p: ov.start(ov.thread.make(Fragile).add, 1),
            lambda p: threading.Thread(target=p.hold, args=(self.gate,), daemon=True).start(),
            lambda p: ov.start(p.add, 1).add_done_callback(self.kept.append),
            lambda p: ov.start(p.wrong),
        ]
        for _ in range(self.choices.choice([1, 3, 6])):
            begun = self.choices.choice(kinds)(self.choices.choice(self.objects))
            if self.choices.random() < 0.7:
                self.kept.append(begun)


def in_a_child(work: Callable[[], Any]) -> None:
    """Which ends as a program does."""
    pid = os.fork()
    if pid == 0:
        work()
        sys.exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5


def fork(of_parent: Busy, choices: random.Random, gate: str) -> None:
    """The child ends with calls in flight of its own."""

    def work() -> None:
        try:
            of_parent.add(1)
        except ov.Error:
            InFlight(choices, gate).begin()
        else:
            raise AssertionError("a pointer of the parent's was called")

    in_a_child(work)


def fail() -> None:
    raise LookupError("of the program")


def signal_in_call(gate: str, number: int) -> None:
    def send() -> None:
        until(Path(gate).with_suffix(".began").exists)
        os.kill(os.getpid(), number)

    threading.Thread(target=send, daemon=True).start()
    ov.process.make(Fragile).hold(gate)


STATUS = {"returns": 0, "raises": 1, "exits": 3, "leaves": 4, "is killed": -9, "is interrupted": -2, "is terminated": -15, "forks": 0, "stops": 0, "waits": 0}


def main() -> None:
    seed, way = sys.argv[1:]
    choices = random.Random(seed)
    gate = str(Path(os.environ["TMPDIR"]) / "never")
    in_flight = InFlight(choices, gate)
    in_flight.begin()
    print("ready", flush=True)
    endings: dict[str, Callable[[], Any]] = {
        "returns": lambda: None,
        "raises": fail,
        "exits": lambda: sys.exit(3),
        "leaves": lambda: os._exit(4),
        "is killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "is interrupted": lambda: signal_in_call(gate, signal.SIGINT),
        "is terminated": lambda: signal_in_call(gate, signal.SIGTERM),
        "forks": lambda: fork(in_flight.objects[0], choices, gate),
        "stops": lambda: be_stopped(0.05),
        "waits": lambda: ov.process.make(Fragile).hold(gate),
    }
    endings[way]()


if __name__ == "__main__":
    main()
