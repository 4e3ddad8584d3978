# SPDX-License-Identifier: Apache-2.0
"""What the programs of the queue rows of ./dev bench python share: this process puts, another one takes all, and says what it has counted.

Rows: a small item (a tuple of a number and a text) in us, an array of 1 MiB in ms; each from the first put until the reader has said that it has the last.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

HURRY = "--quick" in sys.argv
SMALL, LARGE, BATCHES = (2000, 20, 3) if HURRY else (10_000, 100, 5)
BOUND = 64
ELEMENTS = (1 << 20) // 8


def take_all(get: Callable[[], Any], count: int) -> float:
    """The sum of what came: of a number each, or of the first of an array."""
    total = 0.0
    for _ in range(count):
        item = get()
        total += item[0]
    return total


def measured(put: Callable[[Any], object], begin_taking: Callable[[int], Callable[[], float]]) -> dict[str, float]:
    """By row. ``begin_taking(count)`` has the other process take so many, and gives what waits for its sum."""
    array = np.ones(ELEMENTS)
    return {
        "queue of small items": 1e6 * one(put, begin_taking, (1, "an item"), SMALL),
        "queue of arrays": 1e3 * one(put, begin_taking, array, LARGE),
    }


def one(put: Callable[[Any], object], begin_taking: Callable[[int], Callable[[], float]], item: Any, count: int) -> float:
    """Seconds of one: the median of some batches, after one that warms it up."""
    times = []
    for _ in range(BATCHES + 1):
        taken = begin_taking(count)
        begin = time.perf_counter()
        for _ in range(count):
            put(item)
        if (found := taken()) != count:
            raise SystemExit(f"of {count} items the sum is said to be {found}")
        times.append((time.perf_counter() - begin) / count)
    return statistics.median(times[1:])
