# SPDX-License-Identifier: Apache-2.0
"""call(): a function that comes to the object, where methods are not enough or their many answers are too much to send."""

from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar, overload

from octavo import _core
from octavo.errors import GoneError, IoError, Refused, TimedOut, UsageError
from octavo.objects.executor import workers_of
from octavo.objects.futures import Future
from octavo.objects.groups.group import Group
from octavo.objects.places import Place
from octavo.objects.pointers import Pointer, pointer_of
from octavo.objects.serving.service import Service

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


@overload
def call(p: Place | Service, function: Callable[P, Coroutine[Any, Any, R]], /, *arguments: P.args, **keywords: P.kwargs) -> R: ...
@overload
def call(p: Place | Service, function: Callable[P, R], /, *arguments: P.args, **keywords: P.kwargs) -> R: ...
@overload
def call(p: Group[T], function: Callable[Concatenate[T, P], R], /, *arguments: P.args, **keywords: P.kwargs) -> list[R]: ...
@overload
def call(p: T, function: Callable[Concatenate[T, P], R], /, *arguments: P.args, **keywords: P.kwargs) -> R: ...


def call(p: Any, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
    """Runs ``function(object, *arguments, **keywords)`` where the object is, between its other calls; waits, and gives the result. Of a place or a
    Service: runs ``function(*arguments, **keywords)`` in one of its workers, as ``octavo.start(place, function, ...)`` does. Of a group: runs
    ``function(object, ...)`` at each member, at the same time, and gives the list of the results; ``octavo.each(values)`` differs from member to member.

    ``octavo.start(octavo.call, p, function, ...)`` begins it. A function of ``__main__`` or of another function travels by value, others by name.
    """
    if isinstance(p, Place | Service | Group):
        return begin_call(p, function, *arguments, **keywords).result()
    return _core.perform(checked(p, function), "apply", (function, arguments, keywords))


def begin_call(p: object, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
    if isinstance(p, Place | Service):
        return begin_in_worker(p, function, arguments, keywords)
    if isinstance(p, Group):
        return p._apply(checked_function(function, "g"), arguments, keywords)
    begun: Future[Any] = _core.start_perform(checked(p, function), "apply", (function, arguments, keywords))
    return begun


def begin_in_worker(of: Place | Service, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
    if isinstance(of, Place) and not callable(function):
        raise UsageError(f"a place calls functions, not {type(function).__name__}. Write octavo.call(place, function, argument, ...), or octavo.start")
    try:
        return of._begin(function, arguments, keywords) if isinstance(of, Service) else workers_of(of).submit(function, *arguments, **keywords)
    except (GoneError, IoError, Refused, TimedOut) as error:  # no worker lives, or can be made
        return Future.failed(error)


def checked(p: object, function: object) -> Pointer:
    """Raises UsageError where ``p`` is no pointer, or the function none."""
    checked_function(function, "p")
    return pointer_of(p, "call()")


def checked_function(function: Any, of: str) -> Callable[..., Any]:
    if not callable(function):
        raise UsageError(f"call() takes a function of the object, not {type(function).__name__}. Write octavo.call({of}, function, argument, ...)")
    checked: Callable[..., Any] = function
    return checked
