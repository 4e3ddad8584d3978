# SPDX-License-Identifier: Apache-2.0
"""The Python half of a hosted object (``bindings/objects/host.hpp``): how it is made, and what is asked of it besides its methods."""

import difflib
import functools
import inspect
import itertools
import math
import operator
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from types import AsyncGeneratorType, BuiltinMethodType, CoroutineType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any, NamedTuple

from octavo.objects.by_value.learning import learn
from octavo.objects.futures import threads_of_objects
from octavo.objects.server.coroutines import AsyncStreams, Loop
from octavo.objects.server.fork_begins import wake_fork
from octavo.objects.server.output import flush_output, prefix_output
from octavo.objects.streams import Batch, StreamHandle, Streams


class Making(NamedTuple):
    """What is to be made in a new process: ``function(*arguments, **keywords)``."""

    function: Callable[..., Any] | str  # by name where nothing is pickled
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def is_lazy(result: object) -> bool:
    """Whether a method has only begun its work."""
    return isinstance(result, CoroutineType | GeneratorType | AsyncGeneratorType)


def attach_at_breakpoint(*arguments: Any, **keywords: Any) -> Any:
    from octavo.objects.server import debugging  # with pdb, which nothing else needs

    return debugging.breakpoint_here(sys._getframe(1), *arguments, **keywords)


def device_in(what: object) -> object:
    """Of an object whose class is derived from a device of Octavo's: the library's own, which arrays use. None for all others."""
    devices = sys.modules.get("octavo.objects.devices")
    return getattr(what, "_device", None) if devices is not None and isinstance(what, devices.PageDevice) else None


