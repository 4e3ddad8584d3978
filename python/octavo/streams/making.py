# SPDX-License-Identifier: Apache-2.0
"""``octavo.stage`` and ``octavo.farm``, as type checkers see them: by what a function, a generator, an ``async def`` or a class's svc takes and gives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from octavo.streams.description import Pipeline
from octavo.streams.items import Again
from octavo.streams.stages import Farm, Stage

A = TypeVar("A")
B = TypeVar("B")
In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)
P = ParamSpec("P")


class HasSvc(Protocol[In, Out]):
    def svc(self, item: In, /) -> Out: ...


@overload
def stage(what: Pipeline[A, B], /) -> Stage[A, B]: ...
@overload
def stage(what: Callable[P, HasSvc[A, Iterator[B | Again[A]]]], /, *arguments: P.args, **keywords: P.kwargs) -> Stage[A, B]: ...
@overload
def stage(what: Callable[P, HasSvc[A, Iterator[B]]], /, *arguments: P.args, **keywords: P.kwargs) -> Stage[A, B]: ...
@overload
def stage(what: Callable[P, HasSvc[A, B]], /, *arguments: P.args, **keywords: P.kwargs) -> Stage[A, B]: ...
@overload
def stage(what: Callable[[A], Iterator[B] | AsyncIterator[B] | Awaitable[B]], /) -> Stage[A, B]: ...
@overload
def stage(what: Callable[[A], B], /) -> Stage[A, B]: ...
@overload
def stage(what: HasSvc[A, B], /) -> Stage[A, B]: ...
def stage(what: Any, /, *arguments: Any, **keywords: Any) -> Any:
    """Arguments are for a class's constructor."""
    return Stage(what, arguments, keywords)


@overload
def farm(what: Pipeline[A, B], /) -> Farm[A, B]: ...
@overload
def farm(what: Callable[P, HasSvc[A, Iterator[B | Again[A]]]], /, *arguments: P.args, **keywords: P.kwargs) -> Farm[A, B]: ...
@overload
def farm(what: Callable[P, HasSvc[A, Iterator[B]]], /, *arguments: P.args, **keywords: P.kwargs) -> Farm[A, B]: ...
@overload
def farm(what: Callable[P, HasSvc[A, B]], /, *arguments: P.args, **keywords: P.kwargs) -> Farm[A, B]: ...
@overload
def farm(what: Callable[[A], Iterator[B] | AsyncIterator[B] | Awaitable[B]], /) -> Farm[A, B]: ...
@overload
def farm(what: Callable[[A], B], /) -> Farm[A, B]: ...
@overload
def farm(what: HasSvc[A, B], /) -> Farm[A, B]: ...
def farm(what: Any, /, *arguments: Any, **keywords: Any) -> Any:
    """``octavo.farm(Blur, 3).workers(4).on([n1, n2])``: 3 is Blur's radius."""
    return Farm(what, arguments, keywords)
