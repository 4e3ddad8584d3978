# SPDX-License-Identifier: Apache-2.0
"""Functions in other processes: an Executor of the standard library whose workers are remote objects of a place."""

from __future__ import annotations

import concurrent.futures as standard
import contextlib
import operator
import os
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from octavo.errors import GoneError, UsageError
from octavo.objects import current
from octavo.objects.futures import Future
from octavo.objects.places import Place, process
from octavo.objects.pointers import destroy
from octavo.objects.serving.workers import UnderWay, Worker, begin_to_end_all, end_when_done
from octavo.objects.unpicklable import Stays

P = ParamSpec("P")
T = TypeVar("T")


def _checked(workers: object) -> int:
    try:
        most = operator.index(workers)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"an Executor of {workers!r} workers. Give how many as an int, or None for the number of cores") from None
    if most < 1:
        raise UsageError(f"an Executor of {most} workers. Give at least 1, or None for the number of cores")
    return most


class Executor(Stays, standard.Executor):
    """``with octavo.Executor(4) as e: e.submit(f, x).result()``; ``e.map(f, xs)``.

    Up to ``max_workers`` (the number of cores) processes of ``place``, made when first needed and ended by ``shutdown()``; by ``shutdown(wait=False)``
    each when its calls are done. A call goes to the worker with the fewest calls under way. One whose worker dies fails with octavo.ProcessDied; later calls
    go to the others. Any thread may use it.
    """

    cannot_travel = "an octavo.Executor cannot be sent to another process. Make one there"

    def __init__(self, max_workers: int | None = None, *, place: Place | None = None) -> None:
        self._most = _checked(os.cpu_count() or 1 if max_workers is None else max_workers)
        self._place = place or process
        self._lock = threading.Lock()
        self._under_way = UnderWay()
        self._ended = False
        self._making = 0
        self._ending: list[standard.Future[None]] = []  # of each worker that is ended when its calls are done
        self.runtime = current.number()

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]:
        while True:
            begun = self._under_way.begin(self._lock, self._least_busy(), function, arguments, keywords)
            if begun is not None:
                return begun

    def _least_busy(self) -> tuple[Any, standard.Future[Any]]:
        """A worker, and the place of a call that is to begin there. Workers are made without the lock, as calls begin."""
        self._under_way.look(self._lock)
        with self._lock:
            if self._ended:
                raise RuntimeError("this Executor was shut down")
            busy = self._under_way.counts()
            if busy and (len(busy) + self._making >= self._most or 0 in busy.values()):
                worker = min(busy, key=busy.__getitem__)
                return worker, self._under_way.reserve(worker)
            self._making += 1
        try:
            made: Any = self._place.make(Worker)
        except BaseException:
            with self._lock:
                self._making -= 1
            raise
        with self._lock:
            self._making -= 1
            if not self._ended and len(self._under_way.calls) < self._most:
                self._under_way.calls[made] = []
                return made, self._under_way.reserve(made)
        destroy(made)  # others, or calls that were served here meanwhile, have made as many as there are to be
        return self._least_busy()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more calls, and ends the workers when those under way are done; wait: returns after that. Ctrl-C ends the wait, and they end all the
        same. May be called again.
        """
        with self._lock:
            self._ended = True
            under_way = self._under_way.take_all()
        calls = [call for each in under_way.values() for call in each]
        if cancel_futures:
            for call in calls:
                if isinstance(call, Future):
                    call._ask_to_cancel()
        if not wait:
            self._ending += [end_when_done(worker, of_worker) for worker, of_worker in under_way.items()]
            return
        try:
            standard.wait([*calls, *self._ending])
            for worker in under_way:
                with contextlib.suppress(GoneError):
                    destroy(worker)
        except BaseException:
            begin_to_end_all(under_way)
            raise


def workers_of(place: Place) -> Executor:
    """Those of the Runtime there is now, for octavo.start(place, ...) and octavo.call(place, ...)."""
    current.begin()
    found: Executor | None = current.executors.get(place)
    if found is None or found.runtime != current.number():
        found = current.executors[place] = Executor(place=place)
    return found
