# SPDX-License-Identifier: Apache-2.0
"""Objects that call functions, and which calls each of them has: for an Executor and a Service."""

from __future__ import annotations

import concurrent.futures as standard
import threading
from collections.abc import Callable, Iterable
from typing import Any

from octavo import _core
from octavo.errors import GoneError, UsageError
from octavo.objects.futures import Future
from octavo.objects.plain.names import name_of, named
from octavo.objects.pointers import Pointer
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


class UnderWay:
    """The calls of each worker that have not ended, as far as is known; with the lock of whoever has it."""

    def __init__(self, workers: Iterable[Pointer] = ()) -> None:
        self.calls: dict[Pointer, list[standard.Future[Any]]] = {worker: [] for worker in workers}

    def reserve(self, worker: Pointer) -> standard.Future[Any]:
        """For a call that begins without the lock: where that waits, calls that are served meanwhile come here, too."""
        place: standard.Future[Any] = standard.Future()
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
        begun.add_done_callback(lambda _: place.set_result(None))  # whoever has taken the calls waits for the place
        return begun

    def take_all(self) -> dict[Pointer, list[standard.Future[Any]]]:
        taken, self.calls = self.calls, {}
        return taken

    def counts(self) -> dict[Pointer, int]:
        """Of those that live: a worker whose death a call has met is left out from then on."""
        for worker, calls in list(self.calls.items()):
            ended = [call for call in calls if call.done()]
            if any(died_with_worker(call) for call in ended):
                del self.calls[worker]
            else:
                calls[:] = [call for call in calls if call not in ended]
        return {worker: len(calls) for worker, calls in self.calls.items()}


def died_with_worker(call: standard.Future[Any]) -> bool:
    """Of one that has ended. Where the error came from the worker itself, its function had called another that is gone."""
    if call.cancelled():
        return False
    error = call.exception()
    return isinstance(error, GoneError) and origin(error) is None
