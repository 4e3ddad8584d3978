# SPDX-License-Identifier: Apache-2.0
"""Started calls: their order, and that their futures are those of concurrent.futures, can be awaited, cancelled and timed."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import octavo
import pytest
from busy_kit import Busy
from hosted_classes import Counter, Echo
from kit import wait_for

pytestmark = pytest.mark.timeout(60)


class AsksWhenItArrives:
    """Its unpickling waits for another started call."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ask_another, ()


def ask_another() -> int:
    return octavo.start(octavo.process.make(Counter).add, 7).result(20)


def test_a_result_may_wait_for_another_while_it_is_unpickled(echo: Echo) -> None:
    assert octavo.start(echo.same, AsksWhenItArrives()).result(30) == 7
    assert octavo.start(echo.apply, AsksWhenItArrives).result(30) == 7


def test_started_calls_run_in_the_order_in_which_they_were_begun() -> None:
    p = octavo.process.make(Counter)
    calls = [octavo.start(p.add, i) for i in range(1000)]
    assert p.history == list(range(1000))
    assert [call.result() for call in calls] == [sum(range(i + 1)) for i in range(1000)]


def test_a_future_is_one_of_the_standard_library(busy: Busy) -> None:
    call = octavo.start(busy.p.add, 1)
    assert isinstance(call, octavo.Future)
    assert isinstance(call, concurrent.futures.Future)
    assert not call.done()
    assert not call.cancelled()
    assert "Future" in repr(call)
    busy.let_go()
    assert call.result() == call.result() == 1
    assert call.done()
    assert call.exception() is None
    assert "finished" in repr(call)


def test_start_returns_at_once_while_the_object_is_busy(busy: Busy) -> None:
    calls = [octavo.start(busy.p.add, 1) for _ in range(5000)]
    assert not any(call.done() for call in calls)
    busy.let_go()
    assert calls[-1].result() == 5000
    assert busy.p.history == [1] * 5000


def test_what_waits_for_a_busy_object_keeps_its_order_with_calls_that_wait(busy: Busy) -> None:
    calls = [octavo.start(busy.p.add, i) for i in range(500)]
    threading.Timer(0.3, busy.let_go).start()
    assert busy.p.add(500) == sum(range(501))
    assert busy.p.history == list(range(501))
    assert all(call.done() for call in calls)


def test_calls_that_wait_for_a_busy_object_fail_with_it(busy: Busy) -> None:
    pid = next(each.pid for each in octavo.watching.processes() if each.address == octavo.watching.address(busy.p))
    calls = [octavo.start(busy.p.add, 1) for _ in range(500)]
    os.kill(pid, signal.SIGKILL)
    for call in calls:
        with pytest.raises(octavo.ProcessDied):
            call.result(20)


def test_two_objects_start_calls_at_each_other() -> None:
    pair = [octavo.process.make(Starter), octavo.process.make(Starter)]
    for one, other in (pair, reversed(pair)):
        one.know(other)
    counts = [octavo.start(p.start_there, 3000) for p in pair]
    assert [count.result(30) for count in counts] == [3000, 3000]
    assert [p.wait_for_all() for p in pair] == [3000, 3000]
    assert [p.value for p in pair] == [3000, 3000]


class Starter(Counter):
    """Starts calls at another object and waits for none."""

    def know(self, other: Counter) -> None:
        self.add_there = other.add

    def start_there(self, n: int) -> int:
        self.calls = [octavo.start(self.add_there, 1) for _ in range(n)]
        return len(self.calls)

    def wait_for_all(self) -> int:
        return len([call.result(20) for call in self.calls])


def test_start_returns_at_once_with_a_large_argument(busy: Busy) -> None:
    call = octavo.start(busy.p.fail, ValueError(bytes(8 << 20)))
    assert not call.done()
    busy.let_go()
    assert isinstance(call.exception(), ValueError)


@pytest.mark.parametrize("callback", [False, True], ids=["", "with a callback"])
def test_a_result_with_a_timeout(busy: Busy, callback: bool) -> None:
    call = octavo.start(busy.p.add, 1)
    if callback:
        call.add_done_callback(lambda _: None)
    for ask in (call.result, call.exception):
        for seconds in (0, 0.05):
            with pytest.raises(octavo.TimedOut) as caught:
                ask(seconds)
            assert isinstance(caught.value, TimeoutError)
            assert isinstance(caught.value, concurrent.futures.TimeoutError)  # another class on 3.10
    busy.let_go()
    assert call.result(20) == 1


