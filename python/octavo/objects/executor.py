# SPDX-License-Identifier: Apache-2.0
"""Functions in other processes: an Executor of the standard library whose workers are remote objects of a place."""

from __future__ import annotations

import concurrent.futures as standard
import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from octavo.errors import GoneError, UsageError
from octavo.objects import current
from octavo.objects.futures import Future
from octavo.objects.places import Place, process
from octavo.objects.serving import mapping
from octavo.objects.serving.pool import Pool
from octavo.objects.serving.workers import Worker, sent_as
from octavo.objects.unpicklable import Stays

P = ParamSpec("P")
T = TypeVar("T")


def _positive(number: object, what: str, as_int: str, as_size: str) -> int:
    """what: of which number, at {}; the other two are the cures of one that is no int, or below 1."""
    try:
        found = operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{what.format(repr(number))}. {as_int}") from None
    if found < 1:
        raise UsageError(f"{what.format(found)}. {as_size}")
    return found


def _workers(most: int | None) -> int:
    cure = "or None for the number of cores"
    if most is None:
        return os.cpu_count() or 1
    return _positive(most, "an Executor of {} workers", f"Give how many as an int, {cure}", f"Give at least 1, {cure}")


def _of_map(number: int | None, name: str) -> int | None:
    return None if number is None else _positive(number, f"map({name}={{}})", "Give an int of 1 or more, or None", "Give 1 or more, or None")


class Executor(Stays, standard.Executor):
    """``with octavo.Executor(4) as e: e.submit(f, x).result()``; ``e.map(f, xs)``.

    Up to ``max_workers`` (the number of cores) processes of ``place``, made when first needed and ended by ``shutdown()``; by ``shutdown(wait=False)``
    each when no call is left for it. Calls wait in this process, with their arguments as they are then, and go to a worker that is free; where they are
    short a second one is sent to it beside that which it runs. A call that had begun when its worker died fails with octavo.ProcessDied, and another worker
    is made. Ctrl-C in the ``with`` cancels what has not begun, and kills what runs with its worker. ``initializer(*initargs)`` is called first in each
    worker; when it raises, all calls fail with ``concurrent.futures.BrokenExecutor``. Any thread may use it.
    """

    cannot_travel = "an octavo.Executor cannot be sent to another process. Make one there"

    def __init__(
        self,
        max_workers: int | None = None,
        *,
        place: Place | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        self._most = _workers(max_workers)
        if initializer is not None and not callable(initializer):
            raise TypeError(f"the initializer of an Executor is to be a function, not {type(initializer).__name__}")
        self._place, self._initializer, self._initargs = place or process, initializer, tuple(initargs)
        self._broken: BaseException | None = None
        self._pool = Pool((), self._none_left, most=self._most, make=self._make)
        self.runtime = current.number()

    def _make(self) -> Future[Any]:
        if self._initializer is None:
            return self._place._begin(Worker, (), {})
        return self._place._begin(Worker, (sent_as(self._initializer), self._initargs), {})

    def _none_left(self, lost: BaseException | None) -> BaseException:
        if lost is None or self._initializer is None:
            return lost or GoneError("no worker of this Executor lives any more, and the Runtime ended. Make a new Executor")
        self._broken = lost
        broken = standard.BrokenExecutor(f"the initializer of this Executor failed: {type(lost).__name__}: {lost}. Make a new Executor")
        broken.__cause__ = lost
        return broken

    def submit(self, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]:
        if self._broken is not None:
            raise self._none_left(self._broken)
        return self._pool.begin((function, arguments, keywords))

    def map(
        self,
        function: Callable[..., T],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[T]:
        """The results of ``function(*items)``, in the order of the items. chunksize: how many items a worker is sent at once; None: as many as it does in
        some milliseconds, one at first. With a part of several items a death takes the results of all of them. buffersize: takes no more items than so many
        (of ``chunksize``) ahead of who reads the results; None: all at once. timeout: seconds from now, after which octavo.TimedOut is raised.
        """
        size, ahead = _of_map(chunksize, "chunksize"), _of_map(buffersize, "buffersize")
        items: Iterator[tuple[Any, ...]] = zip(*iterables, strict=False)
        if ahead is not None:
            return self._map_ahead(function, items, size or 1, ahead, timeout)
        whole = list(items)
        if self._broken is None and whole and size != 1 and mapping.is_answered_whole(function):
            try:
                first = mapping.begin_parts(self._pool, function, whole, size, self._most)
            except RuntimeError:
                raise
            except Exception:  # one that cannot be sent says so below; what goes with a call of its own does so
                pass
            else:
                return mapping.results_of(first, timeout)
        return super().map(function, *zip(*whole, strict=True), timeout=timeout) if whole else iter(())

    def _map_ahead(self, function: Callable[..., T], items: Iterator[tuple[Any, ...]], size: int, ahead: int, timeout: float | None) -> Iterator[T]:
        if size == 1:
            return mapping.Ahead(lambda item: self.submit(function, *item), items, ahead).results(timeout)
        parts = iter(lambda: list(itertools.islice(items, size)), [])
        results = mapping.Ahead(lambda part: self.submit(mapping.call_each, function, part), parts, ahead).results(timeout)
        return itertools.chain.from_iterable(results)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more calls, and ends the workers when all calls are done; wait: returns after that. Ctrl-C ends the wait, and they end all the same.
        Without a wait the end of the Runtime, or of the program, waits for them, until Ctrl-C.
        cancel_futures: cancels what has not begun. May be called again.
        """
        with self._pool.lock:
            self._pool.has_ended = True
        if cancel_futures:
            self._pool.cancel_all()
        self._pool.end(wait=wait)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """As shutdown(), which waits for all calls; after Ctrl-C as kill() of its workers, and what has not begun is cancelled."""
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._pool.kill()
            return
        try:
            self.shutdown()
        except KeyboardInterrupt:
            self._pool.kill()
            raise


def workers_of(place: Place) -> Executor:
    """Those of the Runtime there is now, for octavo.start(place, ...) and octavo.call(place, ...)."""
    current.begin()
    found: Executor | None = current.executors.get(place)
    if found is None or found.runtime != current.number():
        found = current.executors[place] = Executor(place=place)
    return found
