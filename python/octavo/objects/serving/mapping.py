# SPDX-License-Identifier: Apache-2.0
"""Executor.map(): items are sent to the workers in parts, whose size follows from how long items take, and results come in order."""

from __future__ import annotations

import inspect
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from octavo import _core
from octavo.errors import origin
from octavo.objects.futures import Future
from octavo.objects.serving.packing import Packed, plain_kinds, teach
from octavo.objects.serving.pool import Pool
from octavo.objects.serving.task import Task
from octavo.objects.serving.workers import checked, sent_as

PART = 0.005  # seconds that a part is to take
LEAST = 0.0003  # which are not worth one more, though others end before
numbers = itertools.count()
Item = Packed | tuple[Any, ...]  # the arguments of a call; a tuple has what never changes, and goes as it is with others


class Source:
    """What a map has still to send. size: of a part; None: by the time that items took."""

    def __init__(self, function: Packed, items: list[Item], size: int | None, workers: int) -> None:
        self.function, self.items, self.size, self.workers = function, items, size, workers
        self.sent = 0
        self.each = 0.0  # seconds an item took, at present
        self._last = 1

    def cut(self) -> list[Item]:
        left = len(self.items) - self.sent
        size = self.size or self._fitting(left)
        part = self.items[self.sent : self.sent + size]
        self.items[self.sent : self.sent + size] = [self.function] * len(part)  # the bytes go with the part
        self.sent += len(part)
        return part

    def _fitting(self, left: int) -> int:
        """At most a part of what each worker is still to have, as the last ones are to end together; and not many times as many as were tried."""
        if not self.each:
            return 1
        most = min(max(left // (4 * self.workers), int(LEAST / self.each)), 8 * self._last)
        self._last = max(1, min(most, int(PART / self.each)))
        return self._last

    def take_time(self, seconds: float, items: int) -> None:
        took = max(seconds, 1e-7) / items
        self.each = took if not self.each else max(took, (self.each + took) / 2)


class Part(Task[list[Any]]):
    """The next part: it is cut when a worker takes it."""

    def __init__(self, pool: Pool, source: Source) -> None:
        super().__init__(pool)
        self._source, self._packed = source, source.function
        self._items: list[Item] = []
        self._next: Part | None = None
        self._number = next(numbers)
        self._worker: Any = None

    def _is_taken(self) -> None:
        if self._items:
            return  # a worker died that had not begun it
        self._items = self._source.cut()
        if self._source.sent < len(self._source.items):
            self._next = Part(self._pool, self._source)
            self._pool.queue.appendleft(self._next)

    def _send(self, worker: Any, key: Any) -> Future[Any]:
        self._worker = worker
        teach(key, (self._source.function, *(item for item in self._items if type(item) is Packed)))
        items = [item.bytes if type(item) is Packed else item for item in self._items]
        return checked(_core.start_method(worker.call_each, self._number, self._source.function.bytes, items))

    def _take_time(self, seconds: float) -> None:
        self._source.take_time(seconds, len(self._items))
        self._items = []

    def results(self, timeout: float | None) -> Iterator[Any]:
        try:
            yield from self.result(timeout)
        except Exception as error:
            if origin(error) is not None:  # the function's: what came before it is still there
                yield from self._worker.take_before(self._number)
            raise


def is_answered_whole(function: object) -> bool:
    """No stream, and nothing that is awaited: several results can go together."""
    called = function.func if isinstance(function, partial) else function
    return not (inspect.isgeneratorfunction(called) or inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called))


def as_they_are(items: list[tuple[Any, ...]]) -> list[Item]:
    """Now, whenever they are sent."""
    if plain_kinds.issuperset(map(type, itertools.chain.from_iterable(items))):
        return list(items)
    return [item if plain_kinds.issuperset(map(type, item)) else Packed(item) for item in items]


def begin_parts(pool: Pool, function: Callable[..., Any], items: list[tuple[Any, ...]], size: int | None, workers: int) -> Part:
    """Raises what pickling does."""
    source = Source(Packed(sent_as(function)), as_they_are(items), size, workers)
    first = Part(pool, source)
    pool.put(first)
    return first


def results_of(first: Part, timeout: float | None) -> Iterator[Any]:
    end = None if timeout is None else time.monotonic() + timeout

    def give() -> Iterator[Any]:
        part: Part | None = first
        try:
            while part is not None:
                yield from part.results(None if end is None else max(0.0, end - time.monotonic()))
                part = part._next
        finally:
            while part is not None:
                part._ask_to_cancel()
                part = part._next

    return give()


class Ahead:
    """Of map(buffersize=n): so many calls are begun ahead of who reads."""

    def __init__(self, begin: Callable[[Any], Future[Any]], items: Iterator[Any], buffersize: int) -> None:
        self._begin, self._items = begin, items
        self._begun: deque[Future[Any]] = deque()
        try:
            self._begun.extend(map(begin, itertools.islice(items, buffersize)))
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        while self._begun:
            self._begun.popleft()._ask_to_cancel()

    def results(self, timeout: float | None) -> Iterator[Any]:
        end = None if timeout is None else time.monotonic() + timeout
        return self._give(end)

    def _give(self, end: float | None) -> Iterator[Any]:
        try:
            while self._begun:
                result = self._begun[0].result(None if end is None else max(0.0, end - time.monotonic()))
                self._begun.popleft()
                for item in itertools.islice(self._items, 1):
                    self._begun.append(self._begin(item))
                yield result
        finally:
            self.cancel()


def call_each(function: Callable[..., Any], items: Iterable[tuple[Any, ...]]) -> list[Any]:
    return [function(*item) for item in items]
