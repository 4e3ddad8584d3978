# SPDX-License-Identifier: Apache-2.0
"""Actors of dask.distributed for ./dev bench python, in a LocalCluster of two processes: an actor is made in a process that runs already."""

import logging
from typing import Any

from python_answering import ENTRIES, FIRST, STARTED, TEXT, Counter, Timing, check_arrays, made_array, say

from distributed import Client, LocalCluster  # type: ignore[import-not-found, unused-ignore]


def main() -> None:
    timing = Timing()
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL)
    client = Client(cluster)

    def make(count: int) -> list[Any]:
        made = [future.result() for future in [client.submit(Counter, FIRST, actor=True, pure=False) for _ in range(count)]]
        for answer in [p.inc(1) for p in made]:
            answer.result()
        return made

    def start_calls(p: Any) -> None:
        for answer in [p.inc(1) for _ in range(STARTED)]:
            answer.result()

    p = client.submit(Counter, FIRST, actor=True, pure=False).result()
    array = made_array()
    p.hold().result()
    check_arrays(p.take(array).result(), p.whole().result())
    timing.calls += 2
    rows = {
        "call": "p.inc(1).result()",
        "described": "p.described(ENTRIES, TEXT).result()",
        "started": "start_calls(p)",
        "argument": "p.take(array).result()",
        "result": "p.whole().result()",
    }
    timing.measure("Dask", rows, {"p": p, "array": array, "start_calls": start_calls, "ENTRIES": ENTRIES, "TEXT": TEXT})
    timing.check(p.inc(0).result())
    timing.make("Dask (in a process that runs)", make, lambda made: made.clear())
    client.close()
    cluster.close()
    say(timing.figures)


if __name__ == "__main__":
    main()
