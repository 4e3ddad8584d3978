# SPDX-License-Identifier: Apache-2.0
"""Planning jobs, and those that run as the program ends."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from octavo import _core
from octavo.errors import Refused

Plan = TypeVar("Plan")
MOST_TRIES = 20
AT_THE_END = 5.0  # seconds that the end of the program waits for them at most


def planned(plan: Callable[[int, int], Plan], memory: int) -> Plan:
    """What ``plan`` makes of this budget; its second number is the one that chunks are chosen by. More memory means larger chunks, which may not
    do where smaller ones would: those are tried too. Where all is refused, the least that the refusal names is one that was tried.
    """
    try:
        return plan(memory, memory)
    except Refused as refusal:
        first, least = refusal, refusal.least
    for smaller in (memory // 2, memory // 4) if least else ():
        with suppress(Refused):
            return plan(memory, smaller)
    for _ in range(MOST_TRIES):
        if not least:
            break
        try:
            plan(least, least)
        except Refused as again:
            least = again.least
        else:
            raise _with_least(first, least)
    raise first


def _with_least(refusal: Refused, least: int) -> Refused:
    found = Refused(str(refusal).removesuffix(_core.least_text(refusal.least)) + _core.least_text(least))
    found.least, found.path = least, refusal.path
    return found


class RunningJobs:
    """Of this program. As it ends, those of daemon threads are stopped, and what they have begun is removed, before the interpreter ends."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self.ends = False  # the program does

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Around a job that runs. A daemon thread does not come back from it once the program ends, as it does not from what Python itself waits in."""
        self._stay_at_end()
        with self._changed:
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
            self._stay_at_end()

    def _stay_at_end(self) -> None:
        if self.ends and threading.current_thread() is not threading.main_thread():
            threading.Event().wait()

    def end(self) -> None:
        with self._changed:
            self.ends = True
            self._changed.wait_for(lambda: self._running == 0, AT_THE_END)

    def forget(self) -> None:
        """In a child of fork(2), which has none of the threads that ran them."""
        self._changed = threading.Condition()
        self._running = 0


running_jobs = RunningJobs()
atexit.register(running_jobs.end)
os.register_at_fork(after_in_child=running_jobs.forget)
