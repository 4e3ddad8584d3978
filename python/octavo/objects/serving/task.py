# SPDX-License-Identifier: Apache-2.0
"""Futures of calls that may wait for a worker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from octavo import _core
from octavo.errors import Cancelled
from octavo.objects.futures import Future, timed_out
from octavo.objects.serving import packing
from octavo.objects.serving.workers import begin_on, checked

if TYPE_CHECKING:
    from octavo.objects.serving.hand import Hand
    from octavo.objects.serving.pool import Pool

R = TypeVar("R")


class Task(Future[R]):
    """Waits in a pool until a worker is free; then it is the future of the call that it has begun there."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(None)
        self._pool = pool
        self._packed: packing.Packed | None = None  # where it waits
        self._call: Any = None  # where it waits, and goes to one process alone
        self._hand: Hand | None = None  # which has it, and has not answered
        self._current: Any = None  # the reply of that
        self._waits = True
        self._size = 0  # of that, in bytes
        self._bound: Any = None  # a Signal, of a thread that waits meanwhile
        self._asked_back = False
        self._sent = 0.0

    def _pack(self, packed: packing.Packed) -> None:
        self._packed, self._size = packed, len(packed.bytes)

    def _keep(self, call: Any) -> None:
        self._call = call

    def _send(self, worker: Any, key: Any) -> Future[Any]:
        """Of one that has waited."""
        if self._packed is None:
            begun = begin_on(worker, *self._call)
            self._call = None
            return begun
        packing.teach(key, (self._packed,))
        return checked(_core.start_method(worker.call_packed, self._packed.bytes))

    def _is_taken(self) -> None:
        """By a worker; with the pool's lock."""

    def _take_time(self, seconds: float) -> None:
        """That it took at its worker."""

    def _bind(self, reply: Any) -> None:
        with self._becoming:
            self._reply = reply
            self._waits = False
            is_standard = "_condition" in self.__dict__
        if is_standard:
            reply.on_ready(self._settle_by_reply)
        self._wake()

    def _wake(self) -> None:
        bound, self._bound = self._bound, None
        if bound is not None:
            bound.set()

    def _wait_again(self) -> Any:
        """Its worker died, and this had not begun there. With the pool's lock; gives the reply, which is nobody's any more."""
        with self._becoming:
            reply, self._reply = self._reply, None
            self._waits = True
        return reply

    def _end(self, error: BaseException) -> None:
        """Of one that waits, and will not begin."""
        with self._becoming:
            self._waits = False
        self._tell((False, error))
        self._wake()

    def _look(self) -> None:
        """Whether its worker died before it began."""
        if (reply := self._current) is not None and reply.ready():
            self._pool.answered(self, reply)

    def _settle_by_reply(self) -> None:
        self._look()
        reply = self._reply
        if not self._waits and reply is not None and reply.ready():
            super()._settle_by_reply()

    def _wait(self, timeout: float | None) -> tuple[bool, Any] | None:
        end = None if timeout is None else time.monotonic() + timeout

        def left() -> float | None:
            return None if end is None else max(0.0, end - time.monotonic())

        while True:
            while self._waits:
                with self._pool.lock:
                    if not self._waits:
                        break
                    bound = self._bound = self._bound or _core.Signal()
                if not bound.wait(left()):
                    raise timed_out(timeout)
            reply = self._reply
            if reply is not None and not reply.wait(left()):
                raise timed_out(timeout)
            self._look()
            if not self._waits:
                return super()._wait(left())

    def done(self) -> bool:
        self._look()
        return not self._waits and super().done()

    def running(self) -> bool:
        self._look()
        return not self._waits and super().running()

    def cancel(self) -> bool:
        """True: it waited for a worker, or was cancelled before. False: a worker has it. Waits for no answer.

        One that lies at a worker behind another call is asked back: where the worker reads that before it begins it, it is ``cancelled()`` then.
        """
        self._look()
        if self._take_back():
            return True
        if self._lies_behind_another():
            super()._ask_to_cancel()
        return self.cancelled()

    def _lies_behind_another(self) -> bool:
        with self._pool.lock:
            hand = self._hand
            return hand is not None and hand.calls[0] is not self

    def _take_back(self) -> bool:
        self._asked_back = True
        if not self._pool.take_back(self):
            return False
        self._end(Cancelled("the call was cancelled before it began"))
        return True

    def _ask_to_cancel(self) -> None:
        if not self._take_back():
            super()._ask_to_cancel()

    def _when_answered(self, work: Any) -> None:
        self.add_done_callback(lambda _: work())

    def add_done_callback(self, fn: Any) -> None:
        self._pool.await_in_loop()
        super().add_done_callback(fn)
