# SPDX-License-Identifier: Apache-2.0
"""How a command ends before it is done: Ctrl-C is status 130, SIGTERM 143, SIGHUP 129."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from octavo._src.paths import is_array_name, shown

ENDING = (signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """A signal has asked the command to end; ``status`` is what a shell shows for it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


def end_by_signals() -> None:
    """SIGTERM and SIGHUP stop a job as Ctrl-C does, unless whoever began us has them ignored (nohup)."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped(number)

    for each in ENDING:
        if signal.getsignal(each) == signal.SIG_DFL:
            signal.signal(each, stop)


def stop_once() -> None:
    """From now on only the first signal stops the command: a second one would disturb what cleans up after it."""
    heard = [each for each in (signal.SIGINT, *ENDING) if signal.getsignal(each) != signal.SIG_IGN]

    def nothing(number: int, frame: FrameType | None) -> None:
        pass

    def stop(number: int, frame: FrameType | None) -> None:
        for each in heard:
            signal.signal(each, nothing)
        raise KeyboardInterrupt if number == signal.SIGINT else Stopped(number)

    for each in heard:
        signal.signal(each, stop)


@contextmanager
def saying_what_is_left(made: str) -> Iterator[None]:
    """Within it, what stops the command ends it with a line that says what became of ``made``."""
    try:
        yield
    except (KeyboardInterrupt, Stopped) as stop:
        for each in (signal.SIGINT, *ENDING):
            signal.signal(each, signal.SIG_IGN)  # it ends already: a second one would only tear the words apart
        became = f"'{made}' has a part of the result" if is_array_name(made) else f"what it had written to '{made}' is removed"
        print(f"octavo: stopped; {shown(became)}", file=sys.stderr)
        raise typer.Exit(stop.status if isinstance(stop, Stopped) else 130) from None
