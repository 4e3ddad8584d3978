# SPDX-License-Identifier: Apache-2.0
"""What is begun can be awaited in an event loop that is written in C, in the program and within a method."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import octavo
import pytest
from busy_kit import Busy
from hosted_classes import Counter, Friend

uvloop = pytest.importorskip("uvloop", reason="uvloop is not installed: pip install uvloop")
pytestmark = pytest.mark.timeout(60)


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """As uvloop.run(), which 3.10 does not have."""
    loop = uvloop.new_event_loop()
    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()


class Runs:
    """Has such a loop in its methods."""

    def alone(self, other: Counter) -> int:
        async def main() -> int:
            assert type(asyncio.get_running_loop()).__module__.startswith("uvloop")
            return await octavo.start(other.add, 1)

        return int(run(main))

    def with_threads(self, other: Counter) -> int:
        async def main() -> list[int]:
            return await asyncio.gather(*(asyncio.to_thread(other.add, 1) for _ in range(5)))

        return max(run(main))

    def called_back(self, other: Friend, me: object) -> int:
        async def main() -> int:
            return await octavo.start(other.ask, me, "alone", other)

        return int(run(main))


class Slow:
    async def later(self, n: int) -> int:
        await asyncio.sleep(0.001)
        return n

    def value(self) -> int:
        return 3

    def fail(self) -> None:
        raise ValueError("of the test")


def test_a_program_awaits() -> None:
    async def main() -> None:
        counter, slow = await octavo.start(octavo.process.make, Counter, 0), await octavo.start(octavo.process.make, Slow)
        assert await octavo.start(counter.add, 1) == 1
        assert sorted(await asyncio.gather(*(octavo.start(counter.add, 1) for _ in range(50)))) == list(range(2, 52))
        assert await asyncio.gather(*(octavo.start(slow.later, n) for n in range(50))) == list(range(50))
        assert await asyncio.gather(*(asyncio.to_thread(slow.value) for _ in range(10))) == [3] * 10
        with pytest.raises(ValueError, match="of the test"):
            await octavo.start(slow.fail)

    for _ in range(3):
        run(main)


def test_an_await_that_is_cancelled_takes_its_call_back(busy: Busy) -> None:
    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(octavo.start(busy.p.add, 1), 0.05)

    run(main)
    assert not busy.held.done()
    busy.let_go()
    busy.held.result(10)
    assert busy.p.add(0) == 0


def test_a_method_has_such_a_loop() -> None:
    runs, counter = octavo.process.make(Runs), octavo.process.make(Counter, 0)
    assert [runs.alone(counter) for _ in range(3)] == [1, 2, 3]
    assert runs.with_threads(counter) == 8


@pytest.mark.parametrize("place", [octavo.process, octavo.thread], ids=["process", "thread"])
def test_c3_a_method_with_such_a_loop_is_not_called_back(place: octavo.Place) -> None:
    runs = place.make(Runs)
    error = octavo.start(runs.called_back, octavo.process.make(Friend), runs).exception(20)
    assert isinstance(error, octavo.UsageError), error
    assert "these wait for each other" in str(error)
    assert runs.alone(octavo.process.make(Counter, 0)) == 1


def test_an_executor_is_the_loop_s() -> None:
    async def main(workers: octavo.Executor) -> list[int]:
        loop = asyncio.get_running_loop()
        return await asyncio.gather(*(loop.run_in_executor(workers, pow, 2, n) for n in range(8)))

    with octavo.Executor(2) as workers:
        assert run(lambda: main(workers)) == [2**n for n in range(8)]
