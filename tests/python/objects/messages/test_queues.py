# SPDX-License-Identifier: Apache-2.0
"""octavo.Queue: as queue.Queue, between threads, objects, processes and machines; what the death of a reader, a writer or the maker does."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
import time
from collections import defaultdict
from typing import Any

import numpy as np
import octavo as ov
import pytest
from kit import ended_by_control_c, stands_still, wait_for
from queue_classes import User

pytestmark = pytest.mark.timeout(120)


def wait_begins(call: ov.Future[Any]) -> None:
    """What waits is not over after a moment."""
    with pytest.raises(ov.TimedOut):
        call.result(timeout=0.05)


def waits_at_keeper() -> None:
    """Until the program's keeper of queues has a call that waits."""
    deadline = time.monotonic() + 60
    while not any(each.calls_owed for each in ov.watching.processes() if each.pid == os.getpid() and each.class_name == "octavo::QueueKeeper"):
        assert time.monotonic() < deadline, "no get has come to the keeper"


@pytest.mark.parametrize("item", [None, 3, 2.5, "text", b"bytes", (1, [2, {"k": None}]), {3, 4}, complex(1, 2)])
def test_qu1_items_of_any_kind(place: ov.Place, item: Any) -> None:
    jobs: ov.Queue[Any] = ov.Queue()
    user = place.make(User)
    jobs.put(item)
    assert user.get_and_tell(jobs) == (type(item), repr(item))
    user.put(jobs, item)
    assert jobs.get() == item
    ov.destroy(user)


def test_qu1_each_item_goes_to_one(place: ov.Place) -> None:
    jobs: ov.Queue[Any] = ov.Queue(5)
    readers, writers = [place.make(User) for _ in range(3)], [place.make(User) for _ in range(2)]
    taking = [ov.start(each.take_all, jobs) for each in readers]
    putting = [ov.start(each.put_many, jobs, me, 200) for me, each in enumerate(writers)]
    for each in putting:
        each.result()
    jobs.join()
    jobs.shutdown()
    came = defaultdict(list)
    for each in taking:
        of_one = each.result()
        for me in range(2):
            numbers = [number for writer, number in of_one if writer == me]
            assert numbers == sorted(numbers)
            came[me] += numbers
    assert {me: sorted(numbers) for me, numbers in came.items()} == {0: list(range(200)), 1: list(range(200))}
    for each in readers + writers:
        ov.destroy(each)


def test_qu2_full_and_empty_are_those_of_the_standard_library() -> None:
    jobs: ov.Queue[int] = ov.Queue(1)
    assert (jobs.maxsize, jobs.qsize(), jobs.empty(), jobs.full()) == (1, 0, True, False)
    with pytest.raises(queue.Empty):
        jobs.get_nowait()
    with pytest.raises(queue.Empty):
        jobs.get(block=False)
    begin = time.monotonic()
    with pytest.raises(queue.Empty):
        jobs.get(timeout=0.2)
    assert time.monotonic() - begin >= 0.2
    jobs.put(1)
    assert jobs.full()
    with pytest.raises(queue.Full):
        jobs.put_nowait(2)
    with pytest.raises(queue.Full):
        jobs.put(2, timeout=0.1)
    for call in (lambda: jobs.put(2, timeout=-1), lambda: jobs.get(timeout=-1)):
        with pytest.raises(ValueError, match="non-negative"):
            call()
    assert jobs.get() == 1
    jobs.put(3, timeout=60)
    assert jobs.get(timeout=60) == 3, "what was given up is not there"
    assert ov.Queue().maxsize == 0
    assert ov.Queue(bound=3).maxsize == ov.Queue(maxsize=3).maxsize == 3
    for wrong in (lambda: ov.Queue("jobs"), lambda: ov.Queue(bound="jobs"), lambda: ov.Queue(3, bound=4)):  # type: ignore[arg-type]
        with pytest.raises(ov.UsageError):
            wrong()


def test_qu2_a_put_waits_for_room(place: ov.Place) -> None:
    jobs: ov.Queue[int] = ov.Queue(1)
    user = place.make(User)
    jobs.put(1)
    waits = ov.start(user.put, jobs, 2)
    wait_begins(waits)
    assert jobs.get() == 1
    waits.result()
    assert jobs.get() == 2
    ov.destroy(user)


