# SPDX-License-Identifier: Apache-2.0
"""Octavo's executor for ./dev bench python."""

from collections.abc import Callable, Sequence

import octavo as ov
from python_answering import say
from python_task_timing import WORKERS, lost, measured


def main() -> None:
    with ov.Executor(WORKERS) as pool:

        def submit(task: Callable[[int], int], which: Sequence[int]) -> list[int]:
            return [each.result() for each in [pool.submit(task, n) for n in which]]

        found = measured(submit, lambda task, which: list(pool.map(task, which)))
        found |= lost(lambda task, which: [each.result for each in [pool.submit(task, n) for n in which]])
    say({row: {"octavo": value} for row, value in found.items()})


if __name__ == "__main__":
    main()
