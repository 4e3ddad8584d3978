# SPDX-License-Identifier: Apache-2.0
"""Channels of Python values: CH-1 to CH-7 between the program, threads and objects on each place."""

from __future__ import annotations

import copy
import os
import pickle
import random
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import octavo as ov
import pytest
from kit import ended_by_control_c

pytestmark = pytest.mark.timeout(120)


class Pump:
    def echo(self, values: ov.ChannelReader[Any], out: ov.ChannelWriter[Any]) -> int:
        count = 0
        with out:
            for each in values:
                out.post(each)
                count += 1
        return count

    def keep(self, values: ov.ChannelReader[Any]) -> None:
        self.values = values

    def hand_on(self, to: Pump) -> None:
        to.keep(self.values)

    def give_back(self) -> ov.ChannelReader[Any]:
        return self.values

    def take(self, count: int) -> list[Any]:
        return [self.values.retrieve() for _ in range(count)]

    def cancel(self) -> None:
        self.values.cancel()

    def post(self, out: ov.ChannelWriter[Any], count: int) -> None:
        for i in range(count):
            out.post(i)

    def post_and_fail(self, out: ov.ChannelWriter[Any]) -> None:
        with out:
            out.post(1)
            raise LookupError("in the midst of it")

    def post_and_die(self, out: ov.ChannelWriter[Any], told: ov.ChannelReader[int]) -> None:
        out.post(1)
        told.retrieve()
        os.kill(os.getpid(), signal.SIGKILL)

    def of_many(self, ends: dict[str, Any]) -> list[Any]:
        with ends["out"] as out:
            for each in ends["in"]:
                out.post(each + 1)
        return ["done"]


def a_value(choices: random.Random) -> Any:
    kinds = [
        lambda: choices.randrange(-(2**70), 2**70),
        lambda: choices.random(),
        lambda: "é" * choices.choice([0, 1, 30, 5000]),
        lambda: bytes(choices.choice([0, 10, 300, 5000, 300_000])),
        lambda: np.arange(choices.choice([0, 3, 300, 700, 40_000]), dtype=choices.choice(["i2", "f4", "c16"])),
        lambda: [None, True, {"a": (1, 2.5)}],
        lambda: {i: "x" * i for i in range(choices.randrange(50))},
    ]
    return choices.choice(kinds)()


def same(left: Any, right: Any) -> bool:
    return bool(np.array_equal(left, right)) and left.dtype == right.dtype if isinstance(left, np.ndarray) else type(left) is type(right) and left == right


def test_values_there_and_back(place: ov.Place) -> None:
    seed = random.randrange(2**32)
    choices = random.Random(seed)
    pump = place.make(Pump)
    out, far_values = ov.channel(messages=choices.choice([1, 8, 256]))
    far_out, values = ov.channel(messages=choices.choice([1, 8, 256]), bytes="1MiB")
    echoes = ov.start(pump.echo, far_values, far_out)
    posted = [a_value(choices) for _ in range(150)]

    def post() -> None:
        with out:
            for each in posted:
                out.post(each)

    poster = threading.Thread(target=post)
    poster.start()
    came = list(values)
    poster.join()
    assert len(came) == len(posted), seed
    assert all(same(*each) for each in zip(came, posted, strict=True)), seed
    assert echoes.result() == len(posted)
    with pytest.raises(EOFError):
        values.retrieve()
    assert values.at_end


def test_a_value_is_taken_as_it_is_when_it_is_posted(place: ov.Place) -> None:
    pump = place.make(Pump)
    out, values = ov.channel()
    small, large = np.ones(3), np.ones(100_000)
    for each in (small, large):
        out.post(each)
        each[:] = 2
    pump.keep(values)
    for each in (small, large):
        out.post(each)
        each[:] = 3
    assert [float(each.sum()) for each in pump.take(4)] == [3, 100_000, 6, 200_000]


def test_what_lies_unread_follows_the_reader(place: ov.Place) -> None:
    first, second = place.make(Pump), place.make(Pump)
    out, values = ov.channel(messages=1024)
    for i in range(100):
        out.post(i)
    assert values.retrieve() == 0
    first.keep(values)
    with pytest.raises(ov.UsageError):
        values.retrieve()
    assert first.take(49) == list(range(1, 50))
    for i in range(100, 300):
        out.post(i)
    first.hand_on(second)
    assert second.take(50) == list(range(50, 100))
    back = second.give_back()
    out.close()
    assert list(back) == list(range(100, 300))


