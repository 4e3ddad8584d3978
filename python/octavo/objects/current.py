# SPDX-License-Identifier: Apache-2.0
"""The Runtime that this program has now: begun by the first object that is made, ended with the program."""

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any

from octavo import _core
from octavo.objects.by_value.peers import peers
from octavo.objects.trust import here

lock = threading.Lock()
_of_this_program: list["_core.RuntimeBase"] = []
ending: list[Callable[[], None]] = []  # what is done before a Runtime ends
executors: dict[Any, Any] = {}  # by place, of functions that are started there, as long as the Runtime: starting.py


def renew_lock() -> None:
    """In a child of fork(2): another thread may have had the lock, and is not there to give it back."""
    global lock
    lock = threading.Lock()


os.register_at_fork(after_in_child=renew_lock)


def begin() -> None:
    """Makes sure that objects can be made here: in a process that hosts one they can, and else there is a Runtime."""
    if _core.is_in_force():
        return
    with lock:
        if not _core.is_in_force():
            keep(_core.RuntimeBase(), pickle=True)


def number() -> int:
    """Of the Runtime there is now: another has another."""
    return id(_of_this_program[0]) if _of_this_program else 0


def keep(made: "_core.RuntimeBase", *, pickle: bool) -> None:
    here.pickle = pickle
    _of_this_program[:] = [made]
    atexit.register(end, made)


def end(made: "_core.RuntimeBase") -> None:
    atexit.unregister(end)
    try:
        for each in ending:
            each()
    finally:  # Ctrl-C, while one waits
        made.close()
        peers.clear()
        executors.clear()  # an interpreter that ends complains of pointers that are left
        if made in _of_this_program:
            _of_this_program.remove(made)  # what came of it is decoded as it said, until there is another