def test_wait_and_as_completed(busy: Busy) -> None:
    q = octavo.process.make(Counter)
    slow: octavo.Future[Any]
    fast: octavo.Future[Any]
    failed: octavo.Future[Any]
    slow, fast, failed = octavo.start(busy.p.add, 1), octavo.start(q.add, 2), octavo.start(q.fail, KeyError("k"))
    done, late = concurrent.futures.wait([slow, fast, failed], 10, concurrent.futures.FIRST_EXCEPTION)
    assert failed in done
    assert slow in late
    order = concurrent.futures.as_completed([slow, fast, failed], 10)
    assert {next(order), next(order)} == {fast, failed}
    busy.let_go()
    assert next(order) is slow
    assert concurrent.futures.wait([slow, fast, failed], 10).not_done == set()


def test_callbacks_are_called_once(busy: Busy) -> None:
    call = octavo.start(busy.p.add, 1)
    calls: list[Any] = []
    call.add_done_callback(calls.append)
    call.add_done_callback(lambda _: 1 / 0)  # is logged
    call.add_done_callback(lambda f: calls.append(f.result()))
    busy.let_go()
    wait_for(lambda: len(calls) == 2, 20, "both callbacks")
    assert calls == [call, 1]
    call.add_done_callback(calls.append)
    assert calls == [call, 1, call]


def test_a_callback_starts_further_calls() -> None:
    p = octavo.process.make(Counter)
    got: list[int] = []

    def again(f: concurrent.futures.Future[int]) -> None:
        got.append(f.result())
        if len(got) < 20:
            octavo.start(p.add, 1).add_done_callback(again)

    octavo.start(p.add, 1).add_done_callback(again)
    wait_for(lambda: len(got) == 20, 20, "all of them")
    assert got == list(range(1, 21))


def test_exceptions_by_result_and_exception() -> None:
    p = octavo.process.make(Counter)
    call = octavo.start(p.fail, LookupError("x"))
    error = call.exception()
    assert isinstance(error, LookupError)
    assert type(error.__cause__).__name__ == "RemoteTraceback"
    with pytest.raises(LookupError) as caught:
        call.result()
    assert caught.value is error


def test_await() -> None:
    p, q = octavo.process.make(Counter), octavo.process.make(Counter)

    async def main() -> list[Any]:
        one = await octavo.start(p.add, 1)
        both = await asyncio.gather(octavo.start(p.add, 1), asyncio.wrap_future(octavo.start(q.add, 5)))
        with pytest.raises(KeyError):
            await octavo.start(q.fail, KeyError("k"))
        done = octavo.start(p.add, 1)
        assert done.result() == 3
        made = await octavo.start(octavo.process.make, Counter, 7)
        return [one, *both, await done, await done, made.value]

    assert asyncio.run(main()) == [1, 2, 5, 3, 3, 7]


def test_await_with_a_timeout(busy: Busy) -> None:
    async def main() -> int:
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(octavo.start(busy.p.add, 1))), 0.05)
        last = octavo.start(busy.p.add, 1)
        busy.let_go()
        return await last

    assert asyncio.run(main()) == 2


def test_many_threads_wait_for_one_future() -> None:
    p = octavo.process.make(Counter)
    with ThreadPoolExecutor(6) as pool:
        for i in range(1, 101):
            call = octavo.start(p.add, 1)
            gate = threading.Barrier(6)

            def ask(k: int, call: octavo.Future[int] = call, gate: threading.Barrier = gate) -> Any:
                gate.wait()
                return call.result(20) if k % 2 else (call.exception(20), call.result(20))[1]

            assert list(pool.map(ask, range(6))) == [i] * 6


def test_a_dropped_future_still_runs() -> None:
    p = octavo.process.make(Counter)
    for _ in range(100):
        octavo.start(p.add, 1)
    gc.collect()
    assert p.add(1) == 101


def test_objects_are_made_in_parallel() -> None:
    makings = [octavo.start(octavo.process.make, Counter, i) for i in range(4)]
    objects = [making.result() for making in makings]
    assert [p.value for p in objects] == [0, 1, 2, 3]
    assert len({p.pid() for p in objects}) == 4
    with pytest.raises(TypeError):
        octavo.start(octavo.process.make, Counter, 1, 2, 3).result()  # type: ignore[arg-type]
    assert isinstance(octavo.start(octavo.thread.make, Counter, 1).result().pid(), int)


def test_arguments_of_any_name(echo: Echo) -> None:
    names = dict.fromkeys(["method", "call", "args", "kwargs", "arguments", "name", "function", "pointer"], 1)
    assert echo.everything(**names) == ((), names)
    assert octavo.start(echo.everything, 1, **names).result() == ((1,), names)


def test_what_cannot_be_started_is_refused() -> None:
    for what in (Counter, len, Counter().add, 5):
        with pytest.raises(octavo.UsageError, match=r"octavo\.start"):
            octavo.start(what, 1)  # type: ignore[arg-type]
