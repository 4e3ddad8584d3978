# SPDX-License-Identifier: Apache-2.0
"""What a generator of a remote object gives: it runs there, a little ahead of who reads it, and ends when its reader does.

Items come in batches that grow up to ``most_at_once``; the next batch is made while this one is used, and no other before: that is the back-pressure.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from octavo import _core
from octavo.objects.unpicklable import Stays

most_at_once = 64
batch_seconds = 0.002  # after which a batch goes as it is

Batch = tuple[list[Any], bool, BaseException | None]  # items, whether these were the last, and what the generator raised after them


class StreamHandle(NamedTuple):
    """Travels in place of a generator."""

    number: int
    is_async: bool = False  # then the object's event loop makes the items


class Streams:
    """The generators of a hosted object that are being read."""

    def __init__(self) -> None:
        self._running: dict[int, Iterator[Any]] = {}
        self._numbers = count(1)

    def add(self, generator: Iterator[Any]) -> StreamHandle:
        number = next(self._numbers)
        self._running[number] = generator
        return StreamHandle(number)

    def next(self, number: int, most: int) -> Batch:
        generator = self._running[number]
        items: list[Any] = []
        end = time.monotonic() + batch_seconds
        try:
            while len(items) < most:
                items.append(next(generator))
                if time.monotonic() > end:
                    break
            return items, False, None
        except StopIteration as error:
            del self._running[number]
            return items, True, error if error.value is not None else None  # what ``yield from`` gives
        except BaseException as error:
            del self._running[number]
            if not items or not isinstance(error, Exception):
                raise
            return items, True, error

    def close(self, number: int) -> None:
        generator = self._running.pop(number, None)
        if generator is not None and hasattr(generator, "close"):
            generator.close()


class Stream(Stays, Iterator[Any]):
    """The reader's end: an iterator, also for ``async for``. ``close()`` ends the generator; so does dropping it."""

    cannot_travel = "the generator of a remote object cannot be sent to another process. Send its items, as list(stream), or have it begun there"

    def __init__(self, pointer: _core.PointerBase, handle: StreamHandle) -> None:
        self._pointer, self._handle = pointer, handle
        self._lock = threading.RLock()  # several threads may share the items
        self._items: list[Any] = []
        self._most, self._last = 1, False
        self._error: BaseException | None = None
        self._coming = self._ask("next_items", self._most)

    def _ask(self, what: str, *arguments: int) -> Any:
        if self._handle.is_async:
            return _core.start_coroutine(self._pointer, f"async_{what}", (self._handle.number, *arguments))
        return _core.start_perform(self._pointer, what, (self._handle.number, *arguments))

    def __next__(self) -> Any:
        with self._lock:
            if not self._items:
                self._receive()
            return self._items.pop()

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Any:
        import asyncio

        if not self._items and not self._last:
            await asyncio.wait([asyncio.wrap_future(self._coming)])
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    def _receive(self) -> None:
        if self._last:
            error, self._error = self._error, None
            raise error or StopIteration
        items, self._last, self._error = self._coming.result()
        self._items = items[::-1]
        if not self._last:
            self._most = min(most_at_once, 2 * self._most)
            self._coming = self._ask("next_items", self._most)
        elif not items:
            self._receive()

    def close(self) -> None:
        if not self._last:
            self._last, self._items = True, []
            self._ask("close_stream")

    def __del__(self) -> None:
        if not getattr(self, "_last", True):
            try:
                self.close()
            except Exception:  # the object is gone, or the program ends
                self._last = True
