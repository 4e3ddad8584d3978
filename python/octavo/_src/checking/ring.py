# SPDX-License-Identifier: Apache-2.0
"""How long a small call takes, and how many can be begun in a second."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from octavo._src.checking.echo import Echo, echoing
from octavo._src.checking.finding import Finding

SECTION = "ring"
CALLS = 2000
MOST_SECONDS = 0.5  # for the calls that are made one after another


def find() -> Iterator[Finding]:
    """Both of an object in a process of its own."""
    with echoing() as echo:
        yield Finding(SECTION, "round trip of a small call, median", round_trip(echo) * 1e6, "us")
        yield Finding(SECTION, "started calls", started(echo), "1/s")


def round_trip(echo: Echo) -> float:
    """In seconds: the median of what fits into the time."""
    taken: list[float] = []
    end = perf_counter() + MOST_SECONDS
    while len(taken) < CALLS and (begin := perf_counter()) < end:
        echo.number(1)
        taken.append(perf_counter() - begin)
    return median(taken)


def started(echo: Echo) -> float:
    """Calls in a second, the median of five rounds."""
    from octavo import start

    rates = []
    for _ in range(5):
        begin = perf_counter()
        futures = [start(echo.number, i) for i in range(CALLS)]
        for each in futures:
            each.result()
        rates.append(CALLS / (perf_counter() - begin))
    return median(rates)
