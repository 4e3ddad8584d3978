# SPDX-License-Identifier: Apache-2.0
"""Methods that run an event loop of their own, asyncio.run and the like: their object is called back while the loop waits (C-3)."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import octavo
import pytest
from hosted_classes import Friend

pytestmark = pytest.mark.timeout(60)


class Runs(Friend):
    """Each way ends only if a call that comes back to it meanwhile is run."""

    def run(self, way: str, me: Any, other: Any) -> Any:
        return asyncio.run(asyncio.wait_for(getattr(self, f"by_{way}")(me, other), 10))

    async def by_await(self, me: Any, other: Any) -> Any:
        return await octavo.start(other.ask, me, "hear", 1)

    async def by_wrap_future(self, me: Any, other: Any) -> Any:
        return await asyncio.wrap_future(octavo.start(other.ask, me, "hear", 1))

    async def by_gather(self, me: Any, other: Any) -> Any:
        return (await asyncio.gather(*(octavo.start(other.ask, me, "hear", i) for i in range(20))))[-1]

    async def by_event(self, me: Any, other: Any) -> Any:
        """Waits for what the call back does to the loop, in the loop's own thread."""
        self.event = asyncio.Event()
        call = asyncio.ensure_future(octavo.start(other.ask, me, "set_event"))
        await self.event.wait()
        await call
        return 1

    async def by_timer(self, me: Any, other: Any) -> Any:
        self.loop, self.event = asyncio.get_running_loop(), asyncio.Event()
        await octavo.start(other.ask, me, "set_later")
        await self.event.wait()
        return 1

    async def by_another_loop(self, me: Any, other: Any) -> Any:
        return await octavo.start(other.ask, me, "run_again", me, other)

    async def by_thread(self, me: Any, other: Any) -> Any:
        """What other threads give the loop to do wakes it."""
        done = asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.05)
        await octavo.start(other.ask, me, "hear", 1)
        await done
        return 1

    async def by_program(self, me: Any, other: Any) -> Any:
        call = octavo.start(other.ask, me, "hear", 1)
        program = await asyncio.create_subprocess_exec("/bin/echo", "said", stdout=asyncio.subprocess.PIPE)
        said, _ = await program.communicate()
        assert said == b"said\n"
        return await call

    def set_event(self) -> None:
        self.event.set()

    def set_later(self) -> None:
        self.loop.call_later(0.01, self.event.set)

    def run_again(self, me: Any, other: Any) -> Any:
        return asyncio.run(self.by_await(me, other))

    async def items(self, me: Any, other: Any) -> AsyncIterator[int]:
        for i in range(3):
            await octavo.start(other.ask, me, "hear", i)
            yield i

    def holds(self) -> tuple[int, int]:
        """Descriptors and threads of this process."""
        return len(os.listdir("/proc/self/fd")), threading.active_count()  # noqa: PTH208 (as quick as can be)

    def lets_timers_run(self, other: Any) -> float:
        """A loop that has served waits for its timers as before."""

        async def both() -> float:
            await octavo.start(other.pid)
            begin = time.monotonic()
            await asyncio.sleep(0.1)
            return time.monotonic() - begin

        return asyncio.run(both())


WAYS = ["await", "wrap_future", "gather", "event", "timer", "another_loop", "thread", "program"]


@pytest.fixture(scope="module", params=[octavo.process, octavo.thread], ids=["process", "thread"])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[Runs, Friend]]:
    yield request.param.make(Runs), octavo.process.make(Friend)


@pytest.mark.parametrize("way", WAYS)
def test_a_loop_in_a_method_lets_the_object_be_called_back(pair: tuple[Runs, Friend], way: str) -> None:
    p, q = pair
    assert p.run(way, p, q) >= 1


def test_an_async_generator_is_called_back(pair: tuple[Runs, Friend]) -> None:
    p, q = pair
    assert list(p.items(p, q)) == [0, 1, 2]  # type: ignore[call-overload]


def test_timers_of_a_loop_that_serves_are_as_before(pair: tuple[Runs, Friend]) -> None:
    p, q = pair
    assert 0.09 < p.lets_timers_run(q) < 2


def test_a_loop_that_is_closed_leaves_nothing(pair: tuple[Runs, Friend]) -> None:
    p, q = pair
    p.run("await", p, q)
    before = p.holds()
    for _ in range(5):
        p.run("await", p, q)
    assert p.holds() == before


def test_a_loop_elsewhere_in_the_program_is_left_alone() -> None:
    async def selector() -> Any:
        await octavo.start(octavo.process, os.getpid)
        return type(asyncio.get_running_loop()._selector)  # type: ignore[attr-defined]

    assert asyncio.run(selector()).__name__ == "EpollSelector"
