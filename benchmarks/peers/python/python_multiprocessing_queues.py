# SPDX-License-Identifier: Apache-2.0
"""multiprocessing's Queue for ./dev bench python."""

import multiprocessing
from collections.abc import Callable
from typing import Any

from python_answering import say
from python_queue_timing import BOUND, measured, take_all

FORKING = multiprocessing.get_context("fork")


def read(items: Any, counts: Any, sums: Any) -> None:
    while (count := counts.get()) != 0:
        sums.put(take_all(items.get, count))


def main() -> None:
    items, counts, sums = FORKING.Queue(BOUND), FORKING.Queue(), FORKING.Queue()
    reader = FORKING.Process(target=read, args=(items, counts, sums))
    reader.start()

    def begin_taking(count: int) -> Callable[[], float]:
        counts.put(count)
        return sums.get

    say({row: {"multiprocessing": value} for row, value in measured(items.put, begin_taking).items()})
    counts.put(0)
    reader.join()


if __name__ == "__main__":
    main()
