# SPDX-License-Identifier: Apache-2.0
"""What the programs of the group rows of ./dev bench python share: a member times its collectives, so many in a row, and checks what they give.

Rows: a barrier and an all_reduce of one float64 in us, one of 32 MiB in ms, each on so many members.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

HURRY = "--quick" in sys.argv
SMALL, LARGE, BATCHES = (100, 2, 3) if HURRY else (1000, 5, 5)
ELEMENTS = (32 << 20) // 8
Array = npt.NDArray[np.float64]


def batches(work: Callable[[], object], count: int) -> float:
    """Seconds of one: the median of some batches, after one that warms it up. Every member does the same number."""
    times = []
    for _ in range(BATCHES + 1):
        begin = time.perf_counter()
        for _ in range(count):
            work()
        times.append((time.perf_counter() - begin) / count)
    return statistics.median(times[1:])


def measured(
    index: int,
    size: int,
    barrier: Callable[[], object],
    small: Callable[[float], Any] | None = None,
    large: Callable[[Array, Array], object] | None = None,
) -> dict[str, float]:
    """By row. ``small`` gives the sum of all; ``large`` puts it into its second array. None: this library has none."""
    rows = {f"barrier on {size}": 1e6 * batches(barrier, SMALL)}
    if small is not None:
        check(float(small(index + 1.0)), size)
        rows[f"all_reduce of 8 B on {size}"] = 1e6 * batches(lambda: small(1.0), SMALL)
    if large is not None:
        mine, both = np.full(ELEMENTS, index + 1.0), np.zeros(ELEMENTS)
        large(mine, both)
        check(float(both[0]), size)
        check(float(both[-1]), size)
        rows[f"all_reduce of 32 MiB on {size}"] = 1e3 * batches(lambda: large(mine, both), LARGE)
    return rows


def check(found: float, size: int) -> None:
    if found != size * (size + 1) / 2:
        raise SystemExit(f"the sum of {size} members is said to be {found}")
