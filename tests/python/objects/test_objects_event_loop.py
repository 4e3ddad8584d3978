# SPDX-License-Identifier: Apache-2.0
"""Event loops: of an object with `async def` methods, which a call that waits without await stops; and of a program that awaits and is cancelled."""

from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Any

import octavo
import pytest
from busy_kit import Busy
from hosted_classes import Counter
from kit import wait_for

pytestmark = pytest.mark.timeout(60)


class Asks:
    async def without_await(self, other: Counter) -> int:
        return other.add(1)

    async def by_result(self, other: Counter) -> int:
        return octavo.start(other.add, 1).result()

    async def with_await(self, other: Counter) -> int:
        first = await octavo.start(other.add, 1)
        done = octavo.start(other.add, 1)
        await asyncio.wait([asyncio.wrap_future(done)])
        return first + done.result()

    async def makes(self) -> int:
        other = await octavo.start(octavo.process.make, Counter, 5)
        return await octavo.start(other.add, 1)

    def plainly(self, other: Counter) -> int:
        return other.add(1)


def warnings_of(capfd: pytest.CaptureFixture[str], seen: list[str]) -> int:
    seen.append(capfd.readouterr().err)
    return "".join(seen).count("RuntimeWarning")


@pytest.mark.parametrize("way", ["without_await", "by_result"])
def test_an_async_method_that_waits_without_await_is_warned_once_with_the_cure(way: str, capfd: pytest.CaptureFixture[str]) -> None:
    asks, counter = octavo.process.make(Asks), octavo.process.make(Counter)
    assert [getattr(asks, way)(counter) for _ in range(3)] == [1, 2, 3]
    seen: list[str] = []
    wait_for(lambda: warnings_of(capfd, seen) > 0, 20, "the warning")
    said = "".join(seen)
    assert "Write `await octavo.start(p.method, x)`" in said
    assert "test_objects_event_loop.py" in said  # the line that waits
    octavo.destroy(asks)
    assert warnings_of(capfd, seen) == 1


def test_one_that_awaits_is_not_warned_nor_one_that_is_no_coroutine(capfd: pytest.CaptureFixture[str]) -> None:
    asks, counter = octavo.process.make(Asks), octavo.process.make(Counter)
    assert asks.with_await(counter) == 3  # type: ignore[comparison-overlap]
    assert asks.plainly(counter) == 3
    assert asks.makes() == 6  # type: ignore[comparison-overlap]
    octavo.destroy(asks)
    assert warnings_of(capfd, []) == 0


def test_an_await_that_ends_early_does_not_wait_until_the_object_looks(busy: Busy) -> None:
    async def impatient() -> None:
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            await asyncio.wait_for(octavo.start(busy.p.add, 10), 0.2)

    asyncio.run(impatient())  # who waited for it would wait until it is let go, and nobody does that yet


def test_a_call_that_nobody_awaits_any_more_is_cancelled(waiting: Busy) -> None:
    call = octavo.start(waiting.p.add, 10)

    async def cancelled() -> None:
        task = asyncio.ensure_future(call)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    with pytest.raises(concurrent.futures.CancelledError):
        call.result(20)
    waiting.let_go()
    assert waiting.p.add(1) == 1


def test_several_are_awaited_together_and_errors_are_raised(busy: Busy) -> None:
    busy.let_go()

    async def gathered() -> list[Any]:
        calls = (octavo.start(busy.p.add, 1), octavo.start(busy.p.fail, ValueError("a")), octavo.start(busy.p.fail, StopIteration(5)))
        return await asyncio.gather(*calls, return_exceptions=True)

    one, error, stop = asyncio.run(gathered())
    assert one == 1
    assert repr(error) == "ValueError('a')"
    assert isinstance(stop, RuntimeError)


def test_a_call_that_was_cancelled_elsewhere_cancels_who_awaits_it(waiting: Busy) -> None:
    call = octavo.start(waiting.p.add, 10)

    async def awaited() -> None:
        asyncio.get_running_loop().run_in_executor(None, call.cancel)
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(awaited())


class Itself:
    """Its methods call it, and wake each other."""

    def plain(self) -> int:
        return 1

    async def later(self) -> int:
        await asyncio.sleep(0.001)
        return 2

    async def awaits(self, me: Itself) -> int:
        return await octavo.start(me.plain) + await octavo.start(me.later)

    async def waits(self, me: Itself) -> int:
        return me.plain()

    def calls(self, me: Itself) -> Any:
        return me.later()

    async def comes_back(self, others: list[Itself], me: Itself) -> int:
        first, *rest = others or [me]
        return await (octavo.start(first.comes_back, rest, me) if others else octavo.start(me.later))

    async def get(self) -> int:
        self.queue: asyncio.Queue[int] = asyncio.Queue()
        return await self.queue.get()

    def put(self, number: int, fails: bool) -> None:
        self.queue.put_nowait(number)
        if fails:
            raise LookupError(number)

    def puts_and_waits(self, me: Itself, number: int) -> int:
        got = octavo.start(me.get)
        octavo.start(me.later).result(20)  # the other one waits by now
        self.queue.put_nowait(number)
        return got.result(20)


@pytest.fixture(params=["process", "thread"])
def itself(request: pytest.FixtureRequest) -> Itself:
    return getattr(octavo, request.param).make(Itself)  # type: ignore[no-any-return]


def test_an_async_method_awaits_its_own_object(itself: Itself) -> None:
    assert octavo.start(itself.awaits, itself).result(20) == 3
    assert octavo.start(itself.waits, itself).result(20) == 1
    others = [octavo.process.make(Itself) for _ in range(2)]
    assert octavo.start(itself.comes_back, others, itself).result(20) == 2


def test_a_method_waits_for_a_coroutine_of_its_own_object(itself: Itself) -> None:
    for _ in range(3):  # at the first there is no event loop yet
        assert octavo.start(itself.calls, itself).result(20) == 2


@pytest.mark.parametrize("fails", [False, True])
def test_a_method_wakes_a_coroutine(itself: Itself, fails: bool) -> None:
    got = octavo.start(itself.get)
    assert octavo.start(itself.later).result(20) == 2  # the other one waits by now
    if fails:
        with pytest.raises(LookupError):
            itself.put(5, fails)
    else:
        itself.put(5, fails)
    assert got.result(20) == 5


@pytest.mark.parametrize("is_first", [True, False])
def test_a_method_wakes_a_coroutine_while_it_waits_for_it(itself: Itself, is_first: bool) -> None:
    if not is_first:
        assert octavo.start(itself.later).result(20) == 2
    assert octavo.start(itself.puts_and_waits, itself, 5).result(20) == 5
