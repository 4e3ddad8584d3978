# SPDX-License-Identifier: Apache-2.0
"""Threads that wait for a lock, where threads meet, or at a queue, when the Runtime ends: each gets GoneError, and the program ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(180)

PROGRAM = """
import linecache

os.environ["OCTAVO_HOME"] = os.path.abspath("home")

def within(lock, wait):
    with lock:
        wait()

def wait_at(condition):
    within(condition, condition.wait)

def fulfilled():
    return False

def waits_made():
    held, taken = octavo.Mutex(), octavo.Mutex("ov://home/taken")
    held.acquire()
    taken.acquire()
    full, unfinished = octavo.Queue(1), octavo.Queue(1)
    full.put(1)
    unfinished.put(1)
    changed, changed_at_home = octavo.Condition(), octavo.Condition("ov://home/changed")
    mutex = octavo.Mutex()
    return {
        "Mutex": held.acquire,
        "Mutex, for an hour": lambda: held.acquire(timeout=3600),
        "Mutex, with": lambda: within(held, fulfilled),
        "Semaphore": octavo.Semaphore(initial=0).acquire,
        "Condition": lambda: wait_at(changed),
        "Condition, wait_for": lambda: within(changed, lambda: changed.wait_for(fulfilled)),
        "Condition, a mutex of its own": lambda: within(mutex, octavo.Condition(None, mutex).wait),
        "Barrier": octavo.Barrier(2).wait,
        "Event": octavo.Event().wait,
        "Queue.get": octavo.Queue().get,
        "Queue.put": lambda: full.put(2),
        "Queue.join": unfinished.join,
        "Mutex of the home": taken.acquire,
        "Semaphore of the home": octavo.Semaphore("ov://home/none", 0).acquire,
        "Condition of the home": lambda: wait_at(changed_at_home),
    }

told = {}
made = {}
threads = []

def wait(name):
    try:
        made[name]()
    except BaseException as error:
        told[name] = error

def waits(thread):
    # Within the call of C++.
    frame = sys._current_frames().get(thread.ident)
    return frame is not None and any(call in linecache.getline(frame.f_code.co_filename, frame.f_lineno) for call in ("self._lock.", "self._base."))

def begin():
    made.update(waits_made())
    threads.extend(threading.Thread(target=wait, args=(name,), daemon=True) for name in made)
    for each in threads:
        each.start()
    while not all(waits(each) for each in threads):
        assert not told, told
        time.sleep(0.01)

def check():
    for each in threads:
        each.join(20)
    assert told.keys() == made.keys(), made.keys() - told.keys()
    wrong = {name: repr(error) for name, error in told.items() if type(error) is not octavo.GoneError or "the Runtime ended" not in str(error)}
    assert not wrong, wrong
    with octavo.Runtime():
        octavo.naming.end_lasting_agent()
    print("all were told")
"""


def test_the_end_of_a_runtime_ends_each_wait(tmp_path: Path) -> None:
    assert "all were told" in run_program(tmp_path, f"{PROGRAM}\nwith octavo.Runtime():\n    begin()\ncheck()\n", seconds=60)


def test_the_end_of_the_program_ends_each_wait(tmp_path: Path) -> None:
    """What is registered before the Runtime begins is called when it has ended."""
    assert "all were told" in run_program(tmp_path, f"import atexit\n{PROGRAM}\natexit.register(check)\nbegin()\n", seconds=60)
