# SPDX-License-Identifier: Apache-2.0
"""Locks, memory and mailboxes of the home: between this program and others of the same user."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import octavo
import pytest
from kit import wait_for, worked

pytestmark = pytest.mark.timeout(120)
TABLE = "ov://home/table"


class Program:
    """Another program, which runs each line that it is given, and says what came of it."""

    text = """
import sys
import octavo as ov
names = {"ov": ov}
names["names"] = names
for line in sys.stdin:
    try:
        said = str(eval(line, names))
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}"
    print(said.replace(chr(10), " "), flush=True)
"""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", self.text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def does(self, line: str) -> str:
        self.tell(line)
        return self.hear()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def begin() -> Iterator[Callable[[], Program]]:
    made: list[Program] = []

    def begun() -> Program:
        made.append(Program())
        return made[-1]

    yield begun
    for each in made:
        each.kill()


def test_hl1_one_program_has_it_and_the_next_waits(begin: Callable[[], Program]) -> None:
    other, mutex = begin(), octavo.Mutex(TABLE)
    with mutex:
        assert other.does(f"ov.Mutex('{TABLE}').acquire(blocking=False)") == "False"
        assert other.does(f"ov.Mutex('{TABLE}').acquire(timeout=0.05)") == "False"
        other.tell(f"ov.Mutex('{TABLE}').acquire()")
    assert other.hear() == "True"
    assert not mutex.acquire(blocking=False)
    assert other.does(f"ov.Mutex('{TABLE}').release()") == "None"
    assert mutex.acquire(timeout=20)
    mutex.release()
    with pytest.raises(octavo.UsageError, match="is unlocked by a thread that does not have it"):
        mutex.release()


def test_hl1_objects_here_and_with_names_have_it_too(begin: Callable[[], Program]) -> None:
    mutex, other = octavo.Mutex(TABLE), begin()
    workers = octavo.Executor(2)
    with workers:
        assert other.does(f"ov.Mutex('{TABLE}').acquire()") == "True"
        assert workers.submit(try_to_have, mutex).result() is False
        assert other.does(f"ov.Mutex('{TABLE}').release()") == "None"
        assert workers.submit(try_to_have, mutex).result() is True
    with pytest.raises(octavo.NotSupported, match="acquire"):
        mutex.locked()
    units = octavo.Semaphore("ov://home/disks", initial=2)
    assert units.acquire(timeout=20)
    assert other.does("ov.Semaphore('ov://home/disks', initial=2).acquire()") == "True"
    assert not units.acquire(blocking=False)
    units.release()
    assert "began with 2 units, not with 3" in other.does("ov.Semaphore('ov://home/disks', initial=3)")


def try_to_have(mutex: octavo.Mutex) -> bool:
    had = mutex.acquire(blocking=False)
    if had:
        mutex.release()
    return had


def test_hl1_a_condition_is_notified_by_another_program(begin: Callable[[], Program]) -> None:
    other, full = begin(), octavo.Segment("ov://home/full", 1, "i8")
    changed = octavo.Condition(TABLE)
    with changed:
        assert other.does(f"names.update(c=ov.Condition('{TABLE}'), s=ov.Segment('ov://home/full', 1, 'i8'))") == "None"
        other.tell("[c.acquire(), s.__setitem__(0, 5), c.notify_all(), c.release()]")
        assert changed.wait_for(lambda: full[0] == 5, timeout=30)
    assert "None" in other.hear()


def test_hl2_the_death_of_a_holder_is_told_once(begin: Callable[[], Program]) -> None:
    other, mutex = begin(), octavo.Mutex(TABLE)
    assert other.does(f"ov.Mutex('{TABLE}').acquire()") == "True"
    other.kill()
    with pytest.raises(octavo.errors.LockAbandoned, match="mutex 'ov://home/table'"):
        mutex.acquire(timeout=30)
    with mutex:
        pass


def test_seg6_another_program_has_the_same_memory(begin: Callable[[], Program]) -> None:
    other, heat = begin(), octavo.Segment("ov://home/heat", (4, 4))
    heat[2, 3] = 7.5
    assert other.does("names.setdefault('h', ov.Segment('ov://home/heat', (4, 4)))[2, 3]") == "7.5"
    assert other.does("h.array.fill(1.0)") == "None"
    assert heat.array.sum() == 16
    assert "has 16 of type float64, not 4 of type int64" in other.does("ov.Segment('ov://home/heat', 4, 'i8')")
    with octavo.Executor(1) as worker:
        assert worker.submit(total, heat).result() == 16  # as an argument


def total(heat: octavo.Segment) -> float:
    return float(heat.array.sum())


def listed() -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(worked("ls", "--json").out)}


def test_ls_lists_the_mailboxes_that_are_read(begin: Callable[[], Program]) -> None:
    other = begin()
    assert worked("ls").out.split() == ["NAME", "CLASS", "GENERATION", "SAVED", "BYTES", "PID"]
    assert other.does("[names.update(box=ov.Mailbox('ov://home/jobs')), box.try_retrieve()]") == "[None, None]"
    pid = int(other.does("__import__('os').getpid()"))
    jobs = octavo.Mailbox("ov://home/jobs")
    for number in range(3):
        jobs.post(number)
    wait_for(lambda: listed()["ov://home/jobs"]["unread"] == 3, 20, "all three have come")
    line = next(each for each in worked("ls", "ov://home").out.splitlines() if each.startswith("ov://home/jobs"))
    assert line.split()[1] == "3"
    assert line.split()[-2] == str(pid)
    assert "UNREAD" in worked("ls").out
    assert other.does("box.retrieve()") == "0"
    wait_for(lambda: listed()["ov://home/jobs"]["unread"] == 2, 20, "one was taken")
    assert other.does("box.post('to itself')") == "None"
    (status,) = octavo.watching.mailboxes("home/jobs")
    assert (status.name, status.pid, status.unread) == ("ov://home/jobs", pid, 2)
    assert octavo.watching.mailboxes("elsewhere") == []
    other.kill()
    wait_for(lambda: octavo.watching.mailboxes() == [], 20, "nobody reads it any more")