def test_between_threads() -> None:
    jobs: ov.Queue[int] = ov.Queue(2)
    taken: list[int] = []

    def take() -> None:
        while (item := jobs.get()) >= 0:
            taken.append(item)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for each in threads:
        each.start()
    for i in range(300):
        jobs.put(i)
    for _ in threads:
        jobs.put(-1)
    for each in threads:
        each.join()
    assert sorted(taken) == list(range(300))


def test_arrays(place: ov.Place) -> None:
    jobs: ov.Queue[Any] = ov.Queue()
    user = place.make(User)
    summing = ov.start(user.sums, jobs, 4)
    large, paged = np.full(100_000, 2.0), ov.empty(50_000, "f8")
    paged[:] = 3
    jobs.put(np.ones(10))
    jobs.put(large)
    jobs.put(paged.copy())
    jobs.put(large[::2])
    assert summing.result() == [20, 300_000, 200_000, 150_000]
    assert large[0] == 2, "values are copied"
    jobs.put(large)
    large[0] = 7
    assert jobs.get()[0] == 2, "as it was when it was put"
    ov.destroy(user)


def test_qu3_the_queue_ends_with_its_maker() -> None:
    maker, user = ov.process.make(User), ov.process.make(User)
    jobs = maker.make(0)
    jobs.put(1)
    assert user.get(jobs) == 1
    waits = ov.start(user.error_of_get, jobs)
    wait_begins(waits)
    os.kill(maker.pid(), signal.SIGKILL)
    said = waits.result(timeout=60)
    assert said.startswith("ProcessDied: ")
    assert "ended with the object or program that had made it" in said
    with pytest.raises(ov.ProcessDied, match="ended with the object"):
        jobs.put(1)
    ov.destroy(user)


def test_qu4_a_dead_reader_swallows_nothing() -> None:
    jobs: ov.Queue[int] = ov.Queue()
    for i in range(10):
        dies, lives = ov.process.make(User), ov.process.make(User)
        pid = dies.pid()
        first = ov.start(dies.get, jobs)
        waits_at_keeper()
        second = ov.start(lives.get, jobs)
        os.kill(pid, signal.SIGKILL)
        jobs.put(i)
        assert second.result(timeout=60) == i
        with pytest.raises(ov.ProcessDied):
            first.result()
        ov.destroy(lives)


def status_of(pid: int) -> ov.watching.ProcessStatus:
    """Of the object of a process itself, not of those on its threads."""
    return min((each for each in ov.watching.processes() if each.pid == pid), key=lambda each: each.object)


def stop(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    wait_for(lambda: stands_still(pid), 20, "each of its threads is stopped")


@pytest.mark.parametrize("item", [1, "x" * 300, b"x" * 30_000], ids=["small", "text", "bytes"])
def test_qu4_an_item_that_a_dead_reader_was_given_and_had_not_read_is_the_next_ones(item: Any) -> None:
    keeper, dies, lives = (ov.process.make(User) for _ in range(3))
    pid, jobs = dies.pid(), keeper.make(0)
    for each in (item, 2):
        jobs.put(each)
    kept_by = keeper.pid()
    stop(kept_by)
    first = ov.start(dies.get, jobs)
    wait_for(lambda: status_of(pid).waits_for is not None, 20, "it asks for an item")
    stop(pid)
    os.kill(kept_by, signal.SIGCONT)
    wait_for(lambda: jobs.qsize() == 1, 20, "its request is answered")
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ov.ProcessDied):
        first.result()
    wait_for(lambda: jobs.qsize() == 2, 20, "the item is there again")
    assert [lives.get(jobs), lives.get(jobs)] == [item, 2]
    for _ in range(2):
        jobs.task_done()
    jobs.join()
    ov.destroy(lives)
    ov.destroy(keeper)


def test_qu4_what_was_read_stays_its_readers() -> None:
    jobs: ov.Queue[int] = ov.Queue()
    for i in range(20):
        jobs.put(i)
    dies = ov.process.make(User)
    pid = dies.pid()
    assert [dies.get(jobs) for _ in range(10)] == list(range(10))
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ov.ProcessDied, match="may not be worked off"):
        jobs.join()
    assert jobs.get() == 10


