# SPDX-License-Identifier: Apache-2.0
"""A Service: each call goes to the worker with the fewest, among equals to the machine with the least load; what dies is left out."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Busy, Counter, Helper, wait_until
from kit import is_alive, wait_for

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[octavo.Runtime]:
    with octavo.Runtime(engine=octavo.played(["box", "attic"])) as made:
        yield made


@pytest.fixture
def places(runtime: octavo.Runtime) -> list[octavo.Place]:
    return [runtime.machine("box"), runtime.machine("attic")]


class Loads:
    """Plays the loads of machines, by agent; who was asked."""

    def __init__(self) -> None:
        self.of: dict[int, float] = {}
        self.asked: list[int] = []

    def __call__(self, idle: octavo.Worker) -> Any:
        agent = octavo.watching.address(idle).agent
        self.asked.append(agent)
        answer: Future[float] = Future()
        answer.set_result(self.of[agent])
        return answer


def agents(service: octavo.Service) -> list[int]:
    return [octavo.watching.address(worker).agent for worker in service.workers()]


def pids(service: octavo.Service) -> list[int]:
    return [worker.call(os.getpid, (), {}) for worker in service.workers()]


def chosen(service: octavo.Service, calls: int) -> list[int]:
    """By which worker each was run."""
    known = pids(service)
    return [known.index(octavo.call(service, os.getpid)) for _ in range(calls)]


def test_functions_are_called_by_workers_of_all_places(places: list[octavo.Place]) -> None:
    service = octavo.Service.on(places, 2)
    assert len(set(agents(service))) == 2
    assert sum(call.result() for call in [octavo.start(service, lambda r: 3 * r * r, r) for r in range(1, 101)]) == 1015050
    assert octavo.call(service, math.hypot, 3, 4) == 5
    assert octavo.call(service, sorted, [1, 3, 2], reverse=True) == [3, 2, 1]
    assert octavo.start(octavo.call, service, math.hypot, 6, 8).result() == 10
    with pytest.raises(ZeroDivisionError):
        octavo.call(service, divmod, 1, 0)
    alive = pids(service)
    octavo.destroy(service)
    wait_for(lambda: not any(map(is_alive, alive)), 20, "its workers have ended")
    with pytest.raises(octavo.GoneError, match="none of the 4 workers"):
        octavo.call(service, math.hypot, 3, 4)
    octavo.destroy(service)


def test_equals_take_turns_and_the_fewest_calls_come_first(tmp_path: Path) -> None:
    with octavo.scoped(octavo.Service.on([octavo.process], 3)) as service:
        assert sorted(chosen(service, 6)) == [0, 0, 1, 1, 2, 2]
        gate = tmp_path / "gate"
        held = [octavo.start(service, wait_until, str(gate)) for _ in range(2)]
        assert sorted(service.under_way()) == [0, 1, 1]
        (idle,) = (i for i, calls in enumerate(service.under_way()) if calls == 0)
        pid = service.workers()[idle].call(os.getpid, (), {})
        assert {octavo.call(service, os.getpid) for _ in range(4)} == {pid}
        gate.touch()
        for each in held:
            each.result()
        assert service.under_way() == [0, 0, 0]


def test_among_equals_the_machine_with_the_least_load(places: list[octavo.Place]) -> None:
    loads = Loads()
    with octavo.scoped(octavo.Service.on(places, 2, load=loads, every=0)) as service:
        first, second, *_ = agents(service)
        loads.of = {first: 0.9, second: 0.1}
        chosen(service, 1)  # the question goes with the call that needs it
        assert set(chosen(service, 6)) == {1, 3}
        assert service.loads() == [0.9, 0.1, 0.9, 0.1]
        loads.of = {first: 0.3, second: 0.3}
        chosen(service, 1)
        assert sorted(chosen(service, 8)) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_machine_is_asked_only_where_it_matters_and_not_too_often(places: list[octavo.Place]) -> None:
    loads = Loads()
    with octavo.scoped(octavo.Service.on(places[:1], 2, load=loads, every=0)) as service:
        chosen(service, 5)
    assert loads.asked == []
    with octavo.scoped(octavo.Service.on(places, 1, load=loads, every=3600)) as service:
        loads.of = dict.fromkeys(agents(service), 0.5)
        chosen(service, 5)
        assert sorted(loads.asked) == sorted(agents(service))


def test_no_call_waits_for_a_load_that_is_not_said(places: list[octavo.Place]) -> None:
    kept: list[Future[float]] = []

    def never(_: octavo.Worker) -> Any:
        kept.append(Future())
        return kept[-1]

    with octavo.scoped(octavo.Service.on(places, 1, load=never, every=0)) as service:
        assert sorted(chosen(service, 4)) == [0, 0, 1, 1]
        assert len(kept) == 2
        kept[1 - chosen(service, 1)[0]].set_result(0.2)  # one of both
        assert len(set(chosen(service, 4))) == 1
    for raises in (lambda _: 1 / 0, lambda _: None):
        with octavo.scoped(octavo.Service.on(places, 1, load=raises, every=0)) as service:  # type: ignore[arg-type,return-value]
            assert sorted(chosen(service, 4)) == [0, 0, 1, 1]


def test_the_system_says_the_load(places: list[octavo.Place]) -> None:
    with octavo.scoped(octavo.Service.on(places, 1, every=0)) as service:
        assert service.loads() == [1, 1]
        wait_for(lambda: octavo.call(service, len, "a") == 1 and 1.0 not in service.loads(), 20, "both have said it")


@pytest.mark.parametrize("when", ["idle", "busy"])
def test_a_worker_of_ones_own_that_dies_is_left_out(when: str, tmp_path: Path) -> None:
    with octavo.scoped(octavo.Service([octavo.process.make(octavo.Worker) for _ in range(2)])) as service:
        one, other = pids(service)
        if when == "busy":
            began = tmp_path / "began"
            held = octavo.start(service, Counter().hold, str(tmp_path / "gate"), str(began))
            wait_for(began.exists, 20, "it runs")
            os.kill(one, signal.SIGKILL)
            with pytest.raises(octavo.ProcessDied):
                held.result()
        else:
            os.kill(one, signal.SIGKILL)
            wait_for(lambda: not is_alive(one), 20, "it is dead")
        found: list[int] = []
        for _ in range(6):
            try:
                found.append(octavo.call(service, os.getpid))
            except octavo.ProcessDied:  # one that was sent before the death was known
                assert when == "idle"
        assert set(found) == {other}
        assert len(found) >= 5
        assert len(service.living()) == 1
        os.kill(other, signal.SIGKILL)
        with pytest.raises(octavo.GoneError):
            for _ in range(3):
                octavo.call(service, os.getpid)
        with pytest.raises(octavo.GoneError, match="none of the 2 workers"):
            octavo.call(service, os.getpid)


def answers(service: octavo.Service, tries: int) -> list[int]:
    """The processes that answer; a call that was sent before a death was known may fail by it."""
    found: list[int] = []
    for _ in range(tries):
        with contextlib.suppress(octavo.ProcessDied):
            found.append(octavo.call(service, os.getpid))
    return found


@pytest.mark.parametrize("when", ["idle", "busy"])
@pytest.mark.parametrize("how_many", [1, 2])
def test_a_worker_that_dies_is_made_anew(places: list[octavo.Place], when: str, how_many: int, tmp_path: Path) -> None:
    with octavo.scoped(octavo.Service.on(places, 1)) as service:
        before, machines = pids(service), agents(service)
        dead = before[:how_many]
        if when == "busy":
            began = [tmp_path / f"began {i}" for i in range(2)]
            held = [octavo.start(service, Counter().hold, str(tmp_path / "gate"), str(each)) for each in began]
            wait_for(lambda: all(each.exists() for each in began), 20, "they run")
        for pid in dead:
            os.kill(pid, signal.SIGKILL)
        if when == "busy":
            (tmp_path / "gate").touch()
            errors = [str(error) for each in held if (error := each.exception()) is not None]
            assert len(errors) == how_many
            assert all(any(f"pid {pid}" in error for error in errors) for pid in dead), "they name it"
        wait_for(lambda: len(set(answers(service, 6)) - set(dead)) == 2, 30, "there are two again")
        assert len(service.workers()) == len(service.living()) == 2
        assert agents(service) == machines, "each is where it was"
        assert not set(pids(service)) & set(dead)
        assert set(pids(service)) >= set(before) - set(dead)


def test_one_that_was_ended_makes_none_anew() -> None:
    for end in (octavo.destroy, octavo.kill):
        service = octavo.Service.on([octavo.process], 2)
        alive = pids(service)
        end(service)
        wait_for(lambda: not any(map(is_alive, alive)), 20, "its workers have ended")  # noqa: B023
        with pytest.raises(octavo.GoneError):
            for _ in range(3):
                octavo.call(service, os.getpid)
        with pytest.raises(octavo.GoneError, match="none of the 2 workers"):
            octavo.call(service, os.getpid)


def test_where_none_can_be_made_anew_a_call_says_why(tmp_path: Path) -> None:
    with octavo.scoped(octavo.Service.on([octavo.process], 1)) as service:
        (pid,) = pids(service)
        service._places = [octavo.Place("a machine that is not there", machine="moon")]  # as if that had been lost
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(octavo.GoneError, match="none could be made anew") as said:
            for _ in range(3):
                answers(service, 1)
        assert isinstance(said.value.__cause__, octavo.Error)
        service._places = [octavo.process]
        assert octavo.call(service, os.getpid) != pid


def call_one_that_is_gone(p: Any) -> None:
    p.add(1)


def test_a_worker_whose_function_meets_a_death_lives_on() -> None:
    gone = octavo.process.make(Counter)
    octavo.destroy(gone)
    with octavo.scoped(octavo.Service.on([octavo.process], 1)) as service:
        for _ in range(2):
            with pytest.raises(octavo.GoneError) as raised:
                octavo.call(service, call_one_that_is_gone, gone)
            assert octavo.errors.origin(raised.value) is not None
        assert octavo.call(service, len, "ab") == 2


def test_an_executor_does_without_a_worker_that_died_idle() -> None:
    with octavo.Executor(1) as workers:
        pid = workers.submit(os.getpid).result()
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not is_alive(pid), 20, "it is dead")
        tries = 0
        while True:
            tries += 1
            try:
                assert workers.submit(os.getpid).result() != pid
                break
            except octavo.ProcessDied:
                assert tries < 3


def test_of_workers_of_ones_own_and_what_is_none() -> None:
    mine = [octavo.process.make(octavo.Worker), octavo.thread.make(octavo.Worker)]
    service = octavo.Service(mine)
    assert service.workers() == service.living() == mine
    assert sorted({octavo.call(service, os.getpid) for _ in range(4)} - {os.getpid()}) == sorted({worker.call(os.getpid, (), {}) for worker in mine[:1]})
    with pytest.raises(octavo.UsageError, match="without workers"):
        octavo.Service([])
    with pytest.raises(octavo.UsageError, match="pointer"):
        octavo.Service([octavo.Worker()])
    with pytest.raises(octavo.UsageError, match="calls functions"):
        octavo.start(service, 5)  # type: ignore[call-overload]
    octavo.destroy(service)


def test_where_one_cannot_be_made_none_is_left(places: list[octavo.Place]) -> None:
    agent = octavo.watching.address(places[0].make(Counter)).agent  # others of the user may run programs meanwhile

    def on_box() -> int:
        return sum(each.agent_id == agent for each in octavo.watching.processes())

    before = on_box()
    with pytest.raises(octavo.Error):
        octavo.Service.on([places[0], octavo.Place("a machine that is not there", machine="moon")], 2)
    wait_for(lambda: on_box() == before, 30, "its workers have ended")


def test_any_thread_may_use_it() -> None:
    with octavo.scoped(octavo.Service.on([octavo.process], 2)) as service, ThreadPoolExecutor(8) as pool:
        gate = threading.Barrier(8)

        def use(k: int) -> int:
            gate.wait()
            return sum(octavo.call(service, int.__add__, k, i) for i in range(50))

        assert list(pool.map(use, range(8))) == [50 * k + 1225 for k in range(8)]
        assert service.under_way() == [0, 0]


def test_an_object_that_begins_calls_is_called_back_meanwhile(runtime: octavo.Runtime) -> None:
    busy, helper = octavo.process.make(Busy), octavo.process.make(Helper)
    busy.set(busy, helper, [octavo.process.make(octavo.Worker) for _ in range(3)])
    assert octavo.start(busy.begin, 500).result(50) == ([2, 2, 2], 501)
    octavo.destroy(busy)
    octavo.destroy(helper)
