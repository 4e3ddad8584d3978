# SPDX-License-Identifier: Apache-2.0
"""``asyncio.run`` in a method that is no coroutine: its event loop stands in the thread of the object, which is to be called back meanwhile (C-3).

So that thread waits as it waits for a result, and another watches the loop's descriptors for it. That begins when the loop first awaits a call of
Octavo's, and holds for the loops of asyncio itself: those that are written in C (uvloop) wait in a way of their own. For these another thread waits, so that
what is awaited is answered; the object is not called back meanwhile.
"""

import asyncio
import concurrent.futures as standard
import contextlib
import os
import select
import selectors
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from octavo import _core
from octavo.objects.futures import ServingEvent


class Watch:
    """A thread that sets `seen` when epoll has something to tell, once each time it is asked."""

    def __init__(self, epoll: int, seen: ServingEvent) -> None:
        self._epoll, self._seen = epoll, seen
        self._asked = threading.Semaphore(0)
        self._watches = self._ends = False
        self._end = os.eventfd(0, os.EFD_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="octavo-asyncio-watch", daemon=True)
        self._thread.start()

    def ask(self) -> None:
        """By the thread that has cleared `seen`. One that was asked and has seen nothing yet still watches."""
        if not self._watches:
            self._watches = True
            self._asked.release()

    def _run(self) -> None:
        both = select.poll()
        for each in (self._epoll, self._end):
            both.register(each, select.POLLIN)
        while self._asked.acquire() and not self._ends:
            both.poll()
            self._watches = False  # before it is told: who is told may ask again
            self._seen.set()

    def end(self) -> None:
        self._ends = True
        os.eventfd_write(self._end, 1)
        self._asked.release()
        self._thread.join()
        os.close(self._end)


class ServingSelector(selectors.BaseSelector):
    """The selector of a loop, in whose select() the object of this thread is called."""

    def __init__(self, plain: selectors.EpollSelector, loop: Any) -> None:
        self._plain, self._loop = plain, loop
        self._seen = ServingEvent()
        self._watch = Watch(plain.fileno(), self._seen)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._plain.select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        self._seen.clear()
        self._watch.ask()
        with outside(self._loop, self._seen.set):
            self._seen.wait(timeout)
        return self._plain.select(0)

    def close(self) -> None:
        self._watch.end()
        self._plain.close()

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._plain.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._plain.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._plain.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._plain.get_map()


@contextlib.contextmanager
def outside(loop: Any, wake: Callable[[], None]) -> Iterator[None]:
    """Methods that are called here may run a loop of their own; what they give this one to do wakes it, which asyncio expects of other threads only."""

    def waking(give: Callable[..., Any]) -> Callable[..., Any]:
        def give_and_wake(*arguments: Any, **keywords: Any) -> Any:
            handle = give(*arguments, **keywords)
            wake()
            return handle

        return give_and_wake

    asyncio._set_running_loop(None)
    loop.call_soon, loop.call_at = waking(loop.call_soon), waking(loop.call_at)
    try:
        yield
    finally:
        del loop.call_soon, loop.call_at
        asyncio._set_running_loop(loop)


class Reading:
    """A thread that waits for as long as something is awaited in a loop: it reads the answers (docs/contract.md, C-3)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._awaited = 0
        self._over = _core.Signal()

    def until_done(self, awaited: standard.Future[Any]) -> None:
        with self._lock:
            self._awaited += 1
            if self._awaited == 1:
                self._over = _core.Signal()
                threading.Thread(target=self._over.wait, args=(None,), name="octavo-await", daemon=True).start()
        standard.Future.add_done_callback(awaited, self._is_done)

    def _is_done(self, _: object) -> None:
        with self._lock:
            self._awaited -= 1
            if self._awaited == 0:
                self._over.set()


def serve_in_running_loop(awaited: standard.Future[Any]) -> None:
    """In the thread of an object that is about to await: from now on it is called while the loop waits, or at least its answers are read."""
    loop: Any = asyncio._get_running_loop()
    plain = getattr(loop, "_selector", None)
    if isinstance(plain, selectors.EpollSelector):
        loop._selector = ServingSelector(plain, loop)
    elif loop is not None and not isinstance(plain, ServingSelector):
        if not hasattr(loop, "_octavo_reading"):
            loop._octavo_reading = Reading()
        loop._octavo_reading.until_done(awaited)
