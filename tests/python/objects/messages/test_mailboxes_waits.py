# SPDX-License-Identifier: Apache-2.0
"""Mailboxes: bounds, orders of many writers, deaths, and how a wait ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import Any

import octavo as ov
import pytest
from kit import ended_by_control_c
from mailbox_classes import Clerk, Friend, new_name

pytestmark = pytest.mark.timeout(120)


def test_several_writers(place: ov.Place) -> None:
    """The messages of each come in its order, and each once."""
    box = ov.Mailbox(new_name(), tuple[int, int], messages=8)
    clerks = [place.make(Clerk) for _ in range(3)]
    posts = [ov.start(clerk.post, box, [(i, n) for n in range(200)]) for i, clerk in enumerate(clerks)]

    def post_here() -> None:
        for n in range(200):
            box.post((3, n))

    thread = threading.Thread(target=post_here)
    thread.start()
    came = [box.retrieve() for _ in range(800)]
    thread.join()
    for each in posts:
        each.result()
    for i in range(4):
        assert [n for who, n in came if who == i] == list(range(200))


@pytest.mark.parametrize("type", [int, str, None], ids=str)
def test_the_bound(place: ov.Place, type: Any) -> None:
    value = {int: 1, str: "x" * 100, None: [1]}[type]
    box = ov.Mailbox(new_name(), type, messages=4)
    reader = place.make(Clerk)
    assert reader.become_reader(box) == "nothing"
    posted = 0
    while box.try_post(value):
        posted += 1
    with pytest.raises(ov.TimedOut, match=r"had no room for 0\.01 s"):
        while posted <= 8:  # some room may have come since: who reads may have been found
            box.post(value, timeout=0.01)
            posted += 1
    assert 1 <= posted <= 8
    taken = ov.start(reader.take, box, posted + 3)
    for _ in range(3):
        box.post(value, timeout=60)
    assert taken.result() == [value] * (posted + 3)


def test_the_bound_of_a_box_that_nobody_reads() -> None:
    box = ov.Mailbox(new_name(), int, messages=4)
    poster = ov.process.make(Clerk)
    assert [poster.try_post(box, i) for i in range(10)] == [True] * 4 + [False] * 6
    with pytest.raises(ov.TimedOut):
        poster.post_in_time(box, 4, 0.01)
    waits = ov.start(poster.post_in_time, box, 4, 60)
    assert [box.retrieve() for _ in range(5)] == list(range(5))
    waits.result()


def test_bytes_are_a_bound_too() -> None:
    """Once the poster knows who reads."""
    box = ov.Mailbox(new_name(), bytes, bytes="1MiB")
    reader = ov.process.make(Clerk)
    reader.become_reader(box)

    def fill() -> int:
        posted = 0
        while box.try_post(bytes(300_000)):
            posted += 1
        return posted

    for _ in range(100):
        posted = fill()
        assert len(reader.take(box, posted)) == posted
        if posted <= 4:
            return
    pytest.fail(f"{posted} messages of 300 kB were posted at once within a bound of 1 MiB")


@pytest.mark.parametrize("place", ["process", "box"], indirect=True)
def test_the_death_of_the_reader(place: ov.Place) -> None:
    """Told once, at a post after it; what it had not read is lost, and what is posted after that waits for a new reader."""
    box = ov.Mailbox(new_name(), int)
    reader = place.make(Clerk)
    reader.become_reader(box)
    box.post(1)
    os.kill(reader.pid(), signal.SIGKILL)
    with pytest.raises(ov.ProcessDied, match="SIGKILL"):
        for _ in range(10**9):
            box.post(2, timeout=60)
    box.post(3)
    second = place.make(Clerk)
    assert second.take(box, 1) == [3]


def test_the_end_of_the_reader(place: ov.Place) -> None:
    """Of one that was destroyed: from the very next post."""
    box = ov.Mailbox(new_name())
    reader = place.make(Clerk)
    reader.become_reader(box)
    box.post(1)
    ov.destroy(reader)
    with pytest.raises(ov.ProcessDied):
        box.post(2)
    box.post(3)
    first = box.retrieve()
    assert first == 3 or (first == 1 and box.retrieve() == 3)  # the first may not have left before the end


@pytest.mark.parametrize("place", ["process", "box"], indirect=True)
def test_the_death_of_a_writer(place: ov.Place) -> None:
    """The reader has what arrived, and others go on."""
    box = ov.Mailbox(new_name())
    box.try_retrieve()
    first, second = place.make(Clerk), place.make(Clerk)
    first.post(box, [1, 2])
    assert [box.retrieve(timeout=30) for _ in range(2)] == [1, 2]  # what has not left it yet would end with it (MB-4)
    os.kill(first.pid(), signal.SIGKILL)
    with pytest.raises(ov.ProcessDied):
        first.post(box, [3])
    second.post(box, [4])
    assert box.retrieve(timeout=30) == 4
    assert box.try_retrieve() is None


@pytest.mark.parametrize("by_select", [False, True])
def test_an_object_is_called_back_while_it_waits(place: ov.Place, by_select: bool) -> None:
    """C-3, by whom it has called itself."""
    clerk, friend = place.make(Clerk), place.make(Friend)
    assert clerk.wait_calling(friend, ov.Mailbox(new_name(), int), by_select) == 42


@pytest.mark.parametrize("wait", ["retrieve", "select", "post", "iterate"])
def test_ctrl_c_ends_a_wait(wait: str) -> None:
    """In the main thread of the program."""
    box = ov.Mailbox(new_name(), int, messages=1)
    if wait == "post":
        ov.process.make(Clerk).become_reader(box)

    def post() -> None:
        while True:  # until there is no room
            box.post(1)

    waits = {"retrieve": box.retrieve, "select": lambda: ov.select(box), "post": post, "iterate": lambda: list(box)}
    with ended_by_control_c():
        waits[wait]()


def test_the_end_of_the_runtime_ends_a_wait() -> None:
    """Of another thread; the name is free in the next one."""
    script = """
import linecache
import sys
import threading
import octavo as ov

box = ov.Mailbox("jobs", int)
other = ov.Mailbox("others")
ends = []

def wait(how):
    try:
        how()
    except ov.GoneError as error:
        ends.append(error)

def waits(thread):
    # Within the call of C++.
    frame = sys._current_frames().get(thread.ident)
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno) if frame else ""
    return "_base.retrieve(" in line or "select_mailbox(" in line

with ov.Runtime():
    threads = [threading.Thread(target=wait, args=(how,)) for how in (box.retrieve, lambda: ov.select(other))]
    for each in threads:
        each.start()
    box.post(1)  # both have begun
    other.post(1)
    for each in threads:
        each.join()
    assert not ends
    other.retrieve()  # what select found
    threads = [threading.Thread(target=wait, args=(how,)) for how in (box.retrieve, lambda: ov.select(other))]
    for each in threads:
        each.start()
    while not all(waits(each) for each in threads):
        pass
for each in threads:
    each.join()
assert len(ends) == 2, ends
with ov.Runtime():
    box.post(2)
    print(box.retrieve())
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, "2\n"), ended.stderr
