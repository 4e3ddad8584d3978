# SPDX-License-Identifier: Apache-2.0
"""charm4py for ./dev bench python: a chare on the other of two processing elements; it is made in a process that runs already.

Not pinned: which of the two suits it better has not been measured on a quiet machine.
"""

from typing import Any

from charm4py import Chare, Future, charm  # type: ignore[import-not-found, unused-ignore]
from python_answering import ENTRIES, FIRST, STARTED, TEXT, Array, Counter, Timing, check_arrays, made_array, say


class Served(Chare):  # type: ignore[misc]
    def __init__(self) -> None:
        self.counter = Counter(FIRST)

    def inc(self, n: int) -> int:
        return self.counter.inc(n)

    def described(self, entries: dict[str, int], text: str) -> int:
        return self.counter.described(entries, text)

    def take(self, array: Array) -> float:
        return self.counter.take(array)

    def hold(self) -> None:
        self.counter.hold()

    def whole(self) -> Array:
        return self.counter.whole()


def make(count: int) -> list[Any]:
    made = [Chare(Served, onPE=1) for _ in range(count)]
    for answer in [p.inc(1, ret=True) for p in made]:
        answer.get()
    return made


def start_calls(p: Any) -> None:
    answers: list[Future] = [p.inc(1, ret=True) for _ in range(STARTED)]
    for answer in answers:
        answer.get()


def measure(_: object) -> None:
    try:
        timing = Timing()
        timing.make("charm4py (in a process that runs)", make, lambda made: made.clear())
        p = Chare(Served, onPE=1)
        array = made_array()
        p.hold(ret=True).get()
        check_arrays(p.take(array, ret=True).get(), p.whole(ret=True).get())
        timing.calls += 2
        rows = {
            "call": "p.inc(1, ret=True).get()",
            "described": "p.described(ENTRIES, TEXT, ret=True).get()",
            "started": "start_calls(p)",
            "argument": "p.take(array, ret=True).get()",
            "result": "p.whole(ret=True).get()",
        }
        timing.measure("charm4py", rows, {"p": p, "array": array, "start_calls": start_calls, "ENTRIES": ENTRIES, "TEXT": TEXT})
        timing.check(p.inc(0, ret=True).get())
        say(timing.figures)
    finally:
        charm.exit()


if __name__ == "__main__":
    charm.start(measure)
