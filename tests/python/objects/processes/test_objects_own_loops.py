# SPDX-License-Identifier: Apache-2.0
"""Methods that run an event loop of their own, by asyncio.run and the like: what they await comes, and a call that comes back is an error (C-3)."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Friend

pytestmark = pytest.mark.timeout(60)


class Runs(Friend):
    """Has a loop in its methods."""

    def run(self, way: str, *arguments: Any) -> Any:
        return asyncio.run(getattr(self, f"by_{way}")(*arguments))

    def run_until_complete(self, way: str, *arguments: Any) -> Any:
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(getattr(self, f"by_{way}")(*arguments))
        finally:
            loop.close()

    async def by_await(self, call: Any, *arguments: Any) -> Any:
        return await octavo.start(call, *arguments)

    async def by_wrap_future(self, call: Any, *arguments: Any) -> Any:
        return await asyncio.wrap_future(octavo.start(call, *arguments))

    async def by_wait_for(self, call: Any, *arguments: Any) -> Any:
        return await asyncio.wait_for(octavo.start(call, *arguments), 20)

    async def by_gather(self, call: Any, *arguments: Any) -> Any:
        return (await asyncio.gather(*(octavo.start(call, *arguments) for _ in range(20))))[-1]

    async def by_event(self, call: Any, *arguments: Any) -> Any:
        """Waits for what never comes; it is the call that fails."""
        event, begun = asyncio.Event(), asyncio.ensure_future(octavo.start(call, *arguments))
        begun.add_done_callback(lambda _: event.set())
        await event.wait()
        return begun.result()

    async def by_thread(self, call: Any, *arguments: Any) -> Any:
        """What other threads give the loop to do wakes it."""
        done = asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.05)
        result = await octavo.start(call, *arguments)
        await done
        return result

    async def by_program(self, call: Any, *arguments: Any) -> Any:
        begun = octavo.start(call, *arguments)
        program = await asyncio.create_subprocess_exec("/bin/echo", "said", stdout=asyncio.subprocess.PIPE)
        said, _ = await program.communicate()
        assert said == b"said\n"
        return await begun

    async def by_call_that_waits(self, call: Any, *arguments: Any) -> Any:
        """The loop stands meanwhile, in a wait of Octavo's."""
        return call(*arguments)

    async def by_many(self, call: Any, *arguments: Any) -> Any:
        for _ in range(300):
            result = await octavo.start(call, *arguments)
        return result

    def gives_up(self, other: Any, gate: str) -> Any:
        """A call that it awaits no longer comes back while it waits for another."""
        with_timeout = asyncio.wait_for(octavo.start(other.ask_behind, self.me, gate), 0.05)
        try:
            asyncio.run(waited(with_timeout))
        except (TimeoutError, asyncio.TimeoutError):
            os.mkfifo(gate + ".gone")
            return other.ask(self.me, "hear", 1)
        raise AssertionError("nothing answered it yet")

    def notified(self, other: Any) -> int:
        """Another begins a call of this object, and does not wait for it."""
        return int(asyncio.run(self.by_await(other.begin, "news")))

    async def items(self, other: Any) -> AsyncIterator[int]:
        for i in range(3):
            await octavo.start(other.ask, self.me, "hear", i)
            yield i

    async def is_async(self, other: Any) -> Any:
        return await octavo.start(other.ask, self.me, "hear", 1)

    def holds(self) -> tuple[int, int]:
        """Descriptors and threads of this process."""
        return len(os.listdir("/proc/self/fd")), threading.active_count()  # noqa: PTH208 (as quick as can be)

    def lets_timers_run(self, other: Any) -> float:
        async def both() -> float:
            await octavo.start(other.pid)
            begin = time.monotonic()
            await asyncio.sleep(0.1)
            return time.monotonic() - begin

        return asyncio.run(both())

    def know(self, me: Any) -> None:
        self.me = me


async def waited(what: Any) -> Any:
    return await what


class Other(Friend):
    def know(self, who: Any) -> None:
        self.method = who.hear  # for which the pointer asks once

    def begin(self, *arguments: Any) -> int:
        self.begun = octavo.start(self.method, *arguments)
        return 1

    def ask_behind(self, who: Any, gate: str) -> Any:
        while not os.path.exists(gate + ".gone"):  # noqa: PTH110
            time.sleep(0.001)
        return who.hear("late")

    def outcome(self) -> Any:
        return self.begun.result(20)


