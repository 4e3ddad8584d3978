# SPDX-License-Identifier: Apache-2.0
"""Futures of started calls. Each is a concurrent.futures.Future: it can be waited for with others, awaited, cancelled, and given callbacks.

What makes a Future of the standard library dear, its lock and its lists, is made when first asked for: a loop over ``result()`` never does.
"""

import concurrent.futures as standard
from collections.abc import Generator
from typing import Any, Generic, TypeVar

from octavo import _core
from octavo.errors import Cancelled, TimedOut

R = TypeVar("R")
made_when_asked_for = frozenset({"_condition", "_state", "_result", "_exception", "_waiters", "_done_callbacks"})


class Future(standard.Future, Generic[R]):  # type: ignore[type-arg]
    """The result of a started call.

    ``result(timeout)`` waits in seconds, and raises what the call raised, ``octavo.TimedOut`` (a TimeoutError) or ``concurrent.futures.CancelledError``.
    ``cancel()`` is True where the call had not begun, and never will.
    """

    def __init__(self, reply: "_core.FutureBase") -> None:
        self._reply: _core.FutureBase | None = reply  # None: the outcome is in the fields of the standard class

    def __getattr__(self, name: str) -> Any:
        if name in made_when_asked_for:
            self._become_standard()
            return self.__dict__[name]
        raise AttributeError(f"'Future' object has no attribute '{name}'")

    def _become_standard(self) -> None:
        reply = self.__dict__["_reply"]
        super().__init__()
        self.set_running_or_notify_cancel()
        reply.on_ready(self._settle)

    def _settle(self) -> None:
        """Takes the reply, once; in the thread that waits for it or in the one that reads."""
        reply, self._reply = self._reply, None
        if reply is None:
            return
        try:
            value = reply.take()
        except Cancelled:
            with self._condition:
                self._state = "PENDING"
            super().cancel()
            self.set_running_or_notify_cancel()
        except BaseException as error:
            self.set_exception(error)
        else:
            self.set_result(value)

    def result(self, timeout: float | None = None) -> R:
        reply = self._reply
        if reply is None or "_condition" in self.__dict__:
            return super().result(timeout)  # type: ignore[no-any-return]
        if not reply.wait(timeout):
            raise TimedOut(f"the call has no result after {timeout} s. Wait longer, or cancel() it")
        self._become_standard_if_wanted()
        return super().result(0)  # type: ignore[no-any-return]

    def _become_standard_if_wanted(self) -> None:
        if "_condition" not in self.__dict__:
            self._become_standard()

    def exception(self, timeout: float | None = None) -> BaseException | None:
        reply = self._reply
        if reply is not None and not reply.wait(timeout):
            raise TimedOut(f"the call has no result after {timeout} s. Wait longer, or cancel() it")
        return super().exception(timeout)

    def done(self) -> bool:
        reply = self._reply
        return super().done() if reply is None or "_condition" in self.__dict__ else bool(reply.ready())

    def cancel(self) -> bool:
        reply = self._reply
        return super().cancel() if reply is None else bool(reply.cancel())

    def __await__(self) -> Generator[Any, None, R]:
        import asyncio

        return asyncio.wrap_future(self).__await__()
