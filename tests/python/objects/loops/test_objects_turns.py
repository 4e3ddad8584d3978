# SPDX-License-Identifier: Apache-2.0
"""Methods and coroutines of one object take turns (C-12), and what a method does is seen by the coroutines that wait for it."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter
from kit import wait_for

pytestmark = pytest.mark.timeout(60)


class Steps:
    runs = False

    def take_step(self, path: str, seconds: float, rings: float = 0) -> None:
        self.runs = True
        Path(path).touch()
        signal.setitimer(signal.ITIMER_REAL, rings)
        time.sleep(seconds)
        self.runs = False

    def goes_on_beside(self, other: Counter, path: str) -> bool:
        """Waits until a step of a coroutine has begun. Whether that still runs when this goes on."""
        other.hold(path)
        return self.runs


class Shows(Steps):
    """Its class tells that it has coroutines."""

    async def steps(self, path: str, seconds: float = 0.3, rings: float = 0) -> None:
        self.take_step(path, seconds, rings)

    def goes_on(self, me: Shows, other: Counter, path: str) -> bool:
        begun = octavo.start(me.steps, path)
        beside = self.goes_on_beside(other, path)
        begun.result(20)
        return beside

    def goes_on_when_interrupted(self, me: Shows, other: Counter, path: str) -> bool:
        def raises(*_: object) -> None:
            raise TimeoutError("it rang")

        signal.signal(signal.SIGALRM, raises)
        begun = octavo.start(me.steps, path, 1, 0.4)
        with pytest.raises(TimeoutError, match="it rang"):
            other.hold(path)
        beside = self.runs
        begun.result(20)
        return beside


async def steps_of(of: Steps, path: str) -> AsyncGenerator[int, None]:
    of.take_step(path, 0.3)
    yield 1


class Hides(Steps):
    """Its class does not."""

    def steps(self, path: str) -> AsyncGenerator[int, None]:
        return steps_of(self, path)

    def goes_on(self, me: Hides, other: Counter, path: str) -> bool:
        stream: Any = me.steps(path)
        beside = self.goes_on_beside(other, path)
        assert list(stream) == [1]
        return beside


class Tasks:
    async def begin(self) -> None:
        self.loop, self.event, self.queue = asyncio.get_running_loop(), asyncio.Event(), asyncio.Queue[int]()
        self.got: list[int] = []
        self.task = asyncio.ensure_future(self.work())

    async def work(self) -> None:
        while (number := await self.queue.get()) >= 0:
            self.got.append(number)

    def put(self, number: int) -> None:
        self.queue.put_nowait(number)

    def is_over(self) -> bool:
        return self.task.done()

    def rings_later(self) -> None:
        self.loop.call_later(0.01, self.event.set)

    async def hears(self) -> bool:
        return await self.event.wait()


PLACES = pytest.mark.parametrize("place", [octavo.process, octavo.thread], ids=["process", "thread"])


@PLACES
@pytest.mark.parametrize("kind", [Shows, Hides])
def test_c12_a_method_that_waited_does_not_go_on_beside_the_first_coroutine(place: octavo.Place, kind: Any, tmp_path: Path) -> None:
    made, other = place.make(kind), octavo.process.make(Counter)
    assert octavo.start(made.goes_on, made, other, str(tmp_path / "began")).result(20) is False


def test_a_signal_while_a_method_waits_for_its_turn_is_raised_when_it_has_it(tmp_path: Path) -> None:
    made, other = octavo.process.make(Shows), octavo.process.make(Counter)
    assert octavo.start(made.goes_on_when_interrupted, made, other, str(tmp_path / "began")).result(20) is False
    assert made.runs is False


@PLACES
def test_a_method_wakes_a_task_whose_coroutine_has_ended(place: octavo.Place) -> None:
    tasks = place.make(Tasks)
    octavo.start(tasks.begin).result(20)
    for number in range(3):
        tasks.put(number)
        wait_for(lambda number=number: tasks.got[-1:] == [number], 20, "the task goes on")  # type: ignore[misc]
    tasks.put(-1)
    wait_for(tasks.is_over, 20, "the task ends")


@PLACES
def test_a_method_sets_a_timer(place: octavo.Place) -> None:
    tasks = place.make(Tasks)
    octavo.start(tasks.begin).result(20)
    heard = octavo.start(tasks.hears)
    tasks.rings_later()
    assert heard.result(20)
    tasks.put(-1)
