# SPDX-License-Identifier: Apache-2.0
"""Where a stream's items come from: read on a thread of its own, as an iterator may wait; one that cannot is read by whoever brings the stream on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from octavo.errors import Refused

if TYPE_CHECKING:
    from octavo.streams.running.belt import Belt
    from octavo.streams.running.flow import Flow

# Iterators that never wait, and run nothing of the user's.
at_once: tuple[type[Any], ...] = (type(iter([])), type(iter(())), type(iter(range(0))), type(iter("")), type(iter(b"")))


SECONDS_TO_LET_GO = 0.1


class Source:
    """With the flow's lock, but for begin()."""

    def __init__(self, items: Iterator[Any], belt: Belt, flow: Flow) -> None:
        self._items, self._belt, self._flow = items, belt, flow
        self._at_once = isinstance(items, at_once)
        self._room = threading.Condition(flow.lock)
        self._ended = self._stopped = False
        self._reader: threading.Thread | None = None
        self.given = 0
        self.error: BaseException | None = None

    def begin(self) -> None:
        if not self._at_once:
            self._reader = threading.Thread(target=self._read, name="octavo-source", daemon=True)
            self._reader.start()
        self._flow.pump()

    def let_go(self) -> None:
        """Without the lock, when it is over: a generator that nobody else has is closed. One that waits for something of its own is not waited for."""
        self._items = iter(())
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join(SECONDS_TO_LET_GO)

    def refill(self) -> None:
        """After a change."""
        if not self._at_once:
            if self._belt.has_room():
                self._room.notify()
            return
        while not self._ended and self._belt.has_room():
            try:
                self._belt.put(next(self._items))
                self.given += 1
            except StopIteration:
                self._end()
            except Refused as error:
                self.error = error
                self._end()

    def _end(self) -> None:
        self._ended = self._belt.closed = True

    def stop(self) -> None:
        self._stopped = True
        if self._at_once:
            self._end()
        self._room.notify()

    def is_over(self) -> bool:
        return self._ended or self._stopped

    def _read(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._items:
                with self._flow.lock:
                    self._room.wait_for(lambda: self._stopped or self._belt.has_room())
                    if self._stopped:
                        break
                    self._belt.put(item)
                    self.given += 1
                self._flow.pump()
        except BaseException as problem:
            error = problem
        with self._flow.lock:
            self.error = error
            self._end()
        self._flow.pump()
