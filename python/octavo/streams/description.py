# SPDX-License-Identifier: Apache-2.0
"""Streams as they are described; running one is reading.py's."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Sequence, Sized
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

from octavo.errors import UsageError
from octavo.objects.places import Place, process

if TYPE_CHECKING:
    from octavo.streams.bar import Bar
    from octavo.streams.reading import Reading
    from octavo.streams.report import StreamReport

P = ParamSpec("P")
In = TypeVar("In")
Out = TypeVar("Out")

BOUND_ITEMS, BOUND_BYTES = 256, 64 << 20
missing: Any = object()  # None is an item, and may be a source


def _at_least_one(number: int, what: str) -> int:
    if not isinstance(number, int) or number < 1:
        raise UsageError(f"{what} of {number!r}. Give an int of 1 or more")
    return number


class Dealing(NamedTuple):
    """Which worker of a farm an item goes to: who is free, who has its turn, whose key it has; or all of them."""

    kind: str = "free"
    function: Callable[..., Any] | None = None
    gathers: bool = False

    @property
    def to_all(self) -> bool:
        return self.kind in ("all", "parts")


def call_in(what: Any) -> Any:
    """What is called with an item, of a function, an object or a class; None: nothing is."""
    if hasattr(what, "svc"):
        return what.svc
    if not isinstance(what, type):
        return what
    return next((vars(each)["__call__"] for each in what.__mro__ if "__call__" in vars(each)), None)


class Stage(Generic[In, Out]):
    """What turns items into items: a function, a generator, an ``async def``, or a class with ``svc(self, item)``, and ``svc_init``, ``svc_end`` if it likes.

    Its one worker is a process of its own, where ``on`` says nothing on this machine. Settings are calls, each of which gives a new description.
    """

    several = False

    def __init__(self, what: Any, arguments: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None) -> None:
        if isinstance(what, type) and call_in(what) is None:
            raise UsageError(f"a stage of {what.__qualname__}, which has no svc. Give it a method svc(self, item)")
        if not callable(what) and not hasattr(what, "svc"):
            raise UsageError(f"a stage of {what!r}. Give a function, or a class with svc(self, item)")
        if not isinstance(what, type) and (arguments or keywords):
            raise UsageError(f"a stage of {what!r} with arguments: these are for a class's constructor. Give functools.partial(function, ...) instead")
        self.what, self.arguments, self.keywords = what, arguments, keywords or {}
        self.name = getattr(what, "__name__", type(what).__name__)
        self.places: Sequence[Place] = (process,)
        self.count = 1
        self.in_order = True
        self.dealing = Dealing()
        self.most_items, self.most_bytes = BOUND_ITEMS, BOUND_BYTES

    def _with(self, **settings: Any) -> Any:
        other = copy.copy(self)
        other.__dict__.update(settings)
        return other

    def named(self, name: str) -> Stage[In, Out]:
        """As the report and errors call it."""
        return cast("Stage[In, Out]", self._with(name=name))

    def on(self, places: Place | Iterable[Place]) -> Stage[In, Out]:
        """The workers are dealt to the places in turn."""
        all_of_them = tuple(places) if isinstance(places, Iterable) else (places,)
        for place in all_of_them:
            if not isinstance(place, Place):
                raise UsageError(f"on({place!r}). Give a place, or a list of them: octavo.process, octavo.thread, runtime.machine(name)")
        return cast("Stage[In, Out]", self._with(places=all_of_them or (process,)))

    def bound(self, items: int = BOUND_ITEMS, bytes: int = BOUND_BYTES) -> Stage[In, Out]:
        """How much may lie before it."""
        return cast("Stage[In, Out]", self._with(most_items=_at_least_one(items, "a bound"), most_bytes=_at_least_one(bytes, "a bound")))

    def worker_count(self) -> int:
        return self.count


class Farm(Stage[In, Out]):
    """A stage with several workers, as many as there are cores; results are in the order of the items."""

    several = True

    def __init__(self, what: Any, arguments: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None) -> None:
        super().__init__(what, arguments, keywords)
        self.count = 0

    def workers(self, workers: int) -> Farm[In, Out]:
        """In all, on however many places."""
        return cast("Farm[In, Out]", self._with(count=_at_least_one(workers, "a farm")))

    def unordered(self) -> Farm[In, Out]:
        """Results as they come."""
        return cast("Farm[In, Out]", self._with(in_order=False))

    def ordered(self) -> Farm[In, Out]:
        return cast("Farm[In, Out]", self._with(in_order=True))

    def _dealt(self, kind: str, function: Callable[..., Any] | None = None) -> Farm[In, Out]:
        return cast("Farm[In, Out]", self._with(dealing=Dealing(kind, function)))

    def round_robin(self) -> Farm[In, Out]:
        """Items go to the workers in turn, and not to who is free."""
        return self._dealt("turn")

    def by(self, key: Callable[[In], Any]) -> Farm[In, Out]:
        """Items of one key go to one worker; key is called here."""
        return self._dealt("key", key)

    def broadcast(self) -> Farm[In, Out]:
        """Each item goes to all workers: results of the first, then of the second, and so on."""
        return self._dealt("all")

    def scatter(self, parts: Callable[[In, int], Sequence[Any]]) -> Farm[In, Out]:
        """``parts(item, workers)`` gives each worker its part; it is called here."""
        return self._dealt("parts", parts)

    def gather(self) -> Farm[In, list[Out]]:
        """After broadcast() or scatter(): the results to an item come as one list, with one of each worker."""
        if not self.dealing.to_all:
            raise UsageError("gather() of a farm whose workers do not all have each item. Write .broadcast().gather(), or .scatter(parts).gather()")
        return cast("Farm[In, list[Out]]", self._with(dealing=self.dealing._replace(gathers=True)))

    def on(self, places: Place | Iterable[Place]) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().on(places))

    def bound(self, items: int = BOUND_ITEMS, bytes: int = BOUND_BYTES) -> Farm[In, Out]:
        return cast("Farm[In, Out]", super().bound(items, bytes))

    def worker_count(self) -> int:
        return self.count or os.cpu_count() or 1


def stage(what: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Stage[Any, Any]:
    """Arguments are for a class's constructor."""
    return Stage(what, arguments, keywords)


