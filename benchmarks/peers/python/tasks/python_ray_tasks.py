# SPDX-License-Identifier: Apache-2.0
"""Ray's tasks for ./dev bench python, on two processors; a task is not tried again."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ray  # type: ignore[import-not-found, unused-ignore]
from python_answering import say
from python_task_timing import WORKERS, lost, measured


def begin(task: Callable[[int], int], which: Sequence[int]) -> list[Any]:
    remote = ray.remote(max_retries=0)(task)
    return [remote.remote(n) for n in which]


def main() -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30, _temp_dir=str(Path.cwd()))

    def submit(task: Callable[[int], int], which: Sequence[int]) -> list[int]:
        return list(ray.get(begin(task, which)))

    found = measured(submit, submit)
    del found["tasks by map"]
    found |= lost(lambda task, which: [lambda one=one: int(ray.get(one)) for one in begin(task, which)])
    say({row: {"Ray": value} for row, value in found.items()})
    ray.shutdown()


if __name__ == "__main__":
    main()
