# SPDX-License-Identifier: Apache-2.0
"""Monarch's actors for ./dev bench python, each in a process of its own on this host."""

from typing import Any

from monarch.actor import Actor, endpoint, this_host  # type: ignore[import-not-found, unused-ignore]
from python_answering import ENTRIES, FIRST, STARTED, TEXT, Array, Counter, Timing, check_arrays, made_array, say


class Served(Actor):  # type: ignore[misc, unused-ignore]
    def __init__(self, value: int) -> None:
        self.counter = Counter(value)

    @endpoint  # type: ignore[untyped-decorator, unused-ignore]
    async def inc(self, n: int) -> int:
        return self.counter.inc(n)

    @endpoint  # type: ignore[untyped-decorator, unused-ignore]
    async def described(self, entries: dict[str, int], text: str) -> int:
        return self.counter.described(entries, text)

    @endpoint  # type: ignore[untyped-decorator, unused-ignore]
    async def take(self, array: Array) -> float:
        return self.counter.take(array)

    @endpoint  # type: ignore[untyped-decorator, unused-ignore]
    async def hold(self) -> None:
        self.counter.hold()

    @endpoint  # type: ignore[untyped-decorator, unused-ignore]
    async def whole(self) -> Array:
        return self.counter.whole()


def made(count: int) -> tuple[Any, Any]:
    """So many processes with an actor each, and the mesh of these."""
    processes = this_host().spawn_procs(per_host={"each": count})
    return processes, processes.spawn("counter", Served, FIRST)


def make(count: int) -> Any:
    processes, actors = made(count)
    actors.inc.call(1).get()
    return processes


def end(processes: Any) -> None:
    processes.stop().get()


def start_calls(p: Any) -> None:
    for each in [p.inc.call_one(1) for _ in range(STARTED)]:
        each.get()


def main() -> None:
    timing = Timing()
    timing.make("Monarch", make, end)
    processes, p = made(1)
    array = made_array()
    p.hold.call_one().get()
    check_arrays(p.take.call_one(array).get(), p.whole.call_one().get())
    timing.calls += 2
    rows = {
        "call": "p.inc.call_one(1).get()",
        "described": "p.described.call_one(ENTRIES, TEXT).get()",
        "started": "start_calls(p)",
        "argument": "p.take.call_one(array).get()",
        "result": "p.whole.call_one().get()",
    }
    timing.measure("Monarch", rows, {"p": p, "array": array, "start_calls": start_calls, "ENTRIES": ENTRIES, "TEXT": TEXT})
    timing.check(p.inc.call_one(0).get())
    end(processes)
    say(timing.figures)


if __name__ == "__main__":
    main()
