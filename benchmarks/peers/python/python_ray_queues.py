# SPDX-License-Identifier: Apache-2.0
"""Ray's queue for ./dev bench python."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ray  # type: ignore[import-not-found, unused-ignore]
from python_answering import say
from python_queue_timing import BOUND, measured, take_all
from ray.util.queue import Queue  # type: ignore[import-not-found, unused-ignore]


@ray.remote
class Reader:
    def take(self, items: Any, count: int) -> float:
        return take_all(items.get, count)


def main() -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=32, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30, _temp_dir=str(Path.cwd()))
    items, reader = Queue(BOUND), Reader.remote()

    def begin_taking(count: int) -> Callable[[], float]:
        begun = reader.take.remote(items, count)
        return lambda: float(ray.get(begun))

    say({row: {"Ray": value} for row, value in measured(items.put, begin_taking).items()})
    ray.shutdown()


if __name__ == "__main__":
    main()
