# SPDX-License-Identifier: Apache-2.0
"""octavo.Mutex, Semaphore and Condition: as those of threading, between threads, objects and processes; the death of a holder is told."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import octavo as ov
import pytest
from kit import ended_by_control_c
from locking_classes import Locker

pytestmark = pytest.mark.timeout(120)
PLACES = {"process": ov.process, "thread": ov.thread}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> ov.Place:
    return PLACES[request.param]


def cells() -> ov.Segment:
    return ov.Segment(None, 4, "i8")


@pytest.mark.parametrize("name", [None, "table"])
def test_a_mutex_is_one_for_all(place: ov.Place, name: str | None) -> None:
    mutex, counted = ov.Mutex(name), cells()
    lockers = [place.make(Locker) for _ in range(3)]
    under_way = [ov.start(each.increment, mutex, counted, 300) for each in lockers]
    for _ in range(300):
        with mutex:
            counted[0] += 1
    for each in under_way:
        each.result()
    assert counted[0] == 1200
    assert lockers[0].same(mutex, mutex.name)
    for each in lockers:
        ov.destroy(each)


def test_between_threads() -> None:
    mutex, counted = ov.Mutex(), cells()
    threads = [threading.Thread(target=Locker().increment, args=(mutex, counted, 500)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert counted[0] == 2000


def test_acquire_and_release_are_those_of_threading(place: ov.Place) -> None:
    mutex = ov.Mutex()
    holder = place.make(Locker)
    assert not mutex.locked()
    assert mutex.acquire()
    assert mutex.locked()
    with pytest.raises(ov.UsageError, match="not recursive"):
        mutex.acquire()
    mutex.release()
    with pytest.raises(ov.UsageError, match="does not have it"):
        mutex.release()
    assert not mutex.locked()
    holder.hold(mutex)
    assert mutex.locked()
    assert not mutex.acquire(blocking=False)
    assert not mutex.acquire(False)
    assert not mutex.acquire(timeout=0.05)
    assert not mutex.acquire(timeout=0)
    with pytest.raises(ValueError, match="non-blocking"):
        mutex.acquire(False, timeout=1)
    with pytest.raises(ValueError, match="non-negative"):
        mutex.acquire(timeout=-2)
    with pytest.raises(ov.UsageError, match="does not have it"):
        mutex.release()
    letting = threading.Timer(0.2, holder.let_go, [mutex])
    letting.start()
    assert mutex.acquire(timeout=60)
    mutex.release()
    letting.join()
    ov.destroy(holder)


def test_a_lock_travels_and_is_compared() -> None:
    for lock in (ov.Mutex(), ov.Mutex("m"), ov.Semaphore("s", 3), ov.Semaphore(initial=2), ov.Condition("c"), ov.Condition()):
        again = pickle.loads(pickle.dumps(lock))
        assert again == lock
        assert hash(again) == hash(lock)
        assert repr(again) == repr(lock)
    assert ov.Mutex("a") != ov.Mutex("b")
    assert ov.Mutex() != ov.Mutex()
    assert ov.Mutex("a") != ov.Condition("a")


@pytest.mark.parametrize("name", [None, "changed"])
def test_a_condition_of_a_mutex_that_is_given(name: str | None) -> None:
    mutex = ov.Mutex("of a condition")
    for changed in (ov.Condition(mutex), ov.Condition(name, mutex), ov.Condition(name, mutex=mutex)):
        assert changed.mutex == mutex
        with changed:
            assert mutex.locked()
            assert not changed.wait(timeout=0)
        assert pickle.loads(pickle.dumps(changed)).mutex == mutex
    assert ov.Condition(mutex) != ov.Condition(mutex)
    for wrong in (lambda: ov.Condition(threading.Lock()), lambda: ov.Condition("c", threading.Lock()), lambda: ov.Condition(mutex, mutex)):  # type: ignore[arg-type]
        with pytest.raises(ov.UsageError):
            wrong()


def test_a_dead_holder_is_told_once() -> None:
    mutex = ov.Mutex()
    holder = ov.process.make(Locker)
    pid = holder.hold(mutex)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ov.errors.LockAbandoned, match="SIGKILL") as raised:
        mutex.acquire(timeout=60)
    assert isinstance(raised.value, ov.GoneError)
    assert not mutex.locked()
    assert mutex.acquire(timeout=60)
    mutex.release()


def test_who_waits_is_told_of_the_death_of_the_holder() -> None:
    mutex = ov.Mutex()
    holder = ov.process.make(Locker)
    pid = holder.hold(mutex)
    killing = threading.Timer(0.2, os.kill, [pid, signal.SIGKILL])
    killing.start()
    with pytest.raises(ov.errors.LockAbandoned):
        mutex.acquire()
    killing.join()


def test_a_semaphore_has_so_many_units(place: ov.Place) -> None:
    units, guard, counted = ov.Semaphore(initial=2), ov.Mutex(), cells()
    lockers = [place.make(Locker) for _ in range(4)]
    most = [each.result() for each in [ov.start(locker.units, units, guard, counted, 10) for locker in lockers]]
    assert max(most) <= 2
    assert counted[0] == 0
    assert units.acquire()
    assert units.acquire(timeout=60)
    assert not units.acquire(blocking=False)
    assert not units.acquire(timeout=0.05)
    units.release(2)
    assert units.acquire(False)
    units.release()
    for each in lockers:
        ov.destroy(each)


def test_a_semaphore_of_another_size() -> None:
    ov.Semaphore("of four", 4)
    with pytest.raises(ov.UsageError):
        ov.Semaphore("of four", 3)
    with pytest.raises(ov.UsageError, match="has no name"):
        ov.Semaphore(4)  # type: ignore[arg-type]
    with pytest.raises(ov.UsageError):
        ov.Mutex(3)  # type: ignore[arg-type]


def test_turns_by_a_condition(place: ov.Place) -> None:
    changed, turn = ov.Condition(), cells()
    players = [place.make(Locker) for _ in range(3)]
    playing = [ov.start(each.take_turns, changed, turn, i, 3, 50) for i, each in enumerate(players)]
    for each in playing:
        each.result()
    assert turn[0] == 0
    for each in players:
        ov.destroy(each)


def test_a_wait_that_is_not_notified() -> None:
    changed = ov.Condition()
    with pytest.raises(ov.UsageError, match="without holding"):
        changed.wait(0.1)
    with changed:
        begin = time.monotonic()
        assert changed.wait(timeout=0.3) is False
        assert time.monotonic() - begin >= 0.3
        assert changed.wait_for(lambda: 0, timeout=0.05) == 0
        assert changed.wait_for(lambda: 7) == 7
    assert changed.acquire(timeout=60)
    changed.release()


def test_a_notification_by_who_does_not_have_the_mutex() -> None:
    changed = ov.Condition()
    for notify in (changed.notify, changed.notify_all, lambda: changed.notify(2)):
        with pytest.raises(ov.UsageError, match="does not have its mutex"):
            notify()
    with changed:
        changed.notify()
        changed.notify_all()
        with pytest.raises(ov.UsageError, match=r"notifies 2\.5 threads"):
            changed.notify(2.5)  # type: ignore[arg-type]
        with ThreadPoolExecutor(1) as other, pytest.raises(ov.UsageError, match="does not have its mutex"):
            other.submit(changed.notify).result()
    changed = ov.Condition(mutex=ov.Mutex())
    with changed.mutex:
        changed.notify_all()


def test_what_is_no_number_of_units_is_named() -> None:
    for units in (2.5, "x", 2**70):
        with pytest.raises(ov.UsageError, match="a semaphore of"):
            ov.Semaphore(initial=units)  # type: ignore[arg-type]
        with pytest.raises(ov.UsageError, match="units are given back to"):
            ov.Semaphore().release(units)  # type: ignore[arg-type]


def test_the_holder_of_a_conditions_mutex_dies() -> None:
    changed, shared = ov.Condition(), cells()
    waits, holds = ov.process.make(Locker), ov.process.make(Locker)
    waiting = ov.start(waits.await_change, changed, shared)
    while shared[1] == 0:
        time.sleep(0.001)
    pid = holds.hold(changed)
    holds.tell_all(changed)
    os.kill(pid, signal.SIGKILL)
    assert waiting.result(timeout=60) == "abandoned"
    assert changed.acquire(timeout=60), "whoever waited has given it up"
    changed.release()
    ov.destroy(waits)


def test_control_c_ends_a_wait(place: ov.Place) -> None:
    for lock in (ov.Mutex(), ov.Semaphore()):
        holder = place.make(Locker)
        holder.hold(lock)
        with ended_by_control_c():
            lock.acquire()
        holder.let_go(lock)
        assert lock.acquire(timeout=60)
        lock.release()
        ov.destroy(holder)


def test_waiting_serves_call_backs() -> None:
    """C-3: an object that waits for a lock is called back by whom it waits for."""

    class Waits:
        def __init__(self) -> None:
            self.called = 0

        def through(self, other: Any, me: Any, lock: ov.Mutex) -> int:
            asked = ov.start(other.hold_and_call, me, lock)
            with lock:
                pass
            asked.result()
            return self.called

        def call(self) -> None:
            self.called += 1

    class Calls:
        def hold_and_call(self, back: Any, lock: ov.Mutex) -> None:
            with lock:
                back.call()

    p, q = ov.process.make(Waits), ov.process.make(Calls)
    assert p.through(q, p, ov.Mutex()) == 1
    ov.destroy(p)
    ov.destroy(q)
