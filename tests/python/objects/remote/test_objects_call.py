# SPDX-License-Identifier: Apache-2.0
"""call(): a function runs where the object is, with the object itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
import pytest
from busy_kit import Busy
from hosted_classes import Counter, Echo, Friend
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


def raise_value(counter: Counter, factor: int = 2, *, plus: int = 0) -> int:
    counter.value = counter.value * factor + plus
    return counter.value


def test_it_runs_there_with_the_object_itself() -> None:
    counter = ov.process.make(Counter, 5)
    assert ov.call(counter, raise_value) == 10
    assert ov.call(counter, raise_value, 3, plus=1) == counter.value == 31
    assert ov.call(counter, lambda object: (os.getpid(), type(object).__name__)) == (counter.pid(), "Counter")
    assert ov.call(counter, Counter.add, 4) == 35


def test_it_runs_on_every_place() -> None:
    assert ov.call(ov.thread.make(Counter, 5), raise_value) == 10
    assert ov.call(ov.process.make(list, (3, 1, 2)), sorted) == [1, 2, 3]
    assert ov.call(ov.process.make(list, (3, 1, 2)), len) == 3


def test_of_a_place_it_runs_in_a_worker_there() -> None:
    async def later(x: int) -> int:
        return x + 1

    assert ov.call(ov.process, pow, 2, 10) == ov.start(ov.call, ov.process, pow, 2, 10).result() == 1024
    assert ov.call(ov.process, sorted, [1, 3, 2], reverse=True) == [3, 2, 1]
    assert ov.call(ov.process, os.getpid) != os.getpid()
    assert ov.call(ov.thread, os.getpid) == os.getpid()
    assert ov.call(ov.process, later, 1) == 2
    with pytest.raises(ZeroDivisionError):
        ov.call(ov.process, divmod, 1, 0)
    for begin in (ov.call, ov.start, lambda *given: ov.start(ov.call, *given)):
        with pytest.raises(ov.UsageError, match="a place calls functions, not int"):
            begin(ov.process, 3)


def test_arrays_and_pointers_are_arguments_and_results(shared_counter: Counter) -> None:
    data = ov.process.make(ov.RemoteArray[float], np.arange(5.0))
    assert ov.call(data, lambda block, by: block[:] @ by, np.ones(5)) == 10
    ov.call(data, lambda block: block[:].sort())
    assert ov.call(data, lambda block: block[::2] * 2).tolist() == [0, 4, 8]
    assert ov.call(data, lambda block, p: p, shared_counter) == shared_counter
    assert ov.call(data, lambda block, p: p.pid(), shared_counter) == shared_counter.pid()


def test_started_calls_run_in_their_order() -> None:
    counter = ov.process.make(Counter, 1)
    begun = [ov.start(ov.call, counter, raise_value), ov.start(counter.add, 1), ov.start(ov.call, counter, raise_value, 10, plus=5)]
    assert [each.result() for each in begun] == [2, 3, 35]


def test_it_waits_its_turn(busy: Busy) -> None:
    later = ov.start(ov.call, busy.p, lambda counter: os.getpid())
    assert not later.done()
    busy.let_go()
    assert later.result(20) == busy.p.pid()


def test_it_may_call_back_its_caller() -> None:
    friend = ov.process.make(Friend)
    other = ov.process.make(Friend, friend)

    def ask(there: Friend, caller: Friend, target: Any) -> Any:
        return ov.call(target, lambda object, to: to.hear("back"), caller)

    assert ov.call(friend, ask, friend, other) == 1


def test_what_it_raises_arrives_as_itself(shared_counter: Counter) -> None:
    def fail(counter: Counter) -> None:
        raise KeyError("nothing")

    with pytest.raises(KeyError, match="nothing") as caught:
        ov.call(shared_counter, fail)
    assert "in fail" in str(caught.value.__cause__)
    with pytest.raises(KeyError):
        ov.start(ov.call, shared_counter, fail).result()
    with pytest.raises(TypeError, match="keyword"):
        ov.call(shared_counter, len, plus=1)


def test_what_it_cannot_do_is_said_here(shared_counter: Counter) -> None:
    for begin in (ov.call, lambda *given: ov.start(ov.call, *given)):
        with pytest.raises(ov.UsageError, match=r"call\(\) takes a remote pointer, not Counter"):
            begin(Counter(), raise_value)
        with pytest.raises(ov.UsageError, match=r"call\(\) takes a function of the object, not int"):
            begin(shared_counter, 3)
    with pytest.raises(TypeError, match="pickle"):
        ov.call(shared_counter, lambda counter, lock: None, threading.Lock())
    with pytest.raises(TypeError):
        ov.start(ov.call)


def test_a_generator_is_read_here_and_a_coroutine_waited_for() -> None:
    def numbers(counter: Counter) -> Iterator[int]:
        yield counter.value
        yield os.getpid()

    async def later(counter: Counter) -> int:
        return counter.value

    counter = ov.process.make(Counter, 5)
    assert list(ov.call(counter, numbers)) == [5, counter.pid()]
    assert list(ov.start(ov.call, counter, numbers).result()) == [5, counter.pid()]
    assert ov.call(counter, later) == 5


def test_a_remote_method_is_a_function(echo: Echo, shared_counter: Counter) -> None:
    assert ov.call(shared_counter, echo.kind) is Counter


def test_functions_of_main_travel_by_value(tmp_path: Path) -> None:
    text = """
    factor = 3
    def times(counter, n=1):
        return counter.value * factor * n
    if __name__ == "__main__":
        p = octavo.process.make(Counter, 5)
        print(octavo.call(p, times), octavo.start(octavo.call, p, times, n=2).result(), octavo.call(p, lambda c: c.value + factor))
    """
    assert run_program(tmp_path, text) == "15 30 8\n"
