# SPDX-License-Identifier: Apache-2.0
"""What a generator of a remote object gives: it runs there, a little ahead of who reads it, and ends when its reader does.

Items come in batches that grow up to ``most_at_once``; the next batch is made while this one is used, and no other before: that is the back-pressure.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterator
from itertools import count
from typing import Any, NamedTuple

from octavo import _core
from octavo.objects.unpicklable import Stays

most_at_once = 64
batch_seconds = 0.002  # after which a batch goes as it is


class StreamHandle(NamedTuple):
    """Travels in place of a generator."""

    number: int


class Streams:
    """The generators of a hosted object that are being read."""

    def __init__(self) -> None:
        self._running: dict[int, Iterator[Any]] = {}
        self._numbers = count(1)

    def add(self, generator: Iterator[Any]) -> StreamHandle:
        number = next(self._numbers)
        self._running[number] = generator
        return StreamHandle(number)

    def next(self, number: int, most: int) -> tuple[list[Any], bool, BaseException | None]:
        """Items, whether these were the last, and what the generator raised after them."""
        generator = self._running[number]
        items: list[Any] = []
        end = time.monotonic() + batch_seconds
        try:
            for item in generator:
                items.append(item)
                if len(items) == most or time.monotonic() > end:
                    return items, False, None
        except BaseException as error:
            del self._running[number]
            if not items or not isinstance(error, Exception):
                raise
            return items, True, error
        del self._running[number]
        return items, True, None

    def close(self, number: int) -> None:
        generator = self._running.pop(number, None)
        if generator is not None and hasattr(generator, "close"):
            generator.close()


def items_of(generator: AsyncGenerator[Any, None]) -> Iterator[Any]:
    """Of an async generator. Its steps run in an event loop of the thread that asks for the next item, the object's."""
    import asyncio

    loop = asyncio.new_event_loop()
    try:
        while True:
            try:
                item = loop.run_until_complete(anext(generator))
            except StopAsyncIteration:
                return
            yield item
    finally:
        loop.run_until_complete(generator.aclose())
        loop.close()


class Stream(Stays, Iterator[Any]):
    """The reader's end: an iterator, also for ``async for``. ``close()`` ends the generator; so does dropping it."""

    cannot_travel = "the generator of a remote object cannot be sent to another process. Send its items, as list(stream), or have it begun there"

    def __init__(self, pointer: _core.PointerBase, handle: StreamHandle) -> None:
        self._pointer, self._number = pointer, handle.number
        self._items: list[Any] = []
        self._most, self._last = 1, False
        self._error: BaseException | None = None
        self._coming: Any = _core.start_perform(pointer, "next_items", (self._number, self._most))

    def __next__(self) -> Any:
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
            self._coming = _core.start_perform(self._pointer, "next_items", (self._number, self._most))
        elif not items:
            self._receive()

    def close(self) -> None:
        if not self._last:
            self._last, self._items = True, []
            _core.start_perform(self._pointer, "close_stream", (self._number,))

    def __del__(self) -> None:
        if not getattr(self, "_last", True):
            try:
                self.close()
            except Exception:  # the object is gone, or the program ends
                self._last = True
