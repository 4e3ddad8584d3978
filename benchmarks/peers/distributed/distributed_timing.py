# SPDX-License-Identifier: Apache-2.0
"""What the programs of ./dev bench distributed share: how often a row is done, and what is printed of it."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

ROWS = tuple(os.environ.get("OCTAVO_BENCH_ROWS", "triad,halo,resplit,gather").split(","))


def side_of(size: int) -> int:
    """Of a square of 8-byte numbers that has about so many bytes; a multiple of 64, so that all members have the same."""
    return max(64, int((size / 8) ** 0.5) // 64 * 64)


def timed(work: Callable[[], Any], barrier: Callable[[], Any], slowest: Callable[[float], float], seconds: float) -> list[float]:
    """Seconds of each time, until they are so many in all: from when all have come until the last has done it."""
    took: list[float] = []
    work()  # the first makes connections
    while len(took) < 3 or (sum(took) < seconds and len(took) < 200):
        barrier()
        begin = time.perf_counter()
        work()
        took.append(slowest(time.perf_counter() - begin))
    return took


def print_figures(figures: dict[str, list[float]]) -> None:
    print(json.dumps({row: {"median": statistics.median(took), "least": min(took), "times": len(took)} for row, took in figures.items()}))