def test_none_is_a_value() -> None:
    out, values = ov.channel()
    with out:
        out.post(None)
        assert out.try_post(None)
    assert list(values) == [None, None]


def test_ends_within_a_value(place: ov.Place) -> None:
    out, far = ov.channel()
    far_out, values = ov.channel()
    done = ov.start(place.make(Pump).of_many, {"in": far, "out": far_out})
    out.post(1)
    out.close()
    assert list(values) == [2]
    assert done.result() == ["done"]


def test_a_full_channel(place: ov.Place) -> None:
    pump = place.make(Pump)
    out, values = ov.channel(messages=4)
    pump.keep(values)
    posted = 0
    while out.try_post(posted):
        posted += 1
    with pytest.raises(ov.TimedOut, match="the channel was full"):
        while posted <= 8:  # some room may have come since
            out.post(posted, timeout=0.01)
            posted += 1
    assert 1 <= posted <= 8
    taken = ov.start(pump.take, posted + 3)
    for i in range(posted, posted + 3):
        out.post(i)
    assert taken.result() == list(range(posted + 3))


def test_cancel(place: ov.Place) -> None:
    pump = place.make(Pump)
    out, values = ov.channel(messages=16)
    posts = ov.start(pump.post, out, 10**9)
    assert [values.retrieve() for _ in range(50)] == list(range(50))
    values.cancel()
    with pytest.raises(ov.errors.ChannelCancelled, match="wants no more"):
        posts.result()
    out, values = ov.channel(messages=16)
    pump.keep(values)
    pump.cancel()
    with pytest.raises(ov.errors.ChannelCancelled):
        for i in range(10**9):
            out.post(i)


def test_the_end_of_a_reference_closes_or_cancels(place: ov.Place) -> None:
    out, values = ov.channel()
    out.post(1)
    del out
    assert list(values) == [1]
    pump = place.make(Pump)
    out, values = ov.channel()
    pump.keep(values)
    pump.keep(None)
    with pytest.raises(ov.errors.ChannelCancelled):
        for i in range(10**9):
            out.post(i)


def test_a_writer_that_fails_gives_it_up(place: ov.Place) -> None:
    out, values = ov.channel()
    failed = ov.start(place.make(Pump).post_and_fail, out)
    with pytest.raises(ov.GoneError, match="gave it up"):
        list(values)
    with pytest.raises(EOFError):
        values.retrieve()
    with pytest.raises(LookupError):
        failed.result()


@pytest.mark.parametrize("place", ["process", "box"], indirect=True)
def test_the_death_of_a_writer(place: ov.Place) -> None:
    out, values = ov.channel()
    told, far_told = ov.channel()
    dies = ov.start(place.make(Pump).post_and_die, out, far_told)
    assert values.retrieve() == 1
    told.post(1)
    with pytest.raises(ov.ProcessDied, match="SIGKILL"):
        values.retrieve()
    with pytest.raises(EOFError):
        values.retrieve()
    with pytest.raises(ov.ProcessDied):
        dies.result()


def test_misuse() -> None:
    with pytest.raises(ov.UsageError):
        ov.channel(messages=0)
    out, values = ov.channel()
    for end in (out, values):
        with pytest.raises(ov.UsageError, match="only be sent"):
            pickle.loads(pickle.dumps(end))
        with pytest.raises(ov.UsageError, match="only be sent"):
            copy.copy(end)
    with pytest.raises(ov.TimedOut):
        values.retrieve(timeout=0.01)
    assert values.try_retrieve("nothing") == "nothing"
    out.close()
    out.close()
    with pytest.raises(ov.UsageError, match="closed"):
        out.post(1)
    with pytest.raises(EOFError):
        values.retrieve(timeout=5)


@pytest.mark.parametrize("call", ["waits", "started"])
def test_ends_stay_where_a_call_finds_nobody(place: ov.Place, call: str) -> None:
    pump = place.make(Pump)
    ov.destroy(pump)
    out, values = ov.channel()
    for end in (values, out):
        with pytest.raises(ov.ProcessDied):
            if call == "waits":
                pump.of_many({"end": end})
            else:
                ov.start(pump.of_many, {"end": end}).result()
    out.post(1)
    out.close()
    assert list(values) == [1]


