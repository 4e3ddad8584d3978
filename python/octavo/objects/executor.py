# SPDX-License-Identifier: Apache-2.0
"""Functions in other processes: an Executor of the standard library whose workers are remote objects of a place."""

from __future__ import annotations

import concurrent.futures as standard
import os
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from octavo import _core
from octavo.errors import GoneError, UsageError
from octavo.objects import current
from octavo.objects.futures import Future
from octavo.objects.places import Place, process
from octavo.objects.plain.names import name_of, named
from octavo.objects.pointers import Pointer, destroy
from octavo.objects.trust import here

P = ParamSpec("P")
T = TypeVar("T")


class Worker:
    """Calls functions, in a process of its own."""

    def call(self, function: Callable[..., Any] | str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A function, or its name where nothing is pickled."""
        called = named(function) if isinstance(function, str) else function
        return called(*arguments, **keywords)


class Executor(standard.Executor):
    """``with octavo.Executor(4) as e: e.submit(f, x).result()``; ``e.map(f, xs)``.

    Up to ``max_workers`` (the number of cores) processes of ``place``, made when first needed and ended by ``shutdown()``. A call goes to the worker
    with the fewest calls under way. One whose worker dies fails with octavo.ProcessDied; later calls go to the others. Any thread may use it.
    """

    def __init__(self, max_workers: int | None = None, *, place: Place | None = None) -> None:
        self._most = max_workers or os.cpu_count() or 1
        if self._most < 1:
            raise UsageError(f"an Executor of {max_workers} workers. Give at least 1")
        self._place = place or process
        self._lock = threading.Lock()
        self._under_way: dict[Pointer, list[Future[Any]]] = {}
        self._ended = False
        self.runtime = current.number()

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]:
        with self._lock:
            if self._ended:
                raise RuntimeError("this Executor was shut down")
            worker = self._least_busy()
            called = function if here.pickle else name_of(function)
            future: Future[T] = _core.start_method(worker.call, called, arguments, keywords)
            self._under_way[worker].append(future)
            return future

    def _least_busy(self) -> Any:
        for worker, calls in list(self._under_way.items()):
            if any(call.done() and isinstance(call.exception(), GoneError) for call in calls):
                del self._under_way[worker]
            else:
                calls[:] = [call for call in calls if not call.done()]
        busy = {worker: len(calls) for worker, calls in self._under_way.items()}
        if len(busy) < self._most and 0 not in busy.values():
            made: Any = self._place.make(Worker)
            self._under_way[made] = []
            return made
        return min(busy, key=busy.__getitem__)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            self._ended = True
            under_way, self._under_way = self._under_way, {}
        calls = [call for each in under_way.values() for call in each]
        if cancel_futures:
            for call in calls:
                call.cancel()
        if wait:
            standard.wait(calls)
            for worker in under_way:
                try:
                    destroy(worker)
                except GoneError:
                    continue
