# SPDX-License-Identifier: Apache-2.0
"""What a stage's process has: the function, or an object of the class."""

from __future__ import annotations

import inspect
import io
import itertools
import os
import time
from collections.abc import Callable, Iterable
from types import GeneratorType
from typing import Any, NamedTuple

from octavo.errors import UsageError
from octavo.objects.by_value.pickler import Pickler
from octavo.streams.items import Again
from octavo.streams.threads import limit_threads

MOST_CALLS = 2  # that are under way to a worker


class Answer(NamedTuple):
    """To some items. flat: one result to each; else a list of them to each. rounds: some of them are fed back. came: whether the items did."""

    busy: float
    flat: bool
    results: list[Any]
    rounds: bool = False
    came: bool = True


class Kept(NamedTuple):
    """Results of a call, by the number of its first item; flat: as an Answer's."""

    flat: bool
    results: list[Any]

    def of_each(self) -> list[list[Any]]:
        return [[each] for each in self.results] if self.flat else self.results


def call_of(what: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Callable[[Any], Any]]:
    """What has svc_init and svc_end, and what is called with an item."""
    made = what(*arguments, **keywords) if isinstance(what, type) else what
    if hasattr(made, "svc"):
        return made, made.svc
    if callable(made):
        return made, made
    raise UsageError(f"a stage of {made!r}, which cannot be called. Give a function, or a class with svc(self, item)")


def is_async(call: Callable[[Any], Any]) -> bool:
    return inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call)


def any_again(results: Iterable[Iterable[Any]]) -> bool:
    return any(isinstance(each, Again) for of_item in results for each in of_item)


class StageWorker:
    """One of a stage's. Once an item has raised, it does no more."""

    def __init__(self, what: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], threads: int) -> None:
        """threads: of BLAS and the like, at most, for a process of its own."""
        limit_threads(threads)
        self._made, self._call = call_of(what, arguments, keywords)
        self._before: dict[int, Kept] = {}  # before the item that raised
        self._fails_at: int | None = None  # the first item of the call that failed; what was sent before it is still done
        self._kept: dict[int, Kept] = {}  # as one of them may not be sent

    def pid(self) -> int:
        return os.getpid()

    def begin(self) -> None:
        if hasattr(self._made, "svc_init"):
            self._made.svc_init()

    def run(self, items: list[Any], first: int) -> Answer:
        """What one raises leaves the results of those before it here. first: the number of the first item."""
        begin = time.perf_counter()
        results: list[Any] = []
        flat, call = True, self._call
        if self._does_no_more(first):
            return Answer(0.0, False, [])
        try:
            for item in items:
                result = call(item)
                if isinstance(result, GeneratorType):
                    if flat:
                        flat, results = False, [[each] for each in results]
                    results.append(list(result))
                else:
                    results.append(result if flat else [result])
        except BaseException:
            self._keep(first, results, flat=flat)
            raise
        self._keep_to_send(first, results, flat=flat)
        return Answer(time.perf_counter() - begin, flat, results, any_again([results] if flat else results))

    def _keep_to_send(self, first: int, results: list[Any], *, flat: bool) -> None:
        """Of several items: they are small. Another call may be on its way behind theirs."""
        while len(self._kept) >= MOST_CALLS:
            del self._kept[next(iter(self._kept))]
        if len(results) > 1:
            self._kept[first] = Kept(flat, results)

    def _does_no_more(self, first: int) -> bool:
        return self._fails_at is not None and first > self._fails_at

    def _keep(self, first: int, results: list[Any], *, flat: bool) -> None:
        self._fail(first)
        self._before[first] = Kept(flat, results)

    def _fail(self, first: int) -> None:
        self._fails_at = first if self._fails_at is None else min(first, self._fails_at)

    def before(self, first: int, count: int) -> Answer:
        """The results of the items before the one that raised, or that gave what cannot be sent. first: of the ``count`` that were sent."""
        if count > 1 and first not in self._before and first not in self._kept:  # one of them could not be sent, or not be read here
            return Answer(0.0, False, [], came=False)
        if first in self._before:
            before = self._before.pop(first).of_each()
        else:
            kept = self._kept.pop(first, Kept(False, []))
            before = list(itertools.takewhile(can_be_sent, kept.of_each()))
            self._fail(first)
        return Answer(0.0, False, before, any_again(before))

    def end(self) -> None:
        if hasattr(self._made, "svc_end"):
            self._made.svc_end()


class AsyncStageWorker(StageWorker):
    """Of async def. (An object with coroutines has an event loop, which all its calls go through.)"""

    async def run_async(self, items: list[Any], first: int) -> Answer:
        """Of async def, all of them at once."""
        import asyncio

        begin = time.perf_counter()
        if self._does_no_more(first):
            return Answer(0.0, False, [])
        outcomes = await asyncio.gather(*(self._await(item) for item in items), return_exceptions=True)
        results: list[list[Any]] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                self._keep(first, results, flat=False)
                raise outcome
            results.append(outcome)
        self._keep_to_send(first, results, flat=False)
        return Answer(time.perf_counter() - begin, False, results, any_again(results))

    async def _await(self, item: Any) -> list[Any]:
        result = self._call(item)
        if inspect.isasyncgen(result):
            return [each async for each in result]
        return [await result]


def can_be_sent(what: object) -> bool:
    with io.BytesIO() as file:
        return Pickler(file).can_send(what)


def outputs_of(result: Any) -> Iterable[Any]:
    """Of one call in this process."""
    return result if isinstance(result, GeneratorType) else (result,)