def test_qu5_what_a_dead_writer_waited_to_put_is_not_there() -> None:
    jobs: ov.Queue[int] = ov.Queue(1)
    dies, lives = ov.process.make(User), ov.process.make(User)
    pid = dies.pid()
    jobs.put(1)
    first = ov.start(dies.put, jobs, 2)
    wait_begins(first)
    second = ov.start(lives.put, jobs, 3)
    wait_begins(second)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ov.ProcessDied):
        first.result()
    assert jobs.get() == 1
    second.result()
    assert jobs.get() == 3
    assert jobs.empty()
    ov.destroy(lives)


def test_qu6_join_tells_of_a_dead_reader() -> None:
    jobs: ov.Queue[int] = ov.Queue()
    dies = ov.process.make(User)
    pid = dies.pid()
    for i in range(3):
        jobs.put(i)
    assert (dies.get(jobs), jobs.get()) == (0, 1)
    killing = threading.Timer(0.2, os.kill, [pid, signal.SIGKILL])
    killing.start()
    with pytest.raises(ov.ProcessDied, match=f"may not be worked off.*pid {pid}.*SIGKILL"):
        jobs.join()
    killing.join()
    jobs.task_done()
    assert jobs.get() == 2
    jobs.task_done()
    jobs.join()
    with pytest.raises(ValueError, match="more often"):
        jobs.task_done()


def test_qu7_shutdown(place: ov.Place) -> None:
    jobs: ov.Queue[int] = ov.Queue()
    user = place.make(User)
    jobs.put(1)
    jobs.shutdown()
    with pytest.raises(ov.errors.QueueShutDown) as raised:
        jobs.put(2)
    assert isinstance(raised.value, getattr(queue, "ShutDown", ov.GoneError))
    assert user.get(jobs) == 1
    assert user.error_of_get(jobs).startswith("QueueShutDown: ")
    others: ov.Queue[int] = ov.Queue()
    waits = ov.start(user.error_of_get, others)
    wait_begins(waits)
    others.shutdown()
    assert waits.result().startswith("QueueShutDown: ")
    dropped: ov.Queue[int] = ov.Queue()
    dropped.put(1)
    dropped.shutdown(immediate=True)
    dropped.join()
    with pytest.raises(ov.errors.QueueShutDown):
        dropped.get_nowait()
    ov.destroy(user)


def test_a_queue_travels_and_is_compared(place: ov.Place) -> None:
    jobs: ov.Queue[Any] = ov.Queue(3)
    again = pickle.loads(pickle.dumps(jobs))
    assert again == jobs
    assert (hash(again), repr(again), again.maxsize) == (hash(jobs), repr(jobs), 3)
    assert jobs != ov.Queue(3)
    user = place.make(User, {"queues": [jobs]})
    jobs.put(jobs)
    assert user.kept_get() == jobs
    ov.destroy(user)


def test_control_c_ends_a_wait_and_takes_no_item(place: ov.Place) -> None:
    jobs: ov.Queue[int] = ov.Queue(1)
    for _ in range(2):
        with ended_by_control_c():
            jobs.get()
        user = place.make(User)
        user.put(jobs, 5)
        assert jobs.qsize() == 1, "nobody waits there"
        assert jobs.get_nowait() == 5
        ov.destroy(user)


def test_an_end_of_a_channel_is_no_item() -> None:
    jobs: ov.Queue[Any] = ov.Queue()
    out, values = ov.channel()
    for item in (out, [1, {"end": out}]):
        with pytest.raises(ov.NotSupported, match="end of a channel"):
            jobs.put(item)
        with pytest.raises(ov.NotSupported, match="end of a channel"):
            jobs.put_nowait(item)
    with pytest.raises(ov.NotSupported, match="end of a channel"):
        jobs.put(values)
    out.post(1)
    out.close()
    assert list(values) == [1], "both are where they were"


def test_a_forked_child_has_no_queue() -> None:
    jobs: ov.Queue[int] = ov.Queue()
    jobs.put(1)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            jobs.get_nowait()
        except ov.UsageError:
            said = "UsageError"
        finally:
            os.write(write, said.encode())
            os._exit(0)
    os.close(write)
    assert os.read(read, 100) == b"UsageError"
    os.close(read)
    os.waitpid(child, 0)
    assert jobs.get_nowait() == 1
