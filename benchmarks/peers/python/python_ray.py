# SPDX-License-Identifier: Apache-2.0
"""Ray's actors for ./dev bench python."""

import os
from pathlib import Path

import ray  # type: ignore[import-not-found, unused-ignore]
from python_answering import ENTRIES, FIRST, STARTED, TEXT, Counter, Timing, check_arrays, made_array, say

Actor = ray.remote(Counter)


def make(count: int) -> list[object]:
    made = [Actor.remote(FIRST) for _ in range(count)]
    ray.get([p.inc.remote(1) for p in made])
    return made


def end(made: list[object]) -> None:
    for p in made:
        ray.kill(p)


def start_calls(p: object) -> None:
    ray.get([p.inc.remote(1) for _ in range(STARTED)])  # type: ignore[attr-defined]


def main() -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=32, include_dashboard=False, log_to_driver=False, object_store_memory=1 << 30, _temp_dir=str(Path.cwd()))
    timing = Timing()
    p = Actor.remote(FIRST)
    array = made_array()
    ray.get(p.hold.remote())
    check_arrays(ray.get(p.take.remote(array)), ray.get(p.whole.remote()))
    timing.calls += 2
    rows = {
        "call": "get(p.inc.remote(1))",
        "described": "get(p.described.remote(ENTRIES, TEXT))",
        "started": "start_calls(p)",
        "argument": "get(p.take.remote(array))",
        "result": "get(p.whole.remote())",
    }
    timing.measure("Ray", rows, {"p": p, "get": ray.get, "array": array, "start_calls": start_calls, "ENTRIES": ENTRIES, "TEXT": TEXT})
    timing.check(ray.get(p.inc.remote(0)))
    timing.make("Ray", make, end)
    ray.shutdown()
    say(timing.figures)


if __name__ == "__main__":
    main()
