# SPDX-License-Identifier: Apache-2.0
"""octavo.Barrier and Event: as those of threading, between threads, objects and processes; the death of one that waits is told."""

from __future__ import annotations

import functools
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import octavo as ov
import pytest
from kit import ended_by_control_c
from queue_classes import Guest

pytestmark = pytest.mark.timeout(120)
PLACES = {"process": ov.process, "thread": ov.thread}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> ov.Place:
    return PLACES[request.param]


def until_wait(barrier: ov.Barrier, count: int) -> None:
    while barrier.n_waiting != count:
        time.sleep(0.001)


@pytest.mark.parametrize("barrier", [ov.Barrier, lambda n: ov.Barrier("rows", n)])
def test_br1_all_come(place: ov.Place, barrier) -> None:  # type: ignore[no-untyped-def]
    rows = barrier(3)
    assert (rows.parties, rows.n_waiting, rows.broken) == (3, 0, False)
    guests = [place.make(Guest) for _ in range(2)]
    for _ in range(3):
        waiting = []
        for i, each in enumerate(guests):
            waiting.append(ov.start(each.wait, rows))
            until_wait(rows, i + 1)
        assert rows.wait() == 2
        assert [each.result() for each in waiting] == [0, 1]
    for each in guests:
        ov.destroy(each)


def test_br2_who_is_out_of_time_breaks_it(place: ov.Place) -> None:
    rows = ov.Barrier(3)
    guest = place.make(Guest)
    waiting = ov.start(guest.error_of_wait, rows)
    until_wait(rows, 1)
    with pytest.raises(threading.BrokenBarrierError):
        rows.wait(timeout=0.05)
    assert "out of time" in waiting.result()
    assert rows.broken
    with pytest.raises(ov.errors.BrokenBarrier):
        rows.wait()
    rows.reset()
    assert not rows.broken
    waiting = ov.start(guest.error_of_wait, rows)
    until_wait(rows, 1)
    rows.abort()
    assert "abort()" in waiting.result()
    ov.destroy(guest)


def test_br2_the_death_of_one_that_waits_is_told() -> None:
    rows = ov.Barrier(3)
    dies, lives = ov.process.make(Guest), ov.process.make(Guest)
    pid = dies.pid()
    ov.start(dies.wait, rows)
    until_wait(rows, 1)
    waiting = ov.start(lives.error_of_wait, rows)
    until_wait(rows, 2)
    os.kill(pid, signal.SIGKILL)
    said = waiting.result(timeout=60)
    assert f"pid {pid}" in said
    assert "SIGKILL" in said
    with pytest.raises(ov.errors.BrokenBarrier, match="SIGKILL"):
        rows.wait()
    ov.destroy(lives)


@pytest.mark.parametrize("came", [True, False])
def test_br3_the_death_of_one_that_does_not_wait_is_told(came: bool) -> None:
    rows = ov.Barrier(2)
    dies, lives = ov.process.make(Guest), ov.process.make(Guest)
    pid = dies.pid()
    dies.get_ready(rows)
    if came:
        first = ov.start(dies.wait, rows)
        lives.wait(rows)
        first.result()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ov.errors.BrokenBarrier, match=f"pid {pid}.*SIGKILL"):
        rows.wait()
    ov.destroy(lives)


def test_br3_deaths_at_any_moment() -> None:
    rows = ov.Barrier(3)
    others = [ov.process.make(Guest) for _ in range(2)]
    for i in range(20):
        dies = ov.process.make(Guest)
        pid = dies.pid()
        for each in (dies, *others):
            each.get_ready(rows)
        waiting = [ov.start(each.rounds, rows) for each in (*others, dies)]
        time.sleep(i * 2e-4)  # a moment of its own each time: no condition
        os.kill(pid, signal.SIGKILL)
        for each in waiting[:2]:
            assert f"pid {pid}" in each.result(timeout=60)
        with pytest.raises(ov.ProcessDied):
            waiting[2].result()
        rows.reset()
    for each in others:
        ov.destroy(each)


def test_br3_one_that_is_destroyed_in_order_breaks_nothing() -> None:
    rows = ov.Barrier(2)
    leaves, comes = ov.process.make(Guest), ov.process.make(Guest)
    leaves.get_ready(rows)
    ov.destroy(leaves)
    first = ov.start(comes.wait, rows)
    assert rows.wait() + first.result() == 1
    ov.destroy(comes)


