# SPDX-License-Identifier: Apache-2.0
"""Octavo's own rows of ./dev bench python. What is said beside: the two calls with nothing pinned, and what a bare Future of the library costs."""

from concurrent.futures import Future

import octavo as ov
from python_answering import ELEMENTS, ENTRIES, FIRST, STARTED, TEXT, Counter, Timing, check_arrays, made_array, pin, say

STATEMENTS = {"call": "p.inc(1)", "described": "p.described(ENTRIES, TEXT)"}
ARRAYS = {"argument": "p.take(array)", "result": "p.whole()"}


class Pooled(Counter):
    """One that holds its array in the pool."""

    def hold(self) -> None:
        self.array = ov.empty(ELEMENTS)
        self.array[:] = made_array()


def make(count: int) -> list[Counter]:
    made = [future.result() for future in [ov.start(ov.process.make, Counter, FIRST) for _ in range(count)]]
    for future in [ov.start(p.inc, 1) for p in made]:
        future.result()
    return made


def destroy(made: list[Counter]) -> None:
    for p in made:
        ov.destroy(p)


def start_calls(p: Counter) -> None:
    for future in [ov.start(p.inc, 1) for _ in range(STARTED)]:
        future.result()


def settle_futures() -> None:
    """A thousand bare ones: made, settled and read, by one thread."""
    futures: list[Future[int]] = [Future() for _ in range(STARTED)]
    for future in futures:
        future.set_running_or_notify_cancel()
        future.set_result(1)
    for future in futures:
        future.result()


def main() -> None:
    timing, besides = Timing(), Timing()
    timing.make("octavo", make, destroy)

    free = ov.process.make(Counter, FIRST)
    besides.measure("not pinned", STATEMENTS, {"p": free, "ENTRIES": ENTRIES, "TEXT": TEXT})
    besides.check(free.inc(0))
    ov.destroy(free)

    p, pooled = ov.process.make(Counter, FIRST, pinned=True), ov.process.make(Pooled, FIRST, pinned=True)
    pin(0)
    names = {"p": p, "array": made_array(), "ENTRIES": ENTRIES, "TEXT": TEXT, "start_calls": start_calls, "settle_futures": settle_futures}
    rows = {**STATEMENTS, "started": "start_calls(p)", **ARRAYS}
    p.hold()
    check_arrays(p.take(names["array"]), p.whole())  # type: ignore[arg-type]
    timing.calls += 2
    timing.measure("octavo", rows, names)
    timing.check(p.inc(0))

    if hasattr(ov, "empty"):
        of_pool = Timing()
        pooled.hold()
        array = ov.empty(ELEMENTS)
        array[:] = names["array"]
        check_arrays(pooled.take(array), pooled.whole())
        of_pool.calls += 2
        of_pool.measure("octavo", {f"{row} pooled": how for row, how in ARRAYS.items()}, {"p": pooled, "array": array})
        of_pool.check(pooled.inc(0))
        timing.figures |= of_pool.figures
        del array
    besides.put("bare Futures", "started", STARTED / besides.seconds("settle_futures()", names))
    destroy([p, pooled])
    say(timing.figures, besides.figures)


if __name__ == "__main__":
    main()
