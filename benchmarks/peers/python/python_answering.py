# SPDX-License-Identifier: Apache-2.0
"""What the programs of ./dev bench python share: the object, its arguments, the timing, and the one line of JSON that each program ends with.

A program makes a Counter in another process by its own means, and gives each row as a statement of its own: how a user would write it.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
import timeit
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

FIRST = 5
STARTED = 1000
ENTRIES = {f"entry {i}": i for i in range(10)}
TEXT = "0123456789" * 10
ELEMENTS = (32 << 20) // 8
HURRY = "--quick" in sys.argv
LONGEST, LEAST = (0.1, 3) if HURRY else (0.3, 5)  # seconds of one figure, and its batches
REST = 0.05  # seconds, after which whoever makes an object makes the first one
Array = npt.NDArray[np.float64]
Figures = dict[str, dict[str, float]]  # of each row, by who
Loop = Callable[[int], float]  # does it so many times; seconds

PROCESSORS = sorted(os.sched_getaffinity(0))[:2]


def pin(side: int) -> None:
    """This thread on the first processor, the object's on the second: two that spin for each other on one take a time slice for each word."""
    if len(PROCESSORS) == 2:
        os.sched_setaffinity(0, {PROCESSORS[side]})


class Counter:
    """The object. ``pinned`` keeps its thread on the second processor."""

    def __init__(self, value: int, pinned: bool = False) -> None:
        self.value, self.array = value, np.zeros(0)
        if pinned:
            pin(1)

    def inc(self, n: int) -> int:
        self.value += n
        return self.value

    def described(self, entries: dict[str, int], text: str) -> int:
        """The call with a dict of ten entries and a string of 100 characters."""
        self.value += len(entries) + len(text) - 109
        return self.value

    def take(self, array: Array) -> float:
        self.value += 1
        return float(array[0] + array[-1])

    def hold(self) -> None:
        self.array = made_array()

    def whole(self) -> Array:
        self.value += 1
        return self.array


def made_array() -> Array:
    return np.arange(ELEMENTS, dtype=np.float64)


class Timing:
    """Times rows, and counts the calls, so that the object can be asked at the end whether it had them all."""

    def __init__(self) -> None:
        self.figures: Figures = {}
        self.calls = 0

    def put(self, who: str, row: str, value: float) -> None:
        self.figures.setdefault(row, {})[who] = value

    def seconds(self, row: str | Loop, names: Mapping[str, Any], calls: int = 1) -> float:
        """Of one: the median of batches of at least 20 ms; the batches that find their size warm it up. calls: how many one is."""
        timed: Loop = timeit.Timer(row, setup="gc.enable()", globals={**names, "gc": gc}).timeit if isinstance(row, str) else row
        count = 1
        while True:
            taken = min(timed(count), timed(count))  # one of them may have met another program's time slice
            self.calls += 2 * count * calls
            if taken > 0.02 or count >= 1 << 15:
                break
            count *= 2
        batches: list[float] = []
        begin = time.perf_counter()
        while len(batches) < LEAST or time.perf_counter() - begin < LONGEST:
            batches.append(timed(count) / count)
            self.calls += count * calls
        return statistics.median(batches)

    def measure(self, who: str, rows: Mapping[str, str | Loop], names: Mapping[str, Any]) -> None:
        """``call`` and ``described`` in us, ``started`` a second, all others in ms."""
        for row, how in rows.items():
            if row == "started":
                self.put(who, row, STARTED / self.seconds(how, names, STARTED))
            else:
                self.put(who, row, self.seconds(how, names) * (1e6 if row in ("call", "described") else 1e3))

    def make(self, who: str, make: Callable[[int], Any], end: Callable[[Any], None]) -> None:
        """make: so many objects, each of which has answered a call; rested: as one makes the first after a while. One first, to warm it up."""
        end(make(1))
        for count, rest in (1, 0.0), (1, REST), (16, 0.0):
            times: list[float] = []
            while len(times) < LEAST and sum(times) < 5 * LONGEST:
                time.sleep(rest)
                begin = time.perf_counter()
                objects = make(count)
                times.append(time.perf_counter() - begin)
                end(objects)
            self.put(who, f"make {count}{' rested' if rest else ''}", statistics.median(times) * 1e3)

    def check(self, value: object) -> None:
        """What the object has counted in the end."""
        if value != FIRST + self.calls:
            raise SystemExit(f"the object says {value}, not {FIRST} + {self.calls} calls")


def check_arrays(first_and_last: object, whole: Array) -> None:
    """What the object made of an argument, and the result: one call of each."""
    wrong = first_and_last != ELEMENTS - 1 or whole.shape != (ELEMENTS,) or whole[0] != 0 or whole[-1] != ELEMENTS - 1
    if wrong:
        raise SystemExit("the array did not arrive as it was sent")


def say(figures: Figures, beside: Figures | None = None) -> None:
    """The line that python.py reads. beside: what to know besides, that is not compared."""
    print(json.dumps({"figures": figures, "beside": beside or {}}), flush=True)
