# SPDX-License-Identifier: Apache-2.0
"""The end of an object's process in order: what Python does at the end of a program, in bounded time, beside whatever threads there still are.

The interpreter itself is not taken down: other threads, and those of libraries, may be anywhere. Octavo ends the process 5 s after the object in any case.
"""

import atexit
import contextlib
import gc
import io
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from octavo.errors import Error
from octavo.objects.server.output import flush_output

LEAVE = signal.SIGRTMAX - 1  # to the main thread: its method is to end
ROUND = 0.5  # seconds after which what still waits is interrupted again
NOT_OURS = ("octavo.", "asyncio.", "socket", "_socket", "select", "_ssl", "ssl")  # event loops that still run have some
NO_FILE, WRITES_INTO_OTHERS, TEXT, BUFFER = range(4)  # in which order what is open is closed


class TookTooLong(BaseException):
    """In whatever the main thread waits for."""


class Ending:
    """Of this process; ``interrupt`` and ``finish`` are what _core.serve_objects() asks for."""

    def __init__(self) -> None:
        self._finishes = False
        self._heard = threading.Event()

    def install(self) -> None:
        signal.signal(LEAVE, self._leave)

    def _leave(self, _number: int, _frame: FrameType | None) -> None:
        if not self._finishes:
            self._heard.set()
            raise SystemExit

    def interrupt(self) -> bool:
        """By another thread, as the program ends while a method runs: SystemExit in it, so that what it has open is closed. Whether it heard."""
        main = threading.main_thread().ident
        if main is not None:
            signal.pthread_kill(main, LEAVE)
        return self._heard.wait(ROUND)

    def finish(self, destroy: Callable[[], None]) -> None:
        """Has the object destroyed, and ends what Python ends: threads that are joined, ``atexit``, files with what is buffered, what has a ``__del__``."""
        self._finishes = True
        sys.unraisablehook = without_what_ends(sys.unraisablehook)
        begin = time.monotonic()
        destroy()
        for_threads = max(0.5, 2.0 - (time.monotonic() - begin))
        for seconds, step in ((for_threads, threading._shutdown), (1.5, atexit._run_exitfuncs), (1.0, close_all)):  # type: ignore[attr-defined]
            with contextlib.suppress(TookTooLong), at_most(seconds):
                step()
        with contextlib.suppress(Exception):
            flush_output()


def without_what_ends(shows: Callable[[Any], object]) -> Callable[[Any], None]:
    """What fails because the program has ended, or takes too long, is no news."""

    def show(problem: Any) -> None:
        if not issubclass(problem.exc_type, TookTooLong | Error):
            shows(problem)

    return show


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """TookTooLong is raised in what is done within, again and again while something of it waits."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise TookTooLong

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, ROUND)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def close_all() -> None:
    """Every file that is open, with what it has buffered, and what else has a ``__del__``: of the object, of modules and classes, and of garbage. (A collection
    could close what a text file writes into before that has written.)"""
    kinds: dict[type, int | None] = {}
    ends: list[tuple[int, Any]] = []
    for each in gc.get_objects():  # none of what was there before the fork
        kind = type(each)
        if kind not in kinds:
            kinds[kind] = order_of(kind)
        order = kinds[kind]
        if order is not None and not gc.is_finalized(each):
            ends.append((order, each))
    standard = (sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__)
    kept = {id(each) for each in standard} | {id(each.buffer) for each in standard if isinstance(each, io.TextIOWrapper)}
    for order, each in sorted(ends, key=lambda end: end[0]):
        if id(each) not in kept:
            with contextlib.suppress(Exception):
                each.__del__() if order == NO_FILE else each.close()


def order_of(kind: type) -> int | None:
    """None: nothing is to be done with it."""
    if issubclass(kind, io.IOBase):
        if kind.__module__ != "_io":
            return WRITES_INTO_OTHERS
        return TEXT if issubclass(kind, io.TextIOBase) else BUFFER if issubclass(kind, io.BufferedIOBase) else None
    own = any("__del__" in vars(each) for each in kind.__mro__)
    return NO_FILE if own and not kind.__module__.startswith(NOT_OURS) else None
