# SPDX-License-Identifier: Apache-2.0
"""The Runtime that this program has now: begun by the first object that is made, ended with the program."""

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any

from octavo import _core
from octavo.errors import UsageError
from octavo.objects.by_value.peers import peers
from octavo.objects.trust import here

lock = threading.Lock()
_of_this_program: list["_core.RuntimeBase"] = []
ending: list[Callable[[], None]] = []  # what is done before a Runtime ends
_process = [os.getpid(), False]  # this one, and whether the user has made a Runtime in it
HOME = "ov://home/"  # begins a name that all programs of the user share
executors: dict[Any, Any] = {}  # by place, of functions that are started there, as long as the Runtime: starting.py


def begin_anew() -> None:
    """In a child of fork(2): another thread may have had the lock, and is not there to give it back."""
    global lock
    lock = threading.Lock()
    _process[:] = [os.getpid(), False]


os.register_at_fork(after_in_child=begin_anew)


def begin() -> None:
    """Makes sure that objects can be made here: in a process that hosts one they can, and else there is a Runtime."""
    if _core.is_in_force():
        return
    with lock:
        if not _core.is_in_force():
            keep(_core.RuntimeBase(), pickle=True)


def begin_for(name: str | None, made_by: int = 0) -> None:
    """As begin(), for what has a name in its program; None: it has none.

    In a child that a program with a Runtime has forked this name would be another lock, or mailbox, than there, and nobody would know. So is it where a process
    without one has made what is used here: ``made_by``. UsageError, but where the child has made a Runtime of its own.
    """
    check_name(name, made_by)
    begin()


def check_name(name: str | None, made_by: int = 0) -> None:
    process, has_own = _process
    if not has_own and name is not None and not name.startswith(HOME):
        _core.refuse_names_of_parent()
        if made_by not in (0, process) and not _hosts():
            cure = "Make a Runtime in the child, or start the child with exec (multiprocessing's spawn)"
            raise UsageError(f"'{name}' was made by process {made_by}, which forked this one, and is another one here. {cure}")


def _hosts() -> bool:
    """Whether this process is an object's, which is forked off an interpreter that has loaded the modules of the program."""
    return _core.is_in_force() and not _of_this_program


def this_process() -> int:
    return _process[0]


def number() -> int:
    """Of the Runtime there is now: another has another."""
    return id(_of_this_program[0]) if _of_this_program else 0


def keep(made: "_core.RuntimeBase", *, pickle: bool, by_user: bool = False) -> None:
    here.pickle = pickle
    _process[1] = by_user
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
