# SPDX-License-Identifier: Apache-2.0
"""``async def`` methods and async generators of a hosted object: their steps run in the thread of one event loop, one step at a time and never beside
another method.

The next call begins while one awaits (C-12). An async method awaits other objects (``await octavo.start(p.f, x)``); one that waits for them
without ``await`` stops the object's event loop meanwhile, and is warned of it once. Whoever waits for another object, in a coroutine or in another
method, gives up the turn: what it waits for may be a coroutine of this object (C-3).
"""

import asyncio
import sys
import threading
import time
import warnings
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent import futures as standard
from itertools import count
from typing import Any

from octavo import _core
from octavo.errors import GoneError
from octavo.objects.streams import Batch, StreamHandle, batch_seconds

seconds_to_end = 1.5  # for what of them still runs when their object ends: Ending.finish() has the rest of 5 s
CURE = "an `async def` method waits for another object and stops the event loop of its own meanwhile. Write `await octavo.start(p.method, x)`"


def warn_of_event_loop() -> None:
    """Names the line of the object's own code."""
    level, frame = 2, sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith("octavo.") and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(CURE, RuntimeWarning, stacklevel=level)


class Step:
    """Awaits a coroutine, and holds the object's turn in each step of it."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], turn: threading.RLock) -> None:
        self._coroutine, self._turn = coroutine, turn

    def __await__(self) -> Generator[Any, Any, Any]:
        step, given = self._coroutine.send, None
        while True:
            try:
                with self._turn:
                    waits_for = step(given)
            except StopIteration as end:
                return end.value
            step, given = self._coroutine.send, None
            try:
                given = yield waits_for
            except BaseException as error:
                step, given = self._coroutine.throw, error


async def in_turn(coroutine: Coroutine[Any, Any, Any], turn: threading.RLock) -> Any:
    return await Step(coroutine, turn)


class Loop:
    """An event loop in a thread of its own, begun by the first coroutine."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: set[standard.Future[None]] = set()
        self._ends = False

    def run(self, coroutine: Coroutine[Any, Any, Any], done: Callable[[bool, Any], None]) -> None:
        """Begins it; ``done(True, result)`` or ``done(False, exception)`` comes from the loop's thread."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._run, args=(self._loop,), name="octavo-asyncio", daemon=True).start()

        async def work() -> None:
            try:
                result = await Step(coroutine, self.turn)
            except BaseException as error:
                left = self._ends and isinstance(error, asyncio.CancelledError)
                done(False, GoneError("the object ended before its async method had returned") if left else error)
            else:
                done(True, result)

        running = asyncio.run_coroutine_threadsafe(work(), self._loop)
        self._running.add(running)  # asyncio itself does not keep it
        running.add_done_callback(self._running.discard)

    def begin(self, coroutine: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """In the loop's thread: another one, beside that which runs."""
        return asyncio.get_running_loop().create_task(in_turn(coroutine, self.turn))

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        _core.mark_event_loop(self.turn)
        hear_of_methods(loop)
        try:
            loop.run_forever()
        finally:
            _core.mark_event_loop(None)
            loop.close()

    def end(self, streams: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Ends the streams and whatever else runs, if it does not take long. Raises what the streams raise."""
        if self._loop is None or self._loop.is_closed():  # by a SystemExit in a task of the user's
            return
        self._ends = True

        async def last() -> None:
            try:
                await streams()
            finally:
                await leave_tasks()

        try:
            ended = asyncio.run_coroutine_threadsafe(last(), self._loop)
            if ended in standard.wait([ended], seconds_to_end).done:
                ended.result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)


async def leave_tasks() -> None:
    """By CancelledError, so that what they have open is closed: in all others of this loop, and in what these begin meanwhile."""
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        for each in others:
            each.cancel()
        await asyncio.wait(others)
    await asyncio.get_running_loop().shutdown_asyncgens()


def hear_of_methods(loop: Any) -> None:
    """By the loop's thread: what methods give it to do, or let a coroutine go on with, wakes it at once. asyncio expects such things of this thread only."""
    mine, soon, at = threading.get_ident(), loop.call_soon, loop.call_at

    def call_soon(callback: Callable[..., object], *arguments: Any, context: Any = None) -> Any:
        give = soon if threading.get_ident() == mine else loop.call_soon_threadsafe
        return give(callback, *arguments, context=context)

    def call_at(when: float, callback: Callable[..., object], *arguments: Any, context: Any = None) -> Any:
        handle = at(when, callback, *arguments, context=context)
        if threading.get_ident() != mine:
            loop.call_soon_threadsafe(bool)  # nothing; it looks when to wake next
        return handle

    loop.call_soon, loop.call_at = call_soon, call_at


class AsyncItems:
    """What an async generator gives. A task makes it, which goes on only while a batch is asked for: so it is one item ahead of that at most."""

    def __init__(self, generator: AsyncGenerator[Any, None], loop: Loop) -> None:
        self._generator, self._loop = generator, loop
        self._items: list[Any] = []
        self._most, self._end = 0, 0.0  # of the batch that is asked for
        self._asked, self._there = asyncio.Event(), asyncio.Event()
        self._maker: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._error: BaseException | None = None
        self._over = False

    async def next(self, most: int) -> Batch:
        """Waits for the first of them. What comes without a wait goes with it."""
        self._most, self._end = most, time.monotonic() + batch_seconds
        self._asked.set()
        self._maker = self._maker or self._loop.begin(self._make())
        await self._there.wait()
        seen = 0
        while self._asked.is_set() and seen < len(self._items):
            seen = len(self._items)
            await asyncio.sleep(0)  # the loop's other tasks take a step, and so does the maker
        self._asked.clear()
        items, self._items = self._items, []
        if not self._over:
            self._there.clear()
            return items, False, None
        if self._error is not None and self._closing is None and (not items or not isinstance(self._error, Exception)):
            raise self._error
        return items, True, self._error

    async def _make(self) -> None:
        try:
            async for item in self._generator:
                self._items.append(item)
                self._there.set()
                if self._closing is not None:
                    return
                if len(self._items) >= self._most or time.monotonic() > self._end:
                    self._asked.clear()
                await self._asked.wait()
        except BaseException as error:
            if self._closing is None:
                self._error = error
        finally:
            self._is_over()

    def _is_over(self) -> None:
        self._over = True
        self._asked.clear()
        self._there.set()

    async def close(self, error: Exception | None = None) -> None:
        """Also while it awaits something for its next item. Who still asks for more is told of this error, else that there is no more."""
        if self._closing is None:
            self._error = error
            self._closing = self._loop.begin(self._close())
        await self._closing

    async def _close(self) -> None:
        try:
            if self._maker is not None:
                self._maker.cancel()
                await asyncio.wait([self._maker])
            await self._generator.aclose()
        finally:
            self._is_over()


class AsyncStreams:
    """The async generators of a hosted object that are being read: as ``Streams``, by coroutines."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._running: dict[int, AsyncItems] = {}
        self._numbers = count(1)

    def add(self, generator: AsyncGenerator[Any, None]) -> StreamHandle:
        number = next(self._numbers)
        self._running[number] = AsyncItems(generator, self._loop)
        return StreamHandle(number, True)

    async def next(self, number: int, most: int) -> Batch:
        items, is_last = self._running[number], True
        try:
            made, is_last, error = await items.next(most)
        finally:
            if is_last:
                await self.close(number)
        return made, is_last, error

    async def close(self, number: int) -> None:
        items = self._running.get(number)
        if items is not None:
            await items.close()
            self._running.pop(number, None)

    async def end(self) -> None:
        """With the object. Whoever asks for more is not to believe that this was all."""
        gone = GoneError("the object ended before its async generator had given all its items")
        for outcome in await asyncio.gather(*(items.close(gone) for items in self._running.values()), return_exceptions=True):
            if outcome is not None:
                raise outcome
