# SPDX-License-Identifier: Apache-2.0
"""C-10: start() returns, and what went wrong is raised by result(): of objects that are dead, destroyed, or die meanwhile, and of services."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import octavo
import pytest

pytestmark = pytest.mark.timeout(60)


class Counter:
    def add(self, n: object) -> object:
        return n

    async def later(self) -> int:
        return 1

    def pid(self) -> int:
        return os.getpid()

    def __getitem__(self, index: int) -> int:
        return index

    def __call__(self) -> int:
        return 1


def four() -> int:
    return 4


WAYS: dict[str, Callable[[Any], octavo.Future[Any]]] = {
    "small": lambda p: octavo.start(p.add, 1),
    "large": lambda p: octavo.start(p.add, b"x" * 100_000),
    "coroutine": lambda p: octavo.start(p.later),
    "operator": lambda p: octavo.start(p.__getitem__, 1),
    "called": lambda p: octavo.start(p),
    "function": lambda p: octavo.start(octavo.call, p, Counter.pid),
}


@pytest.mark.parametrize("way", WAYS)
def test_of_one_that_was_killed(way: str) -> None:
    p = octavo.process.make(Counter)
    os.kill(p.pid(), signal.SIGKILL)
    started = [WAYS[way](p) for _ in range(2000)]
    assert {type(each.exception()) for each in started} == {octavo.ProcessDied}
    with pytest.raises(octavo.ProcessDied):
        started[-1].result()


@pytest.mark.parametrize("place", ["thread", "process"])
@pytest.mark.parametrize("way", WAYS)
def test_of_one_that_was_destroyed(way: str, place: str) -> None:
    p = getattr(octavo, place).make(Counter)
    octavo.destroy(p)
    started = [WAYS[way](p) for _ in range(200)]
    assert {type(each.exception()) for each in started} == {octavo.ProcessDied}


def started_while_workers_die(service: octavo.Service) -> list[octavo.Future[int]]:
    """600 calls; at the 200th and at the 400th one of the first two workers is killed."""
    pids = {octavo.start(service, os.getpid).result() for _ in range(8)}
    assert len(pids) == 2
    started: list[octavo.Future[int]] = []
    for number in range(600):
        if number == 200:
            assert [each.result() for each in started] == [4] * 200
        if number in (200, 400):
            os.kill(pids.pop(), signal.SIGKILL)
        started.append(octavo.start(service, four))
    return started


def errors_of(started: list[octavo.Future[int]]) -> list[BaseException]:
    return [error for each in started if (error := each.exception()) is not None]


def test_of_a_service_whose_workers_die() -> None:
    """Those that they had begun fail, and others are made."""
    service = octavo.Service.on([octavo.process], 2)
    errors = errors_of(started_while_workers_die(service))
    assert {type(each) for each in errors} <= {octavo.ProcessDied}
    assert len(errors) <= 2
    assert len(errors_of([octavo.start(service, four) for _ in range(100)])) <= 2 - len(errors)
    octavo.destroy(service)


def test_of_a_service_of_workers_of_ones_own_that_die() -> None:
    service = octavo.Service([octavo.process.make(octavo.Worker) for _ in range(2)])
    errors = errors_of(started_while_workers_die(service))
    assert {type(each) for each in errors} <= {octavo.ProcessDied, octavo.GoneError}
    while service.living():  # the timeout bounds it
        octavo.start(service, four).exception()
    none_left = octavo.start(service, four)
    assert none_left.done()
    with pytest.raises(octavo.GoneError, match="none of the 2 workers"):
        none_left.result()


def test_what_the_caller_has_to_change_is_raised_at_once() -> None:
    p = octavo.process.make(Counter)
    with pytest.raises((TypeError, octavo.UsageError), match="lock"):
        octavo.start(p.add, threading.Lock())