class Host:
    """One object, and what other processes ask of it by name."""

    def __init__(self, making: tuple[list[str], list[str], bool, str, bytes, tuple[Any, ...]] | bytes) -> None:
        """Of where the caller imports from (``places.import_paths``), the name of what is made, and a pickled Making: what it names may have to be imported
        first. Or of the saved state of one with a name."""
        self._thread = threading.get_ident()
        threads_of_objects.add(self._thread)
        if getattr(sys.modules["__main__"], "is_fork", False):
            wake_fork()
        self.object: Any = restored(making) if isinstance(making, bytes) else made(*making)
        self.device = device_in(self.object)
        self.loop = Loop()
        self.streams, self.async_streams = Streams(), AsyncStreams(self.loop)
        self.turn = self.loop.turn if has_coroutines(type(self.object)) else None  # from the first call on; else from the first coroutine on

    def state(self) -> bytes:
        """To be saved, of one with a name."""
        from octavo.objects.named.state import saved

        return saved(self.object)

    def end(self) -> None:
        """Lets go of the object, so that its ``__del__`` runs before its process ends."""
        threads_of_objects.discard(self._thread)
        try:
            self.loop.end(self.async_streams.end)
        finally:
            self.object = self.device = None
            flush_output()

    def lazy(self, result: Any) -> object:
        """Of a method that has only begun its work: a generator is read by its caller; a coroutine nobody announced is waited for."""
        if isinstance(result, GeneratorType):
            return self.streams.add(result)
        if isinstance(result, AsyncGeneratorType):
            return self.async_streams.add(result)
        import asyncio

        return asyncio.run(wait_for(result))

    def perform_next_items(self, number: int, most: int) -> Batch:
        return self.streams.next(number, most)

    def perform_async_next_items(self, number: int, most: int) -> Coroutine[Any, Any, Batch]:
        return self.async_streams.next(number, most)

    def perform_close_stream(self, number: int) -> None:
        self.streams.close(number)

    def perform_async_close_stream(self, number: int) -> Coroutine[Any, Any, None]:
        return self.async_streams.close(number)

    def perform(self, name: str, arguments: tuple[Any, ...]) -> object:
        return getattr(self, f"perform_{name}")(*arguments)

    def perform_classes(self) -> list[str]:
        return [f"{each.__module__}.{each.__qualname__}" for each in type(self.object).__mro__]

    def perform_methods(self) -> tuple[frozenset[str], frozenset[str]]:
        return method_names(type(self.object))

    def perform_getattr(self, name: str) -> tuple[bool, object]:
        """Whether it is a method of the object, and its value if not."""
        try:
            value = getattr(self.object, name)
        except AttributeError as problem:
            if problem.__traceback__ is not None and problem.__traceback__.tb_next is not None:
                raise  # within a property, or the like: its line says more
            near = nearest(name, [each for each in dir(self.object) if not each.startswith("__")])
            hint = f". Did you mean '{near}'?" if near is not None and "Did you mean" not in str(problem) else ""
            raise AttributeError(f"{problem}{hint}") from None
        # Of this object, or of one that it has and that is to act where it is.
        bound = isinstance(value, MethodType | BuiltinMethodType) and not isinstance(value.__self__, type | ModuleType)
        bound = bound or (isinstance(value, FunctionType | functools.partial) and is_given(self.object, name))
        return bound, None if bound else value

    def perform_learn(self, *lesson: Any) -> None:
        learn(*lesson)

    def perform_dir(self) -> list[str]:
        return dir(self.object)

    def perform_setattr(self, name: str, value: object) -> None:
        setattr(self.object, name, value)

    def perform_delattr(self, name: str) -> None:
        delattr(self.object, name)

    def perform_operator(self, name: str, *arguments: Any) -> object:
        """``operator.name(object, *arguments)``; a binary one with the object on the right is called with True before the name's argument."""
        return operators[name](self.object, *arguments)

    def perform_reflected(self, name: str, left: object) -> object:
        return operators[name](left, self.object)

    def perform_in_place(self, name: str, argument: object) -> None:
        self.object = operators[name](self.object, argument)

    def perform_call(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> object:
        result = self.object(*arguments, **keywords)
        return self.lazy(result) if is_lazy(result) else result

    def perform_apply(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> object:
        result = function(self.object, *arguments, **keywords)
        return self.lazy(result) if is_lazy(result) else result

    def perform_items(self) -> list[Any] | StreamHandle:
        """All at once, where there are so many as it says. An iterator of the object's own outlives its reader."""
        if hasattr(type(self.object), "__len__"):
            return list(self.object)
        items = iter(self.object)
        return self.streams.add(each for each in items)

    def perform_enter(self) -> tuple[bool, object]:
        """Whether ``with`` gives the object itself, and else what it gives."""
        kind = type(self.object)
        if not hasattr(kind, "__enter__"):
            raise TypeError(f"'{kind.__qualname__}' object does not support the context manager protocol")
        given = kind.__enter__(self.object)
        return given is self.object, None if given is self.object else given

    def perform_exit(self, *facts: Any) -> object:
        return type(self.object).__exit__(self.object, *facts)


def made(path: list[str], shadowed: list[str], elsewhere: bool, title: str, pickled: bytes, handles: tuple[Any, ...]) -> object:
    from octavo.objects.pickling import loads
    from octavo.objects.plain.names import named

    if is_own_process():
        speak_as(title)
        import_from(path, shadowed, elsewhere=elsewhere)
    what = Making(*loads(memoryview(pickled), list(handles)))  # type: ignore[misc]
    function = named(what.function) if isinstance(what.function, str) else what.function
    return function(*what.arguments, **what.keywords)


def restored(state: bytes) -> object:
    from octavo.objects.named.state import object_of, title_of

    if is_own_process():
        speak_as(title_of(state))
    return object_of(state)


def is_own_process() -> bool:
    """And no thread of the program."""
    return getattr(sys.modules["__main__"], "is_octavo_server", False)


def speak_as(title: str) -> None:
    prefix_output(f"({title}, pid {os.getpid()}) ")
    sys.breakpointhook = attach_at_breakpoint


def is_given(what: object, name: str) -> bool:
    """Whether an attribute is neither the object's nor its class's: its ``__getattr__`` makes it, as a method of the object's."""
    return hasattr(type(what), "__getattr__") and name not in getattr(what, "__dict__", ()) and not hasattr(type(what), name)


def import_from(path: list[str], shadowed: list[str], *, elsewhere: bool) -> None:
    """As the caller does. Of another machine, whose folders may not be here, this one's own come behind."""
    own = [place for place in sys.path if place not in path] if elsewhere else []
    sys.path[:] = [*path, *own]
    for name in list(sys.modules) if shadowed else ():
        if name.partition(".")[0] in shadowed:
            del sys.modules[name]


async def wait_for(what: Any) -> object:
    return await what


def nearest(name: str, names: list[str]) -> str | None:
    """Among those that have as much in common with it, the one that begins alike."""

    def likeness(each: str) -> tuple[float, int]:
        alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(each, name, strict=False))
        return difflib.SequenceMatcher(None, each, name).ratio(), len(list(alike))

    return max(difflib.get_close_matches(name, names, max(1, len(names))), key=likeness, default=None)


descriptors_of_methods = (staticmethod, classmethod, functools.partialmethod, functools.singledispatchmethod)

operators: dict[str, Callable[..., Any]] = {
    "len": len,
    "pow": pow,
    "int": int,
    "float": float,
    "complex": complex,
    "round": round,
    "divmod": divmod,
    "trunc": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
    "reversed": lambda value: list(reversed(value)),
    "next": next,
    **{
        name: getattr(operator, name)
        for name in (
            *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "lshift", "rshift", "and_", "or_", "xor"),
            *("iadd", "isub", "imul", "imatmul", "itruediv", "ifloordiv", "imod", "ipow", "ilshift", "irshift", "iand", "ior", "ixor"),
            *("neg", "pos", "abs", "invert", "index", "getitem", "setitem", "delitem", "contains", "lt", "le", "gt", "ge"),
        )
    },
}


def has_coroutines(kind: type) -> bool:
    """Whether an object has ``async def`` methods or async generators, as far as its class tells."""
    values = (value for each in kind.__mro__ for value in vars(each).values())
    functions = (value.__func__ if isinstance(value, staticmethod | classmethod) else value for value in values)
    return any(isinstance(each, FunctionType) and each.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR) for each in functions)


def method_names(kind: type) -> tuple[frozenset[str], frozenset[str]]:
    """What is called on an object of this class, by its class alone: all methods, and those of them that are ``async def``."""
    names, coroutines = set(), set()
    for each in reversed(kind.__mro__):
        for name, value in vars(each).items():
            if name.startswith("__") and name.endswith("__"):
                continue
            names.discard(name)
            coroutines.discard(name)
            if isinstance(value, descriptors_of_methods) or (callable(value) and not isinstance(value, type)):
                names.add(name)
                if inspect.iscoroutinefunction(getattr(value, "__func__", value)):
                    coroutines.add(name)
    return frozenset(names), frozenset(coroutines)
