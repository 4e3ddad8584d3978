# SPDX-License-Identifier: Apache-2.0
"""Futures of started calls. Each is a concurrent.futures.Future: it can be waited for with others, awaited, cancelled, and given callbacks.

What makes a Future of the standard library dear, its lock and its lists, is made when first asked for: a loop over ``result()`` never does.
"""

import concurrent.futures as standard
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from octavo import _core
from octavo.errors import Cancelled, Error, GoneError, TimedOut
from octavo.objects.unpicklable import Stays

R = TypeVar("R")
made_when_asked_for = frozenset({"_condition", "_state", "_result", "_exception", "_waiters", "_done_callbacks"})

seconds_to_answer = 0.1  # whether a call can be taken back

threads_of_objects: set[int] = set()  # that run methods. (What threading.local keeps is gone when a thread of C++ leaves Python.)


class ServingEvent:
    """Stands for the threading.Event of who waits for several futures: meanwhile the object of the thread that waits is called back (C-3)."""

    def __init__(self) -> None:
        self._signal = _core.Signal()

    def is_set(self) -> bool:
        return self._signal.is_set()

    def set(self) -> None:
        self._signal.set()

    def clear(self) -> None:
        if self._signal.is_set():
            self._signal = _core.Signal()

    def wait(self, timeout: float | None = None) -> bool:
        return self._signal.wait(timeout)


class Waiters(list[Any]):
    """Of a Future, by which concurrent.futures.wait and as_completed hear of its end."""

    def append(self, waiter: Any) -> None:
        if threading.get_ident() in threads_of_objects and not isinstance(waiter.event, ServingEvent):
            waiter.event = ServingEvent()
        super().append(waiter)