def note(path: str) -> None:
    with Path(path).open("a") as file:
        file.write(f"{os.getpid()}\n")


@pytest.mark.parametrize("name", [None, "with an action"])
def test_br4_an_action_is_done_once_a_round_and_travels(place: ov.Place, tmp_path: Path, name: str | None) -> None:
    log = tmp_path / "log"
    rows = ov.Barrier(name, 3, functools.partial(note, str(log)))
    guests = [place.make(Guest) for _ in range(2)]
    for round in range(1, 5):
        waiting = [ov.start(each.wait, rows) for each in guests]
        places = [rows.wait()]
        assert len(log.read_text().split()) == round
        assert sorted(places + [each.result() for each in waiting]) == [0, 1, 2]
    for each in guests:
        ov.destroy(each)


def test_br4_an_action_that_raises_breaks_it() -> None:
    guest = ov.process.make(Guest)
    rows = ov.Barrier(2, lambda: 1 / 0)
    waiting = ov.start(guest.error_of_wait, ov.Barrier(rows.name, 2))  # which has no action
    with pytest.raises(ZeroDivisionError):
        rows.wait()
    assert "action" in waiting.result()
    assert rows.broken
    ov.destroy(guest)


def test_a_barrier_has_a_time() -> None:
    for rows in (ov.Barrier(2, timeout=0.01), ov.Barrier(2, None, 0.01), ov.Barrier("timed", 2, None, 0.01), ov.Barrier(parties=2, timeout=0.01)):
        with pytest.raises(threading.BrokenBarrierError):
            rows.wait()
        rows.reset()
        with pytest.raises(threading.BrokenBarrierError):
            pickle.loads(pickle.dumps(rows)).wait()


def test_br2_control_c_breaks_it(place: ov.Place) -> None:
    rows = ov.Barrier(3)
    guest = place.make(Guest)
    waiting = ov.start(guest.error_of_wait, rows)
    until_wait(rows, 1)
    with ended_by_control_c():
        rows.wait()
    assert "called away" in waiting.result()
    ov.destroy(guest)


def test_ev1_an_event_is_waited_for(place: ov.Place) -> None:
    loaded = ov.Event()
    guest = place.make(Guest)
    assert not loaded.is_set()
    assert loaded.wait(timeout=0.05) is False
    waiting = ov.start(guest.wait, loaded)
    with pytest.raises(ov.TimedOut):
        waiting.result(timeout=0.05)
    loaded.set()
    assert waiting.result() is True
    assert loaded.wait() is True
    loaded.clear()
    assert not guest.is_set(loaded)
    ov.destroy(guest)


def test_ev2_what_is_set_is_seen() -> None:
    loaded = ov.Event()
    guest = ov.process.make(Guest)
    for _ in range(100):
        loaded.set()
        assert guest.is_set(loaded)
        loaded.clear()
        assert not guest.is_set(loaded)
    ov.destroy(guest)


def test_ev3_a_dead_waiter_is_forgotten() -> None:
    loaded = ov.Event("loaded")
    dies = ov.process.make(Guest)
    pid = dies.pid()
    waiting = ov.start(dies.wait, loaded)
    with pytest.raises(ov.TimedOut):
        waiting.result(timeout=0.05)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ov.ProcessDied):
        waiting.result()
    loaded.set()
    assert loaded.wait(timeout=60)
    loaded.clear()


def test_they_travel_and_are_compared() -> None:
    for each in (ov.Barrier(2), ov.Barrier("b", 2), ov.Event(), ov.Event("e")):
        again = pickle.loads(pickle.dumps(each))
        assert again == each
        assert (hash(again), repr(again)) == (hash(each), repr(each))
    assert ov.Barrier("b", 2) != ov.Event("b")
    assert ov.Event() != ov.Event()


def test_mistakes_are_said() -> None:
    ov.Barrier("of two", 2)
    with pytest.raises(ov.UsageError, match="parties"):
        ov.Barrier("of two", 3)
    for wrong in (lambda: ov.Barrier("b"), lambda: ov.Barrier(0), lambda: ov.Barrier(), lambda: ov.Barrier(2, 3), lambda: ov.Event(3)):  # type: ignore[call-overload, arg-type]
        with pytest.raises(ov.UsageError):
            wrong()