def farm(what: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Farm[Any, Any]:
    """``octavo.farm(Blur, 3).workers(4).on([n1, n2])``: 3 is Blur's radius."""
    return Farm(what, arguments, keywords)


def _drop(result: object) -> None:
    """What becomes of results that nobody takes."""


def _bar_of(progress: bool | None, source: object) -> Bar:
    from octavo.streams.bar import Bar  # with rich, which nothing else here needs

    return Bar(progress, len(source) if isinstance(source, Sized) else None)


class Pipeline:
    """Stages joined: ``s = octavo.pipeline(load, octavo.farm(Blur, 3).workers(4), emboss)``.

    ``for image in s(paths)`` reads it, and takes paths as images are taken; ``s.run(paths, into=save)`` runs it to its end. Without an argument its first
    stage is the source: an iterable, or a function that gives one, here. A description: it may run again. Clauses ST-1 to ST-6: docs/contract.md.
    """

    def __init__(self, parts: tuple[Any, ...], *, inlined: bool = False) -> None:
        self._parts, self._inlined = parts, inlined

    def _stages(self, parts: tuple[Any, ...]) -> list[Stage[Any, Any]]:
        stages: list[Stage[Any, Any]] = []
        for part in parts:
            if isinstance(part, Pipeline):
                stages += part._stages(part._parts)
            else:
                stages.append(part if isinstance(part, Stage) else Stage(part))
        return stages

    def __call__(self, source: Iterable[Any] = missing) -> Reading:
        from octavo.streams.reading import Reading

        if source is not missing:
            return Reading(iter(source), self._stages(self._parts), inlined=self._inlined)
        if not self._parts:
            raise UsageError("a stream without stages and source. Write octavo.pipeline(source, stage, ...)")
        first, *rest = self._parts
        items = first() if callable(first) else first
        try:
            items = iter(items)
        except TypeError:
            raise UsageError(f"a stream that is given no source, and whose first stage {first!r} is none. Give it one: s(items)") from None
        return Reading(items, self._stages(tuple(rest)), inlined=self._inlined)

    def run(self, source: Iterable[Any] = missing, *, into: Callable[[Any], object] | None = None, progress: bool | None = False) -> StreamReport:
        """To its end. into: is called here with each result; without it they are dropped. progress: draws a bar; None: on a terminal."""
        take = into if into is not None else _drop
        with self(source) as results:
            if progress is False:
                for result in results:
                    take(result)
            else:
                self._run_with_bar(results, take, _bar_of(progress, source))
        return results.report()

    @staticmethod
    def _run_with_bar(results: Reading, take: Callable[[Any], object], drawn: Bar) -> None:
        with drawn as bar:
            for result in results:
                take(result)
                bar.count()

    def inline(self) -> Pipeline:
        """The same in this thread, each stage called by the one before it: for the debugger."""
        return Pipeline(self._parts, inlined=True)


def pipeline(*parts: Any) -> Pipeline:
    """Of stages, farms, functions, classes with svc, and other pipelines; the first may be the source."""
    for part in parts[1:]:
        if not isinstance(part, Stage | Pipeline):
            Stage(part)
    return Pipeline(parts)
