# SPDX-License-Identifier: Apache-2.0
"""Event loops: of an object with `async def` methods, which a call that waits without await stops; and of a program that awaits and is cancelled."""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
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
    wait_for(lambda: warnings_of(capfd, seen) > 0, 10, "the warning")
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
    async def impatient() -> float:
        begin = time.monotonic()
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            await asyncio.wait_for(octavo.start(busy.p.add, 10), 0.2)
        return time.monotonic() - begin

    assert asyncio.run(impatient()) < 2


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
        call.result(10)
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
