# SPDX-License-Identifier: Apache-2.0
"""xoscar's actors for ./dev bench python, in a pool of one process beside the main one: an actor is made in a process that runs already."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import xoscar  # type: ignore[import-not-found, unused-ignore]
from python_answering import ENTRIES, FIRST, STARTED, TEXT, Array, Counter, Loop, Timing, check_arrays, made_array, say


class Served(xoscar.Actor):  # type: ignore[misc]
    def __init__(self, value: int) -> None:
        super().__init__()
        self.counter = Counter(value)

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


def main() -> None:
    timing = Timing()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    run = loop.run_until_complete
    pool = run(xoscar.create_actor_pool("127.0.0.1", n_process=1))
    address = next(iter(pool.sub_processes))
    numbers = iter(range(1 << 30))

    async def begin() -> Any:
        return await xoscar.create_actor(Served, FIRST, address=address, uid=f"counter {next(numbers)}")

    async def make_all(count: int) -> list[Any]:
        made = await asyncio.gather(*(begin() for _ in range(count)))
        await asyncio.gather(*(p.inc(1) for p in made))
        return list(made)

    async def end_all(made: list[Any]) -> None:
        await asyncio.gather(*(xoscar.destroy_actor(p) for p in made))

    def timed(call: Callable[[], Any]) -> Loop:
        async def repeat(count: int) -> float:
            begun = time.perf_counter()
            for _ in range(count):
                await call()
            return time.perf_counter() - begun

        return lambda count: float(run(repeat(count)))

    timing.make("xoscar (in a process that runs)", lambda count: run(make_all(count)), lambda made: run(end_all(made)))
    p = run(begin())
    array = made_array()
    run(p.hold())
    check_arrays(run(p.take(array)), run(p.whole()))
    timing.calls += 2
    calls: dict[str, Callable[[], Any]] = {
        "call": lambda: p.inc(1),
        "described": lambda: p.described(ENTRIES, TEXT),
        "started": lambda: asyncio.gather(*(p.inc(1) for _ in range(STARTED))),
        "argument": lambda: p.take(array),
        "result": lambda: p.whole(),
    }
    timing.measure("xoscar", {row: timed(call) for row, call in calls.items()}, {})
    timing.check(run(p.inc(0)))
    run(pool.stop())
    say(timing.figures)


if __name__ == "__main__":
    main()
