# SPDX-License-Identifier: Apache-2.0
"""start(): calls of methods, constructors and functions, begun at once."""

from collections.abc import Callable, Coroutine
from types import MethodType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from octavo import _core
from octavo.errors import UsageError
from octavo.objects import calling
from octavo.objects.futures import Future
from octavo.objects.groups.group import Group, MethodOfAll
from octavo.objects.places import Maker, Place
from octavo.objects.pointers import Pointer, begin_operator
from octavo.objects.serving.service import Service

P = ParamSpec("P")
T = TypeVar("T")
Object = TypeVar("Object")


class MakeFunction(Protocol):
    """The type of make()."""

    def __call__(self, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> T: ...


class CallFunction(Protocol):
    """The type of octavo.call."""

    @overload
    def __call__(self, p: Place | Service, function: Callable[P, Coroutine[Any, Any, T]], /, *arguments: P.args, **keywords: P.kwargs) -> T: ...
    @overload
    def __call__(self, p: Place | Service, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> T: ...
    @overload
    def __call__(self, p: Group[Object], function: Callable[Concatenate[Object, P], T], /, *arguments: P.args, **keywords: P.kwargs) -> list[T]: ...
    @overload
    def __call__(self, p: Object, function: Callable[Concatenate[Object, P], T], /, *arguments: P.args, **keywords: P.kwargs) -> T: ...


@overload  # the first four: pyright does not find these out from the type of the function alone
def start(call: MakeFunction, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...
@overload
def start(call: CallFunction, p: Place | Service, function: Callable[P, Coroutine[Any, Any, T]], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...
@overload
def start(call: CallFunction, p: Place | Service, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...
@overload
def start(
    call: CallFunction, p: Group[Object], function: Callable[Concatenate[Object, P], T], /, *arguments: P.args, **keywords: P.kwargs
) -> Future[list[T]]: ...
@overload
def start(call: CallFunction, p: Object, function: Callable[Concatenate[Object, P], T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...
@overload
def start(call: Place | Service, function: Callable[P, Coroutine[Any, Any, T]], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...
@overload
def start(call: Place | Service, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...
@overload
def start(call: Callable[P, Coroutine[Any, Any, T]], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...
@overload
def start(call: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> Future[T]: ...


def start(call: Callable[..., Any] | Place | Service, /, *arguments: Any, **keywords: Any) -> Future[Any]:
    """Begins a call and returns at once: ``octavo.start(p.method, x)``, ``octavo.start(p, x)`` of an object that is called,
    ``octavo.start(g.all.method, x)`` of a group, ``octavo.start(place.make, Class, x)``, ``octavo.start(place, f, x)``, ``octavo.start(service, f, x)``,
    ``octavo.start(octavo.call, p, f, x)``.

    The calls of one thread to one object run in the order in which they were begun. A function on a place runs in one of its workers, which are
    made when first needed, as many as there are cores, and end with the program.
    """
    if type(call) is _core.Method:
        return _core.start_method(call, *arguments, **keywords)  # type: ignore[no-any-return]
    if isinstance(call, Place | Service):
        function, *rest = arguments
        return calling.begin_in_worker(call, function, tuple(rest), keywords)
    if isinstance(call, MethodOfAll):
        return call._begin(arguments, keywords)
    if call is calling.call:
        return calling.begin_call(*arguments, **keywords)
    if isinstance(call, Pointer):
        call = call.__call__
    if isinstance(call, MethodType) and isinstance(call.__self__, Pointer):
        return begin_operator(call, arguments, keywords)
    owner = getattr(call, "__self__", None)
    if isinstance(owner, Maker):
        function, *rest = arguments
        return owner._begin(function, tuple(rest), keywords)
    if callable(call):
        if (instead := getattr(call, "_instead_of_start", None)) is not None:
            raise UsageError(f"octavo.start() of a stream. Write {instead}")
        name, makes = getattr(call, "__name__", None) or repr(call), isinstance(call, type)
        cure = f"octavo.start(octavo.process.make, {name}, ...)" if makes else f"octavo.start(octavo.process, {name}, ...) to run it in a worker of that place"
        raise UsageError(f"octavo.start() of {name}, which is no method of a remote object. Write {cure}, or octavo.start(p.method, argument, ...)")
    begun: Future[Any] = _core.start_method(call, *arguments, **keywords)
    return begun