NO_BOUNDS = [{"messages": 2.5}, {"messages": "x"}, {"messages": None}, {"messages": 2**70}, {"bytes": 2.5}, {"bytes": None}, {"bytes": 2**70}]


@pytest.mark.parametrize("room", NO_BOUNDS, ids=str)
def test_what_is_no_bound_is_named(room: dict[str, Any]) -> None:
    (name,) = room
    with pytest.raises(ov.UsageError, match=f"a channel with room for {name}="):
        ov.channel(**room)
    with pytest.raises(ov.UsageError, match=f"mailbox 'jobs' with room for {name}="):
        ov.Mailbox("jobs", **room)


@pytest.mark.parametrize("timeout", ["1", [1], float("nan")], ids=str)
def test_what_is_no_time_is_named(timeout: Any) -> None:
    out, values = ov.channel()
    box, jobs, changed = ov.Mailbox[Any]("no time"), ov.Queue[Any](), ov.Condition()
    waits: list[Callable[[], object]] = [
        lambda: out.post(1, timeout),
        lambda: values.retrieve(timeout),
        lambda: box.post(1, timeout),
        lambda: box.retrieve(timeout),
        lambda: ov.select(box, timeout=timeout),
        lambda: jobs.put(1, timeout=timeout),
        lambda: jobs.get(timeout=timeout),
        lambda: ov.Event().wait(timeout),
        lambda: ov.Barrier(1).wait(timeout),
        lambda: ov.Mutex().acquire(timeout=timeout),
        lambda: ov.Semaphore().acquire(timeout=timeout),
        lambda: changed.wait(timeout),
        lambda: changed.wait_for(lambda: False, timeout),
    ]
    with changed:
        for wait in waits:
            with pytest.raises(ov.UsageError, match=r"timeout=.*Give seconds"):
                wait()


def test_ctrl_c_ends_a_wait() -> None:
    """In the main thread of the program."""
    _, values = ov.channel()
    with ended_by_control_c():
        values.retrieve()


class Holder:
    """What is given to its constructor may be an end, or a segment."""

    def __init__(self, end: Any, cells: ov.Segment | None = None) -> None:
        self.end, self.cells = end, cells

    def total(self) -> int:
        return sum(self.end) + (0 if self.cells is None else int(self.cells[0]))

    def post(self, value: Any) -> None:
        self.end.post(value)


@pytest.mark.parametrize("place", [ov.process, ov.thread])
def test_ends_are_arguments_of_constructors(place: ov.Place) -> None:
    cells = ov.Segment(None, 4, "i8")
    cells[0] = 100
    out, values = ov.channel()
    reader = place.make(Holder, values, cells)
    writer = place.make(Holder, end=out)
    for i in range(10):
        writer.post(i)
    ov.destroy(writer)
    assert reader.total() == 145
    ov.destroy(reader)
    pairs = [ov.channel() for _ in range(2)]
    g = ov.make_group(Holder, 2, ov.each([values for _, values in pairs]), place=place)
    for i, (out, _) in enumerate(pairs):
        out.post(i)
        out.close()
    assert g.all.total() == [0, 1]
    ov.destroy(g)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_several_threads_at_each_end(elsewhere: bool) -> None:
    out, values = ov.channel(messages=16)
    holder = ov.process.make(Holder, out) if elsewhere else Holder(out)

    def post(number: int) -> None:
        for i in range(300):
            holder.post((number, i))

    found: list[Any] = []
    lock = threading.Lock()

    def retrieve() -> None:
        for _ in range(600):
            value = values.retrieve(timeout=60)
            with lock:
                found.append(value)

    threads = [threading.Thread(target=post, args=(i,)) for i in range(4)] + [threading.Thread(target=retrieve) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(found) == [(number, i) for number in range(4) for i in range(300)]


def test_a_reader_is_cancelled_while_it_is_read() -> None:
    out, values = ov.channel()
    said: list[str] = []

    def retrieve() -> None:
        try:
            values.retrieve()
        except ov.errors.ChannelCancelled as error:
            said.append(str(error))

    thread = threading.Thread(target=retrieve)
    thread.start()
    threading.Event().wait(0.05)  # it reads by then, most likely; if not, the same is said
    values.cancel()
    thread.join(60)
    assert "was cancelled" in said[0]
    assert values.at_end
    for _ in range(3):
        with pytest.raises(ov.errors.ChannelCancelled) as raised:
            out.post(1)
        assert str(raised.value).count("posting to") == 1
