# SPDX-License-Identifier: Apache-2.0
"""A stream that is read: an iterator, a context, and for ``async for``."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from octavo.objects import current
from octavo.objects.unpicklable import Stays
from octavo.streams.boxes import Coming
from octavo.streams.inlined import Inlined
from octavo.streams.report import StreamReport
from octavo.streams.running.ending import raise_no_end
from octavo.streams.running.flow import Flow
from octavo.streams.stages import Stage

Out = TypeVar("Out")
over: Any = object()


class Reading(Stays, Iterator[Out], Generic[Out]):
    """Begins with the first result that is asked for, or ``with``. ``close()`` ends all stages; so does leaving ``with``, an error, and dropping it."""

    cannot_travel = "a stream that is read cannot be sent to another process. Send its results, or have it begun there"

    def __init__(self, items: Iterator[Any], stages: list[Stage[Any, Any]], *, inlined: bool) -> None:
        self._items, self._stages, self._inlined = items, stages, inlined
        self._flow: Flow | Inlined | None = None
        self._closed = False

    def _begin(self) -> Flow | Inlined:
        if self._flow is None:
            if self._inlined:
                self._flow = Inlined(self._items, self._stages)
            else:
                current.begin()
                self._flow = Flow(self._items, self._stages)
        return self._flow

    def __next__(self) -> Out:
        if self._closed:
            raise StopIteration
        try:
            item: Out
            found, item = self._begin().take()
        except BaseException as error:
            self._leave(error)
            self.close()
            raise_no_end(error, "a function of a stream")
            raise
        if not found:
            self.close()
            raise StopIteration
        return item

    def __enter__(self) -> Reading[Out]:
        self._begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._leave(error)
        self.close()

    def __aiter__(self) -> Reading[Out]:
        return self

    async def __anext__(self) -> Out:
        import asyncio

        item: Out = await asyncio.get_running_loop().run_in_executor(None, next, self, over)
        if item is over:
            raise StopAsyncIteration
        return item

    def _leave(self, why: BaseException | None) -> None:
        """The stream of another program that this one goes on with is told."""
        if isinstance(self._items, Coming):
            self._items.leave(why)

    def close(self) -> None:
        """Returns when nothing of it is left."""
        self._closed = True
        self._leave(None)
        self._items = iter(())
        if self._flow is not None:
            self._flow.end()

    cancel = close

    def report(self) -> StreamReport:
        """What each stage has done by now."""
        return self._flow.report() if self._flow is not None else StreamReport()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            try:
                self.close()
            except Exception:  # the program ends
                self._closed = True
