# SPDX-License-Identifier: Apache-2.0
"""ProcessPoolExecutor for ./dev bench python: its map has the chunks that do best here."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor

from python_answering import say
from python_task_timing import WORKERS, lost, measured

CHUNK = 250


def main() -> None:
    with ProcessPoolExecutor(WORKERS) as pool:

        def begin(task: Callable[[int], int], which: Sequence[int]) -> list[Future[int]]:
            return [pool.submit(task, n) for n in which]

        found = measured(lambda task, which: [each.result() for each in begin(task, which)], lambda task, which: list(pool.map(task, which, chunksize=CHUNK)))
        found |= lost(lambda task, which: [each.result for each in begin_until_broken(pool, task, which)])
    say({row: {"ProcessPoolExecutor": value} for row, value in found.items()})


def begin_until_broken(pool: ProcessPoolExecutor, task: Callable[[int], int], which: Sequence[int]) -> list[Future[int]]:
    """A pool that is broken takes no more: what it refuses is lost, too."""
    begun: list[Future[int]] = []
    for n in which:
        try:
            begun.append(pool.submit(task, n))
        except Exception as error:
            refused: Future[int] = Future()
            refused.set_exception(error)
            begun.append(refused)
    return begun


if __name__ == "__main__":
    main()
