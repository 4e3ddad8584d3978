# SPDX-License-Identifier: Apache-2.0
"""multiprocessing's Barrier for ./dev bench python, on 2 and on 4. It has no reductions."""

import multiprocessing
from typing import Any

from python_answering import say
from python_group_timing import measured

FORKING = multiprocessing.get_context("fork")


def member(index: int, size: int, barrier: Any, results: Any) -> None:
    rows = measured(index, size, barrier.wait)
    if index == 0:
        results.put(rows)


def main() -> None:
    figures: dict[str, dict[str, float]] = {}
    for size in (2, 4):
        barrier, results = FORKING.Barrier(size), FORKING.Queue()
        members = [FORKING.Process(target=member, args=(i, size, barrier, results)) for i in range(size)]
        for each in members:
            each.start()
        for row, value in results.get().items():
            figures[row] = {"multiprocessing": value}
        for each in members:
            each.join()
    say(figures)


if __name__ == "__main__":
    main()
