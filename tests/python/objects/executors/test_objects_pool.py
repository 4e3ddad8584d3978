# SPDX-License-Identifier: Apache-2.0
"""Calls wait in the program and go to a worker that is free: who is slow keeps nobody from another, who dies takes only what had begun."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, wait_until
from kit import wait_for

pytestmark = pytest.mark.timeout(60)


def pair(*values: Any) -> tuple[int, Any]:
    return os.getpid(), values


@pytest.fixture
def two() -> Iterator[octavo.Executor]:
    with octavo.Executor(2) as workers:
        list(concurrent.futures.wait([workers.submit(time.sleep, 0.02) for _ in range(2)]).done)
        yield workers


def begun(workers: octavo.Executor, directory: Path, name: str) -> octavo.Future[Any]:
    """A call that has begun, and goes on until directory/gate is there."""
    call = workers.submit(Counter().hold, str(directory / "gate"), str(directory / name))
    wait_for((directory / name).exists, 20, "it runs")
    return call


def test_short_calls_do_not_wait_for_a_long_one(two: octavo.Executor, tmp_path: Path) -> None:
    held = begun(two, tmp_path, "held")
    short = [two.submit(pow, 2, i) for i in range(50)]
    assert [each.result(20) for each in short] == [2**i for i in range(50)]
    assert not held.done()
    (tmp_path / "gate").touch()
    assert held.result(20)


def test_short_calls_of_a_service_and_of_a_place_do_not_wait_for_a_long_one(tmp_path: Path) -> None:
    with octavo.scoped(octavo.Service.on([octavo.process], 2)) as service:
        gate = tmp_path / "gate"
        held = octavo.start(service, wait_until, str(gate))
        assert [octavo.start(service, pow, 2, i).result(20) for i in range(20)] == [2**i for i in range(20)]
        assert not held.done()
        gate.touch()
        held.result(20)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_call_does_not_go_to_a_worker_that_was_killed_while_it_was_idle(workers: int) -> None:
    for _ in range(10):
        with octavo.Executor(workers) as executor:
            idle = executor.submit(os.getpid).result(20)
            end = os.pidfd_open(idle)
            os.kill(idle, signal.SIGKILL)
            select.select([end], [], [], 20)  # its descriptors are closed
            os.close(end)
            assert executor.submit(os.getpid).result(20) != idle


def crash_at_some(i: int, log: str) -> int:
    with Path(log).open("a") as file:
        file.write(f"{i}\n")
    if i % 50 == 7:
        os._exit(1)
    return i


def test_a_death_takes_only_what_had_begun(two: octavo.Executor, tmp_path: Path) -> None:
    log = tmp_path / "log"
    calls = [two.submit(crash_at_some, i, str(log)) for i in range(200)]
    died = [i for i, call in enumerate(calls) if isinstance(call.exception(30), octavo.ProcessDied)]
    assert died == [7, 57, 107, 157]
    assert [call.result() for i, call in enumerate(calls) if i not in died] == [i for i in range(200) if i not in died]
    assert sorted(map(int, log.read_text().split())) == list(range(200))  # each once


def test_what_waits_is_cancelled_at_once(tmp_path: Path) -> None:
    with octavo.Executor(1) as workers:
        held = begun(workers, tmp_path, "held")
        waiting = [workers.submit(pow, 2, i) for i in range(100)]
        told: list[bool] = []
        waiting[5].add_done_callback(lambda f: told.append(f.cancelled()))
        assert not any(each.done() or each.running() for each in waiting)
        assert all(each.cancel() for each in waiting)
        assert all(each.cancel() and each.cancelled() and each.done() for each in waiting)
        assert told == [True]
        with pytest.raises(concurrent.futures.CancelledError):
            waiting[3].result()
        (tmp_path / "gate").touch()
        held.result(20)
        assert not held.cancel()
        assert workers.submit(pow, 2, 3).result() == 8


@pytest.mark.parametrize("short", [False, True])
def test_cancelling_waits_for_no_answer_of_a_worker(two: octavo.Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: bool) -> None:
    monkeypatch.setattr(octavo.objects.futures, "seconds_to_answer", 3600.0)  # the timeout bounds it
    if short:  # a second call is sent to each worker beside that which it runs
        concurrent.futures.wait([two.submit(pow, 2, i) for i in range(200)])
    gate = tmp_path / "gate"
    calls = [two.submit(wait_until, str(gate)) for _ in range(12)]
    assert sum(each.cancel() for each in calls) >= 8
    gate.touch()
    concurrent.futures.wait(calls, 20)
    assert all(each.done() for each in calls)
    assert 1 <= sum(not each.cancelled() for each in calls) <= 4


def test_what_waits_is_a_future_as_any_other(tmp_path: Path) -> None:
    with octavo.Executor(1) as workers:
        held = begun(workers, tmp_path, "held")
        first, second, third, fourth, last = [workers.submit(divmod, 7, i) for i in (0, 1, 2, 3, 4)]
        with pytest.raises(octavo.TimedOut):
            first.result(0.01)
        with pytest.raises(octavo.TimedOut):
            first.exception(0)
        assert concurrent.futures.wait([second], 0.01).not_done == {second}
        told: list[int] = []
        third.add_done_callback(lambda f: told.append(f.result()[0]))
        threading.Timer(0.1, (tmp_path / "gate").touch).start()
        assert isinstance(first.exception(20), ZeroDivisionError)
        assert second.result(20) == (7, 0)
        assert [each.result() for each in concurrent.futures.as_completed([third, second], 20)]
        wait_for(lambda: told == [3], 20, "the callback")

        async def wait() -> Any:
            return await fourth

        assert asyncio.run(wait()) == (2, 1)
        assert last.result() == (1, 3)
        held.result()


def test_a_call_that_waits_is_as_it_was_when_it_was_made(tmp_path: Path) -> None:
    with octavo.Executor(1) as workers:
        begun(workers, tmp_path, "held")
        values = [1]
        calls = [workers.submit(len, values)]
        values.append(2)
        for i in range(5):
            calls.append(workers.submit(lambda: i))  # noqa: B023 (that is what is asked)
        with pytest.raises(TypeError, match=r"argument 1|lock"):
            workers.submit(len, threading.Lock())
        (tmp_path / "gate").touch()
        assert [each.result(20) for each in calls] == [1, 0, 1, 2, 3, 4]


def test_callbacks_may_submit(two: octavo.Executor) -> None:
    done = threading.Event()
    seen: list[int] = []

    def again(call: Any) -> None:
        seen.append(call.result())
        if len(seen) == 50:
            done.set()
        else:
            two.submit(abs, -len(seen)).add_done_callback(again)

    two.submit(abs, 0).add_done_callback(again)
    assert done.wait(30)
    assert seen == list(range(50))


class User:
    """Has an executor of its own."""

    def use(self, calls: int) -> int:
        with octavo.Executor(2) as workers:
            return sum(each.result() for each in [workers.submit(abs, i) for i in range(calls)])

    def use_in_a_loop(self, calls: int) -> int:
        async def wait() -> int:
            with octavo.Executor(2) as workers:
                return sum(await asyncio.gather(*(asyncio.wrap_future(workers.submit(abs, i)) for i in range(calls))))

        return asyncio.run(wait())


@pytest.mark.parametrize("way", ["use", "use_in_a_loop"])
def test_an_object_uses_one(way: str) -> None:
    user = octavo.process.make(User)
    assert octavo.start(getattr(user, way), 100).result(30) == 4950
    octavo.destroy(user)


def test_what_waits_when_the_runtime_ends(tmp_path: Path) -> None:
    with octavo.Executor(1) as workers:
        held = begun(workers, tmp_path, "held")
        calls = [workers.submit(abs, i) for i in range(5)]
        workers._pool.give_up()
        (tmp_path / "gate").touch()
        assert all(isinstance(each.exception(20), octavo.GoneError) for each in calls)
        assert held.result(20)


def note(directory: str) -> None:
    (Path(directory) / str(os.getpid())).touch()


def fail(text: str, gate: str) -> None:
    wait_until(gate)
    raise LookupError(text)


def test_an_initializer_is_called_in_each_worker(tmp_path: Path) -> None:
    with octavo.Executor(2, initializer=note, initargs=(str(tmp_path),)) as workers:
        pids = {call.result() for call in [workers.submit(os.getpid) for _ in range(20)]}
    assert {str(pid) for pid in pids} <= {each.name for each in tmp_path.iterdir()}
    with pytest.raises(TypeError, match="initializer"):
        octavo.Executor(initializer=5)  # type: ignore[arg-type]


def test_an_initializer_that_raises_breaks_it(tmp_path: Path) -> None:
    with octavo.Executor(2, initializer=fail, initargs=("no model", str(tmp_path / "gate"))) as workers:
        calls = [workers.submit(abs, i) for i in range(5)]
        (tmp_path / "gate").touch()
        for each in calls:
            with pytest.raises(concurrent.futures.BrokenExecutor, match="no model") as caught:
                each.result(30)
            assert isinstance(caught.value.__cause__, LookupError)
        with pytest.raises(concurrent.futures.BrokenExecutor, match="no model"):
            workers.submit(abs, 1)


def test_memory_that_goes_to_one_process_alone_does_not_wait(tmp_path: Path) -> None:
    with octavo.Executor(1) as workers:
        begun(workers, tmp_path, "held")
        segment = octavo.Segment("of the pool", (10,))
        segment[:] = 3
        call = workers.submit(sum, segment)
        (tmp_path / "gate").touch()
        assert call.result(20) == 30