class Future(Stays, standard.Future[R]):
    """The result of a started call.

    ``result(timeout)`` waits in seconds, and raises what the call raised, ``octavo.TimedOut`` (a TimeoutError) or ``concurrent.futures.CancelledError``.
    """

    cannot_travel = "an octavo.Future cannot be sent to another process. Send its result(), or the pointer to the object, and begin the call there"
    _becoming = threading.Lock()  # of all: held for the moment in which a Future takes its reply, or becomes one of the standard library

    def __init__(self, reply: "_core.FutureBase | None") -> None:
        self._reply: _core.FutureBase | None = reply  # None: it was taken
        self._outcome: tuple[bool, Any] | None = None  # of one that was taken and has not become standard: whether it is a result, and which

    @classmethod
    def failed(cls, error: Exception) -> "Future[Any]":
        """Of a call that could not begin: result() says why."""
        made: Future[Any] = cls(None)
        made._outcome = (False, error)
        return made

    def _found_gone(self) -> GoneError | None:
        """Where its object was gone before the call was sent."""
        if self._reply is None or self._reply.begun():
            return None
        error = self.exception()
        return error if isinstance(error, GoneError) else None

    def __getattr__(self, name: str) -> Any:
        if name in made_when_asked_for:
            self._become_standard()
            return self.__dict__[name]
        raise AttributeError(f"'Future' object has no attribute '{name}'")

    def _become_standard(self) -> None:
        with self._becoming:
            if "_condition" in self.__dict__:
                return
            super().__init__()
            self._waiters: list[Any] = Waiters()
            self.set_running_or_notify_cancel()
            reply, outcome = self._reply, self._outcome
        if outcome is not None:
            self._settle(*outcome)
        elif reply is not None:
            reply.on_ready(self._settle_by_reply)

    def _claim(self, *, standard: bool) -> "_core.FutureBase | None":
        """The reply, for the one thread that is to take it. None: another has it, or this Future is the other of the two kinds."""
        with self._becoming:
            if ("_condition" in self.__dict__) is not standard:
                return None
            reply, self._reply = self._reply, None
            return reply

    def _settle_by_reply(self) -> None:
        """In the thread that waits for it, or in the one that reads."""
        if (reply := self._claim(standard=True)) is not None:
            self._take(reply)

    def _take(self, claimed: "_core.FutureBase") -> tuple[bool, Any]:
        """Its outcome, which all who wait are told. Of Ctrl-C, and sys.exit(), in what unpickles it they are told that the result is lost."""
        try:
            outcome = outcome_of(claimed)  # which may run the user's code: no lock is held
        except BaseException as error:
            lost = Error(f"the result is lost: {type(error).__name__} ended its unpickling. Begin the call again")
            self._tell((False, lost))
            raise
        self._tell(outcome)
        return outcome

    def _tell(self, outcome: tuple[bool, Any]) -> None:
        with self._becoming:
            self._outcome = outcome
            is_standard = "_condition" in self.__dict__  # it was, or became so meanwhile, with nothing to settle it by
        if is_standard:
            self._settle(*outcome)

    def _settle(self, worked: bool, value: Any) -> None:
        if worked:
            self.set_result(value)
        elif isinstance(value, Cancelled):
            self._state = "PENDING"
            super().cancel()
            self.set_running_or_notify_cancel()
        else:
            self.set_exception(value)

    def _wait(self, timeout: float | None) -> tuple[bool, Any] | None:
        """The outcome, where this thread is the one to take the reply or another has done so. Raises TimedOut."""
        end = None if timeout is None else time.monotonic() + timeout
        reply = self._reply
        if reply is not None and not reply.wait(timeout):
            raise timed_out(timeout)
        claimed = self._claim(standard=False)
        if claimed is not None:
            return self._take(claimed)
        if self._outcome is None and end is not None:  # another thread unpickles it
            try:
                super().exception(max(0.0, end - time.monotonic()))
            except standard.TimeoutError:
                raise timed_out(timeout) from None
            except standard.CancelledError:
                return None
        return self._outcome

    def result(self, timeout: float | None = None) -> R:
        outcome = self._wait(timeout)
        if outcome is None or isinstance(outcome[1], Cancelled):
            return super().result()
        if not outcome[0]:
            raise outcome[1]
        return outcome[1]  # type: ignore[no-any-return]

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self._wait(timeout)
        return super().exception()

    def done(self) -> bool:
        if "_condition" in self.__dict__:
            return super().done()
        reply = self._reply
        return self._outcome is not None if reply is None else bool(reply.ready())

    def cancel(self) -> bool:
        """True: the call had not begun, and never will. False: it runs or is done; or its object computes, and has not answered in a tenth of a second.

        The request stays: the object reads it when it has done that, and a call that it has not begun is then ``cancelled()`` all the same.
        """
        reply = self._reply
        if reply is None or reply.ready():
            return self.cancelled()
        return bool(reply.cancel(seconds_to_answer))

    def _ask_to_cancel(self) -> None:
        """As cancel(), without waiting for the answer."""
        reply = self._reply
        if reply is not None:
            reply.ask_to_cancel()

    def _when_answered(self, work: Callable[[], object]) -> None:
        """Calls it once, now or in the thread that reads, without taking the reply: nothing of the user's is unpickled there."""
        if (reply := self._reply) is None:
            work()
        else:
            reply.on_ready(work)

    def add_done_callback(self, fn: "Callable[[Future[R]], object]") -> None:
        reply = self._reply
        if reply is not None and threading.get_ident() in threads_of_objects and runs_event_loop():
            reply.await_in_loop()  # in a method, where nothing else would read the answer
        super().add_done_callback(fn)  # type: ignore[arg-type]

    def __await__(self) -> Generator[Any, None, R]:
        """One that is cancelled meanwhile, as by Ctrl-C, asks for its call back and does not wait for the answer."""
        import asyncio

        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[R] = loop.create_future()

        def tell(_: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed
                loop.call_soon_threadsafe(settle, waiting, self)

        self.add_done_callback(tell)
        try:
            return (yield from waiting.__await__())
        except asyncio.CancelledError:
            self._ask_to_cancel()
            raise


def settle(waiting: Any, done: Future[Any]) -> None:
    """An asyncio.Future, by one that is done."""
    if waiting.cancelled():
        return
    if done.cancelled():
        waiting.cancel()
    elif (error := done.exception()) is None:
        waiting.set_result(done.result())
    elif isinstance(error, StopIteration):  # which no coroutine can raise
        waiting.set_exception(RuntimeError(f"the call raised {error!r}"))
    else:
        waiting.set_exception(error)


def outcome_of(reply: "_core.FutureBase") -> tuple[bool, Any]:
    """Takes it, once: whether it worked, and the result or the exception. Ctrl-C meanwhile is no outcome of the call, and raised."""
    try:
        return True, reply.take()
    except (KeyboardInterrupt, SystemExit):  # of this process: those of the call come as RemoteError
        raise
    except BaseException as error:
        return False, error


def runs_event_loop() -> bool:
    """Whether this thread is in one now."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio is not None and asyncio.get_running_loop() is not None
    except RuntimeError:
        return False


def timed_out(seconds: float | None) -> TimedOut:
    return TimedOut(f"the call has no result after {0 if seconds is None else max(seconds, 0):.3g} s. Wait longer, or cancel() it")


def renew_lock() -> None:
    """In a child of fork(2): another thread may have had the lock, and is not there to give it back."""
    Future._becoming = threading.Lock()


os.register_at_fork(after_in_child=renew_lock)
