# SPDX-License-Identifier: Apache-2.0
"""Objects that call functions: for an Executor and a Service."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from octavo import _core
from octavo.errors import GoneError, UsageError
from octavo.objects.futures import Future
from octavo.objects.pickling import loads, raise_at
from octavo.objects.plain.names import name_of, named
from octavo.objects.pointers import Pointer, begin_to_destroy
from octavo.objects.trust import here
from octavo.objects.unpicklable import places_of_call


class Worker:
    """Calls functions where it was made: ``place.make(octavo.Worker)``, for a Service. What it begins with: a function that is called first."""

    def __init__(self, initializer: Callable[..., object] | str | None = None, initargs: Iterable[Any] = ()) -> None:
        self._before: dict[int, list[Any]] = {}  # results of a part of a map, before the one that raised
        if initializer is not None:
            (named(initializer) if isinstance(initializer, str) else initializer)(*initargs)

    def call(self, function: Callable[..., Any] | str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A function, or its name where nothing is pickled."""
        called = named(function) if isinstance(function, str) else function
        return called(*arguments, **keywords)

    def call_packed(self, packed: bytes) -> Any:
        """The same, of what waited in the program."""
        return self.call(*unpacked(packed))

    def call_each(self, number: int, function: bytes, items: list[bytes | tuple[Any, ...]]) -> list[Any]:
        """A part of a map; bytes are arguments that waited packed. What one raises leaves what came before it here, until take_before()."""
        what = unpacked(function)
        called = named(what) if isinstance(what, str) else what
        results: list[Any] = []
        try:
            for item in items:
                results.append(called(*(item if isinstance(item, tuple) else unpacked(item))))
        except BaseException:
            self._before[number] = results
            raise
        return results

    def take_before(self, number: int) -> list[Any]:
        return self._before.pop(number, [])


def unpacked(packed: bytes) -> Any:
    return loads(memoryview(packed), [])


def sent_as(function: Callable[..., Any]) -> Callable[..., Any] | str:
    return function if here.pickle else name_of(function)


def begin_on(worker: Any, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
    """Raises GoneError where the worker is known to be dead: the call has not begun."""
    what = sent_as(function)
    try:
        begun: Future[Any] = _core.start_method(worker.call, what, arguments, keywords)
    except (TypeError, UsageError) as problem:
        raise_at(problem.__cause__ or problem, places_of_call(what, arguments, keywords))
    return checked(begun)


def checked(begun: Future[Any]) -> Future[Any]:
    if (gone := begun._found_gone()) is not None:
        raise gone
    return begun


def begin_to_end_all(workers: Iterable[Pointer]) -> None:
    for worker in workers:
        with contextlib.suppress(GoneError):
            begin_to_destroy(worker)
