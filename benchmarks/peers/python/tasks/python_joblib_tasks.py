# SPDX-License-Identifier: Apache-2.0
"""joblib for ./dev bench python: all at once is the one way it has; one crash takes all."""

from collections.abc import Callable, Sequence

from joblib import Parallel, delayed  # type: ignore[import-not-found, import-untyped, unused-ignore]
from python_answering import say
from python_task_timing import CRASHING, WORKERS, crash_some, measured


def main() -> None:
    with Parallel(n_jobs=WORKERS) as pool:

        def submit(task: Callable[[int], int], which: Sequence[int]) -> list[int]:
            return list(pool(delayed(task)(n) for n in which))

        found = measured(submit, submit)
        del found["tasks submitted"]
        try:
            came = len(submit(crash_some, range(CRASHING)))
        except Exception:
            came = 0
        found["tasks lost of 200, 4 crash"] = float(CRASHING - came)
    say({row: {"joblib": value} for row, value in found.items()})


if __name__ == "__main__":
    main()