WAYS = ["await", "wrap_future", "wait_for", "gather", "event", "thread", "program"]


@pytest.fixture(scope="module", params=[octavo.process, octavo.thread], ids=["process", "thread"])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[Runs, Other]]:
    p, q = request.param.make(Runs), octavo.process.make(Other)
    p.know(p)
    yield p, q


def is_cycle(call: Any) -> bool:
    """Whether it ends soon, with an error that names the two and the cure. (One that hung would be TimedOut.)"""
    error = call.exception(20)
    assert isinstance(error, octavo.UsageError), error
    said = str(error)
    return "these wait for each other" in said and "Runs" in said and "in an event loop of its method" in said and "`async def`" in said


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("run", ["run", "run_until_complete"])
def test_c3_a_loop_in_a_method_that_is_called_back_is_a_cycle(pair: tuple[Runs, Other], run: str, way: str) -> None:
    p, q = pair
    assert is_cycle(octavo.start(getattr(p, run), way, q.ask, p, "hear", 1))
    assert p.hear("afterwards") >= 1
    assert q.hear("afterwards") >= 1


def test_c3_through_a_third_object(pair: tuple[Runs, Other]) -> None:
    p, q = pair
    third = octavo.process.make(Friend)
    assert is_cycle(octavo.start(p.run, "await", q.ask, third, "ask", p, "hear", 1))
    assert third.hear("afterwards") == 1


def test_c3_one_that_calls_itself(pair: tuple[Runs, Other]) -> None:
    p, _ = pair
    assert is_cycle(octavo.start(p.run, "await", p.hear, 1))
    assert p.hear("afterwards") >= 1


def test_c3_two_loops_that_await_each_other() -> None:
    p, q = octavo.process.make(Runs), octavo.process.make(Runs)
    assert is_cycle(octavo.start(p.run, "await", q.run, "await", p.hear, 1))
    assert [p.hear("afterwards"), q.hear("afterwards")] >= [1, 1]


def test_a_call_that_waits_within_a_loop_lets_the_object_be_called_back(pair: tuple[Runs, Other]) -> None:
    p, q = pair
    assert octavo.start(p.run, "call_that_waits", q.ask, p, "hear", 1).result(20) >= 1


@pytest.mark.parametrize("way", [*WAYS, "many"])
@pytest.mark.parametrize("run", ["run", "run_until_complete"])
def test_what_a_loop_in_a_method_awaits_comes(pair: tuple[Runs, Other], run: str, way: str) -> None:
    p, _ = pair
    counter = octavo.process.make(Counter, 0)
    assert octavo.start(getattr(p, run), way, counter.add, 1).result(20) >= 1


def test_an_object_made_in_a_loop(pair: tuple[Runs, Other]) -> None:
    p, _ = pair
    made = octavo.start(p.run, "await", octavo.process.make, Counter, 5).result(20)
    assert made.add(1) == 6


def test_an_async_method_is_called_back(pair: tuple[Runs, Other]) -> None:
    p, q = pair
    assert octavo.start(p.is_async, q).result(20) >= 1
    assert list(p.items(q)) == [0, 1, 2]  # type: ignore[call-overload]


def test_a_call_that_nobody_waits_for_comes_behind_the_loop(pair: tuple[Runs, Other]) -> None:
    p, q = pair
    q.know(p)
    assert octavo.start(p.notified, q).result(20) == 1
    assert octavo.start(q.outcome).result(20) >= 1
    assert "news" in p.heard


def test_what_a_loop_has_given_up_comes_back_later(pair: tuple[Runs, Other], tmp_path: Any) -> None:
    p, q = pair
    assert octavo.start(p.gives_up, q, str(tmp_path / "gate")).result(20) >= 1
    assert "late" in p.heard


def test_timers_of_a_loop_are_as_before(pair: tuple[Runs, Other]) -> None:
    p, q = pair
    assert octavo.start(p.lets_timers_run, q).result(20) > 0.09


def test_a_loop_that_is_closed_leaves_nothing(pair: tuple[Runs, Other]) -> None:
    p, _ = pair
    counter = octavo.process.make(Counter, 0)
    p.run("await", counter.add, 1)
    before, rounds = p.holds(), 200
    for _ in range(rounds):
        p.run("await", counter.add, 1)
    # Of an object on a thread they are its program's, which has spare processes made meanwhile, and ends them.
    assert all(now - then < rounds for now, then in zip(p.holds(), before, strict=True))
