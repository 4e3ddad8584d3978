# SPDX-License-Identifier: Apache-2.0
"""What the programs of the task rows of ./dev bench python share: the tasks, and what is counted. Two workers each.

Rows: 10,000 tasks that do nothing, each submitted, and by the library's own map, in s; 200 of 1 ms among which each tenth takes 20 ms, in s; how many of 200
give no result where 4 end their worker.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence

HURRY = "--quick" in sys.argv
WORKERS = 2
SMALL = 2000 if HURRY else 10_000
UNEVEN = 60 if HURRY else 200
CRASHING = 200
Submit = Callable[[Callable[[int], int], Sequence[int]], list[int]]


def add_one(n: int) -> int:
    return n + 1


def compute(n: int) -> int:
    """For 20 ms or 1 ms."""
    end = time.perf_counter() + (0.02 if n % 10 == 0 else 0.001)
    while time.perf_counter() < end:
        pass
    return n + 1


def crash_some(n: int) -> int:
    if n % 50 == 25:
        os._exit(1)
    return n + 1


def seconds(submit: Submit, task: Callable[[int], int], count: int) -> float:
    """Of all, from the first call until the last result is here."""
    begin = time.perf_counter()
    results = submit(task, range(count))
    taken = time.perf_counter() - begin
    if sum(results) != count * (count + 1) // 2:
        raise SystemExit(f"{count} tasks gave {len(results)} results, whose sum is {sum(results)}")
    return taken


def measured(submit: Submit, by_map: Submit) -> dict[str, float]:
    """By row; a first few tasks begin the workers."""
    submit(compute, range(20))
    per_task = 10_000 / SMALL
    return {
        "tasks submitted": seconds(submit, add_one, SMALL) * per_task,
        "tasks by map": seconds(by_map, add_one, SMALL) * per_task,
        "tasks uneven": seconds(submit, compute, UNEVEN) * 200 / UNEVEN,
    }


def lost(results: Callable[[Callable[[int], int], Sequence[int]], list[Callable[[], int]]]) -> dict[str, float]:
    """How many have none: ``results`` begins all, and gives what waits for each."""
    missing = 0
    for n, result in enumerate(results(crash_some, range(CRASHING))):
        try:
            missing += result() != n + 1
        except Exception:
            missing += 1
    return {"tasks lost of 200, 4 crash": float(missing)}
