# SPDX-License-Identifier: Apache-2.0
"""The end of a stream's workers, whatever they are doing."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

from octavo import _core
from octavo.objects.pointers import begin_to_destroy, destroy
from octavo.streams.running.hands import Hand
from octavo.watching import address

SECONDS_TO_END = 0.5  # that a worker which computes is given when nobody wants its results


def end_workers(hands: list[Hand]) -> None:
    """Returns when they are gone. Ctrl-C ends the wait, and they end all the same."""
    left = list(hands)
    try:
        late = time.monotonic() + SECONDS_TO_END
        while any(hand.is_busy() for hand in hands) and time.monotonic() < late:
            _core.Signal().wait(0.005)
        for hand in hands:
            kill_if_busy(hand)
        while left:
            with contextlib.suppress(Exception):  # it is gone; or it raised when it ended, which nobody waits for
                destroy(left[0].worker)
            del left[0]
    except BaseException:
        begin_to_end(left)
        raise


def kill_if_busy(hand: Hand) -> None:
    """A thread of this program cannot be killed: it is waited for."""
    if hand.is_busy() and hand.pid not in (0, os.getpid()):
        with contextlib.suppress(Exception):
            _core.send_signal(*address(hand.worker), hand.pid, int(signal.SIGKILL))


def begin_to_end(hands: Iterable[Hand]) -> None:
    for hand in hands:
        kill_if_busy(hand)
        with contextlib.suppress(Exception):
            begin_to_destroy(hand.worker)


def raise_no_end(error: BaseException, where: str) -> None:
    """StopIteration of a user's function, which a loop that reads the stream would take for its end, is a RuntimeError, as in generators (PEP 479)."""
    if isinstance(error, StopIteration | StopAsyncIteration):
        told = RuntimeError(f"{where} raised {type(error).__name__}, which ends a loop. Give next() a default, or catch it there")
        for text in getattr(error, "__notes__", ()):
            note(told, text)
        raise told from error


def note(error: BaseException, text: str, *, of: str = "stage") -> None:
    """Of where in a stream it was raised, and of its results, once each."""
    noted = getattr(error, "__notes__", [])
    if hasattr(error, "add_note") and not any(of in each.split(" ", 2)[:2] for each in noted):
        with contextlib.suppress(Exception):  # of a frozen class
            error.add_note(text)
