# SPDX-License-Identifier: Apache-2.0
"""What can happen to a process in the middle of something, and objects to which it does: while they are made, end, or read an argument."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TROUBLES = ("none", "raise", "kill", "stop", "fork")


def meet(trouble: str) -> int:
    """In this process, here and now."""
    if trouble == "raise":
        raise LookupError("met")
    if trouble == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if trouble == "stop":
        be_stopped(0.02)
    if trouble == "fork":
        pid = os.fork()
        if pid == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    return 1


def be_stopped(seconds: float) -> None:
    """A child lets it go on. It says so again and again, for the first time may be before the stop."""
    reads, writes = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(writes)
        while not select.select([reads], [], [], seconds)[0]:
            os.kill(parent, signal.SIGCONT)
        os._exit(0)
    os.close(reads)
    os.kill(parent, signal.SIGSTOP)
    os.close(writes)  # which the child hears; so it does where this process is killed
    assert os.waitpid(pid, 0)[1] == 0


class Reading:
    """An argument or a result that meets trouble where it is unpickled, and is 1 afterwards."""

    def __init__(self, trouble: str) -> None:
        self.trouble = trouble

    def __reduce__(self) -> tuple[Any, ...]:
        return meet, (self.trouble,)


class Fragile:
    """Meets trouble when it is made, and other when it ends."""

    def __init__(self, at_begin: str = "none", at_end: str = "none") -> None:
        self.total, self.closed, self.at_end = 0, 0, at_end
        meet(at_begin)

    def __del__(self) -> None:
        meet(getattr(self, "at_end", "none"))

    def add(self, number: int) -> int:
        self.total += number
        return self.total

    def wrong(self) -> None:
        raise LookupError("asked for")

    def result(self, trouble: str) -> Reading:
        return Reading(trouble)

    def lines(self, count: int) -> Iterator[int]:
        try:
            yield from range(count)
        finally:
            self.closed += 1

    def pid(self) -> int:
        return os.getpid()

    def hold(self, gate: str) -> int:
        """Until there is such a file, or its folder is no more. Makes another file, of its pid, when it begins."""
        return hold(gate)

    @property
    def held(self) -> int:
        return self.hold(self.gate)

    def set_gate(self, gate: str) -> None:
        self.gate = gate

    def hold_lines(self, gate: str) -> Iterator[int]:
        yield self.hold(gate)


class Holding(Fragile):
    """Takes its time to be made."""

    def __init__(self, gate: str) -> None:
        super().__init__()
        hold(gate)


def hold(gate: str) -> int:
    path = Path(gate)
    writing = path.with_suffix(".writing")
    writing.write_text(str(os.getpid()))
    writing.rename(path.with_suffix(".began"))
    until(lambda: path.exists() or not path.parent.exists())
    return 1


def until(condition: Callable[[], object]) -> None:
    """Whoever waits in vain is what the soak calls hung."""
    while not condition():
        time.sleep(0.005)
