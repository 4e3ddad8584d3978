# SPDX-License-Identifier: Apache-2.0
"""Streams as they are described; running one is reading.py's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sized
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from octavo.errors import UsageError
from octavo.streams.boxes import Leaving, StreamBox
from octavo.streams.fitting import check_fit, feeds_back, needs_item
from octavo.streams.stages import In, Out, Stage
from octavo.streams.together import Joined

if TYPE_CHECKING:
    from octavo.streams.bar import Bar
    from octavo.streams.reading import Reading
    from octavo.streams.report import StreamReport

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")

missing: Any = object()  # None is an item, and may be a source


def is_stage(first: Any) -> bool:
    """What begins a stream, and takes items: it is no source."""
    return isinstance(first, Stage | Pipeline) or hasattr(first, "svc") or (callable(first) and needs_item(first))


def stages_of(parts: Iterable[Any]) -> list[Stage[Any, Any]]:
    stages: list[Stage[Any, Any]] = []
    for part in parts:
        stages += part.stages() if isinstance(part, Pipeline) else [part if isinstance(part, Stage) else Stage(part)]
    return stages


def _source_of(first: Callable[[], Any]) -> Any:
    from octavo.streams.running.ending import raise_no_end

    try:
        return first()
    except StopIteration as error:
        raise_no_end(error, "the source of a stream")
        raise


def _drop(result: object) -> None:
    """What becomes of results that nobody takes."""


def _sink_of(into: Callable[[Any], object] | StreamBox[Any] | None) -> AbstractContextManager[Callable[[Any], object]]:
    if isinstance(into, StreamBox):
        return Leaving(into)
    return nullcontext(_drop if into is None else into)


def _begin(reading: Reading[Any], sink: AbstractContextManager[Any]) -> None:
    try:
        reading.__enter__()
    except BaseException as error:
        sink.__exit__(type(error), error, error.__traceback__)
        raise


def _bar_of(progress: bool | None, source: object) -> Bar:
    from octavo.streams.bar import Bar  # with rich, which nothing else here needs

    return Bar(progress, len(source) if isinstance(source, Sized) else None)


class Pipeline(Joined, Generic[In, Out]):
    """Stages joined: ``s = octavo.pipeline(load, octavo.farm(Blur, 3).workers(4), emboss)``.

    ``for image in s(paths)`` reads it, and takes paths as images are taken; ``s.run(paths, into=save)`` runs it to its end. Without an argument its first
    stage is the source: an iterable, or a function that gives one, here. A description: it may run again. Clauses ST-1 to ST-6: docs/contract.md.
    """

    _instead_of_start = "with s(items) as results: ..., where it begins at once, or s.run(items)"

    def __init__(self, parts: tuple[Any, ...], *, inlined: bool = False) -> None:
        self._parts, self._inlined = parts, inlined

    def stages(self) -> list[Stage[Any, Any]]:
        """All of it, where the source is an argument."""
        return stages_of(self._parts)

    def _joins(self, item: In, /) -> Out:
        """For type checkers: what it takes and gives."""
        raise NotImplementedError

    def __call__(self, source: Iterable[In] = missing) -> Reading[Out]:
        from octavo.streams.reading import Reading

        if source is not missing:
            return Reading(iter(source), self.stages(), inlined=self._inlined)
        if not self._parts:
            raise UsageError("a stream without stages and source. Write octavo.pipeline(source, stage, ...)")
        first, *rest = self._parts
        if is_stage(first) and not isinstance(first, Pipeline):
            raise UsageError(f"a stream that is given no source, and begins with stage '{stages_of([first])[0].name}'. Give it one: s(items), s.run(items)")
        items = _source_of(first) if callable(first) else first
        try:
            items = iter(items)
        except TypeError:
            raise UsageError(f"a stream that is given no source, and whose first stage {first!r} is none. Give it one: s(items)") from None
        return Reading(items, stages_of(rest), inlined=self._inlined)

    def run(
        self, source: Iterable[In] = missing, *, into: Callable[[Out], object] | StreamBox[Any] | None = None, progress: bool | None = False
    ) -> StreamReport:
        """To its end. into: is called here with each result, or is a StreamBox; without it they are dropped. progress: draws a bar; None: on a terminal."""
        bar = None if progress is False else _bar_of(progress, source)
        from octavo.streams.running.ending import raise_no_end

        reading = self(source)
        del source  # an error that is raised here has this frame, and would keep it
        sink = _sink_of(into)  # before anything is asked of the source: whoever reads there is told, even if this program is killed then
        _begin(reading, sink)
        with reading as results, sink as take:
            try:
                if bar is None:
                    for result in results:
                        take(result)
                else:
                    self._run_with_bar(results, take, bar)
            except StopIteration as error:
                raise_no_end(error, "into")
        return results.report()

    @staticmethod
    def _run_with_bar(results: Reading[Any], take: Callable[[Any], object], drawn: Bar) -> None:
        with drawn as bar:
            for result in results:
                take(result)
                bar.count()

    def graph(self, report: StreamReport | None = None) -> str:
        """As text of Graphviz, which ``dot -Tsvg`` draws; with what its stages have done, if a report says so."""
        from octavo.streams.graph import graph_of
        from octavo.streams.report import StreamReport

        has_source = bool(self._parts) and not is_stage(self._parts[0])
        return graph_of(stages_of(self._parts[1:] if has_source else self._parts), report or StreamReport())

    def inline(self) -> Pipeline[In, Out]:
        """The same in this thread, each stage called by the one before it: for the debugger."""
        return Pipeline(self._parts, inlined=True)


Part: TypeAlias = Stage[A, B] | Pipeline[A, B]
Bare: TypeAlias = Callable[..., Any]  # a function, or a class with svc: what it gives is not told apart from a generator's
Source: TypeAlias = Iterable[A] | Callable[[], Iterable[A]]


@overload
def pipeline(first: Part[A, B], /) -> Pipeline[A, B]: ...
@overload
def pipeline(first: Part[A, B], second: Part[B, C], /) -> Pipeline[A, C]: ...
@overload
def pipeline(first: Part[A, B], second: Part[B, C], third: Part[C, D], /) -> Pipeline[A, D]: ...
@overload
def pipeline(first: Part[A, B], second: Part[B, C], third: Part[C, D], fourth: Part[D, E], /) -> Pipeline[A, E]: ...
@overload
def pipeline(source: Source[A], first: Part[A, B], /) -> Pipeline[Any, B]: ...
@overload
def pipeline(source: Source[A], first: Part[A, B], second: Part[B, C], /) -> Pipeline[Any, C]: ...
@overload
def pipeline(first: Bare | Iterable[Any], /, *rest: Any) -> Pipeline[Any, Any]: ...
@overload
def pipeline(first: Part[A, Any], second: Bare, /, *rest: Any) -> Pipeline[A, Any]: ...
@overload
def pipeline(first: Part[A, B], second: Part[B, Any], third: Bare, /, *rest: Any) -> Pipeline[A, Any]: ...
@overload
def pipeline(first: Part[A, B], second: Part[B, C], third: Part[C, D], fourth: Part[D, Any] | Bare, /, *rest: Any) -> Pipeline[A, Any]: ...
def pipeline(*parts: Any) -> Any:
    """Of stages, farms, functions, classes with svc, and other pipelines; the first may be the source."""
    stages = stages_of(parts if parts and is_stage(parts[0]) else parts[1:])
    for each in stages:
        each.check()
        if each.dealing.kind != "free" and feeds_back(each):
            raise UsageError(f"stage '{each.name}' feeds back, which goes to who is free, and not as broadcast(), by() and the like deal it")
    for before, behind in itertools.pairwise(stages):
        check_fit(before, behind)
    return Pipeline(parts)
