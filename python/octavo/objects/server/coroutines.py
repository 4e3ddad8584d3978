# SPDX-License-Identifier: Apache-2.0
"""``async def`` methods of a hosted object: their steps run in the thread of one event loop, one step at a time and never beside another method.

The next call begins while one awaits (C-12). An async method awaits other objects (``await octavo.start(p.f, x)``); one that waits for them
without ``await`` stops the object's event loop meanwhile, and is warned of it once. Whoever waits for another object, in a coroutine or in another
method, gives up the turn: what it waits for may be a coroutine of this object (C-3).
"""

import asyncio
import sys
import threading
import warnings
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from octavo import _core

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


class Loop:
    """An event loop in a thread of its own, begun by the first coroutine."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun: set[Coroutine[Any, Any, Any]] = set()

    def run(self, coroutine: Coroutine[Any, Any, Any], done: Callable[[bool, Any], None]) -> None:
        """Begins it; ``done(True, result)`` or ``done(False, exception)`` comes from the loop's thread."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._run, args=(self._loop,), name="octavo-asyncio", daemon=True).start()
        self._begun.add(coroutine)

        async def work() -> None:
            try:
                result = await Step(coroutine, self.turn)
            except BaseException as error:
                done(False, error)
            else:
                done(True, result)
            finally:
                self._begun.discard(coroutine)

        asyncio.run_coroutine_threadsafe(work(), self._loop)

    def wake(self) -> None:
        """After a method that is no coroutine: one may wait for what it did."""
        if self._begun and self._loop is not None:
            self._loop.call_soon_threadsafe(bool)  # nothing; the loop looks what there is

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        _core.mark_event_loop(self.turn)
        try:
            loop.run_forever()
        finally:
            _core.mark_event_loop(None)

    def end(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
