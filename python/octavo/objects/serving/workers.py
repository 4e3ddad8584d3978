# SPDX-License-Identifier: Apache-2.0
"""Objects that call functions, and which calls each of them has: for an Executor and a Service."""

from __future__ import annotations

import concurrent.futures as standard
import contextlib
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from octavo import _core
from octavo.errors import Error, GoneError, UsageError
from octavo.objects.futures import Future, Waiters
from octavo.objects.plain.names import name_of, named
from octavo.objects.pointers import Pointer, begin_to_destroy
from octavo.objects.raising import origin
from octavo.objects.trust import here
from octavo.objects.unpicklable import places_of_call, raise_at


class Worker:
    """Calls functions where it was made: ``place.make(octavo.Worker)``, for a Service."""

    def call(self, function: Callable[..., Any] | str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A function, or its name where nothing is pickled."""
        called = named(function) if isinstance(function, str) else function
        return called(*arguments, **keywords)


def begin_on(worker: Any, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
    """Raises GoneError where the worker is known to be dead: the call has not begun."""
    what = function if here.pickle else name_of(function)
    try:
        begun: Future[Any] = _core.start_method(worker.call, what, arguments, keywords)
    except (TypeError, UsageError) as problem:
        raise_at(problem.__cause__ or problem, places_of_call(what, arguments, keywords))
    return begun


class Notice(standard.Future[None]):
    """Of something that is to happen in this process. Who waits for it in an object is called back meanwhile, as where it waits for a call."""

    def __init__(self) -> None:
        super().__init__()
        self._waiters: list[Any] = Waiters()


class UnderWay:
    """The calls of each worker that have not ended, as far as is known; with the lock of whoever has it."""

    def __init__(self, workers: Iterable[Pointer] = ()) -> None:
        self.calls: dict[Pointer, list[standard.Future[Any]]] = {worker: [] for worker in workers}

    def reserve(self, worker: Pointer) -> standard.Future[Any]:
        """For a call that begins without the lock: where that waits, calls that are served meanwhile come here, too."""
        place = Notice()
        self.calls[worker].append(place)
        return place

    def begin(
        self,
        lock: threading.Lock,
        reserved: tuple[Pointer, standard.Future[Any]],
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Future[Any] | None:
        """Without the lock. None: the worker died while it was idle, and is left out from now on."""
        worker, place = reserved
        try:
            begun = begin_on(worker, function, arguments, keywords)
        except BaseException as error:
            dead = isinstance(error, GoneError)
            with lock:
                if dead:
                    self.calls.pop(worker, None)
                elif place in self.calls.get(worker, []):
                    self.calls[worker].remove(place)
            place.set_result(None)
            if dead:
                return None
            raise
        with lock:
            calls = self.calls.get(worker, [])
            if place in calls:
                calls[calls.index(place)] = begun
                return begun
        begun._when_answered(lambda: place.set_result(None))  # whoever has taken the calls waits for the place
        return begun

    def take_all(self) -> dict[Pointer, list[standard.Future[Any]]]:
        taken, self.calls = self.calls, {}
        return taken

    def look(self, lock: threading.Lock) -> None:
        """Lets go of calls that have ended, and leaves out a worker whose death one has met. Without the lock: what a call brought is unpickled, by the
        user's code too, which may call here."""
        with lock:
            ended = {worker: [call for call in calls if call.done()] for worker, calls in self.calls.items()}
            for worker, calls in ended.items():
                if calls:  # of one thread alone: no two look at the same
                    gone = set(calls)
                    self.calls[worker] = [call for call in self.calls[worker] if call not in gone]
        for worker, calls in ended.items():
            if any(died_with_worker(call) for call in calls):
                with lock:
                    self.calls.pop(worker, None)

    def counts(self) -> dict[Pointer, int]:
        """Of those that live, as of the last look."""
        return {worker: len(calls) for worker, calls in self.calls.items()}


def died_with_worker(call: standard.Future[Any]) -> bool:
    """Of one that has ended. Where the error came from the worker itself, its function had called another that is gone."""
    try:
        error = call.exception(0)
    except (standard.CancelledError, standard.TimeoutError):  # another thread unpickles it now: the next call says whether the worker is dead
        return False
    return isinstance(error, GoneError) and origin(error) is None


def end_when_done(worker: Pointer, calls: Iterable[standard.Future[Any]]) -> standard.Future[None]:
    """Begins to end a worker when all its calls have an answer, and does not wait for that. The future is done when it has begun."""
    begun = Notice()
    left: set[standard.Future[Any]] = {begun, *calls}  # and this function, which counts as one
    lock = threading.Lock()

    def is_answered(call: standard.Future[Any]) -> None:
        with lock:
            left.remove(call)
            if left:
                return
        try:
            with contextlib.suppress(Error):  # it is gone; or the Runtime is, and all its processes with it
                begin_to_destroy(worker)
        finally:
            begun.set_result(None)

    for call in left - {begun}:
        if isinstance(call, Future):
            call._when_answered(partial(is_answered, call))
        else:
            call.add_done_callback(is_answered)
    is_answered(begun)
    return begun


def begin_to_end_all(workers: Iterable[Pointer]) -> None:
    for worker in workers:
        with contextlib.suppress(GoneError):
            begin_to_destroy(worker)
