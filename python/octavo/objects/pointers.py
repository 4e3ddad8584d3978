# SPDX-License-Identifier: Apache-2.0
"""Remote pointers: ``p.f(x)``, ``p[i]`` and ``p + 1`` go to the object; ``==``, ``hash``, ``bool``, ``repr``, copying and pickling are the pointer's.

Attributes take no name of the object's: what Octavo does with a pointer is a function (``octavo.destroy(p)``).
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import singledispatch
from types import MethodType
from typing import Any, TypeVar

from octavo import _core
from octavo.errors import UsageError
from octavo.objects.futures import Future

T = TypeVar("T")


class Pointer(_core.PointerBase):
    """A remote pointer to a Python object. It does not own: ``octavo.destroy(p)`` ends the object, the end of the program does, and nothing else."""

    __slots__ = ()

    def __repr__(self) -> str:
        *_, number, title = _core.pointer_facts(self)
        return f"<octavo pointer to {title}, process {number}>"

    def _repr_html_(self) -> str:
        from octavo._src.html_table import facts_html

        *_, number, title = _core.pointer_facts(self)
        return facts_html("octavo pointer", {"to": title, "process": str(number)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and _core.pointer_facts(self)[:3] == _core.pointer_facts(other)[:3]

    def __hash__(self) -> int:
        return hash(_core.pointer_facts(self)[:3])

    def __bool__(self) -> bool:
        return True

    def __copy__(self) -> "Pointer":
        return self

    def __deepcopy__(self, memo: object) -> "Pointer":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Pointer, (*_core.pointer_facts(self), None)

    def __dir__(self) -> list[str]:
        return list(_core.perform(self, "dir", ()))

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return _core.perform(self, "call", (arguments, keywords))

    def __iter__(self) -> Iterator[Any]:
        return iter(_core.perform(self, "items", ()))  # a list, or a Stream

    def __enter__(self) -> Any:
        itself, given = _core.perform(self, "enter", ())
        return self if itself else given

    def __exit__(self, *facts: Any) -> Any:
        kind, error, _ = facts
        return _core.perform(self, "exit", (kind, error, None))


requests: dict[Callable[..., Any], tuple[str, str]] = {}  # of an operator: what it asks of the object, and its name there


def defined(own: str, asked: str, name: str) -> None:
    """The operator ``own`` of pointers."""

    def operate(self: Pointer, *arguments: Any) -> Any:
        return _core.perform(self, asked, (name, *arguments))

    operate.__name__, operate.__qualname__ = own, f"Pointer.{own}"
    requests[operate] = asked, name
    setattr(Pointer, own, operate)


def in_place(name: str) -> Callable[[Pointer, Any], Pointer]:
    def operate(self: Pointer, argument: Any) -> Pointer:
        _core.perform(self, "in_place", (name, argument))
        return self

    return operate


def define_operators() -> None:
    for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
        function = name + "_" if name in ("and", "or") else name
        defined(f"__{name}__", "operator", function)
        defined(f"__r{name}__", "reflected", function)
        setattr(Pointer, f"__i{name}__", in_place("i" + name))
    for name in ("neg", "pos", "abs", "invert", "index", "getitem", "setitem", "delitem", "contains", "lt", "le", "gt", "ge"):
        defined(f"__{name}__", "operator", name)
    for name in ("len", "int", "float", "complex", "round", "divmod", "trunc", "floor", "ceil", "reversed", "next"):
        defined(f"__{name}__", "operator", name)
    defined("__rdivmod__", "reflected", "divmod")


define_operators()


def begin_operator(method: MethodType, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
    """Of ``p.__getitem__`` and the like, and of ``p.__call__``."""
    pointer: Any = method.__self__
    begun: Future[Any]
    if method.__func__ is Pointer.__call__:
        begun = _core.start_perform(pointer, "call", (arguments, keywords))
        return begun
    request = requests.get(method.__func__)
    if request is None:
        raise UsageError(f"octavo.start() of {method.__name__}, which is the pointer's own. Start a method of the object, or octavo.call with a function")
    if keywords:
        raise TypeError(f"{method.__name__}() takes no keyword arguments")
    asked, name = request
    begun = _core.start_perform(pointer, asked, (name, *arguments))
    return begun


def method_of(agent: int, incarnation: int, number: int, title: str, name: str, is_coroutine: bool) -> _core.Method:
    """A method of a remote object that arrived as an argument: a function of this module, for those of the extension cannot be pickled."""
    return _core.method_of(agent, incarnation, number, title, name, is_coroutine)


def pointer_of(p: object, doing: str) -> Pointer:
    if not isinstance(p, Pointer):
        raise UsageError(f"{doing} takes a remote pointer, not {type(p).__name__}. Give what make() gave")
    return p


_destroyed: deque[tuple[int, ...]] = deque(maxlen=64)


def was_destroyed(*address: int) -> bool:
    """By this process, a moment ago: its end may not be known yet."""
    return address in _destroyed


@singledispatch
def destroy(p: object, *, timeout: float | None = None) -> None:
    """Ends an object and its process, or the workers of a Service, or all of a group; returns when that is done. Raises what dropped futures of it would have
    raised, and octavo.ProcessDied where it is dead and no call has told so yet.

    An object that computes ends when it has done that. Ctrl-C ends the wait, and so does octavo.TimedOut after ``timeout`` seconds: it ends all the same.
    ``octavo.kill(p)`` ends it at once.
    """
    pointer = pointer_of(p, "destroy()")
    _destroyed.append(_core.pointer_facts(pointer)[:3])  # before the wait, which may be interrupted: it ends all the same
    _core.destroy(pointer, waits=True, seconds=timeout)


@singledispatch
def kill(p: object) -> None:
    """Ends the process of an object, those of a Service or of a group, at once, whatever they do: as ``kill -9``, without ``__del__``, ``atexit`` and the like.

    Returns when it is gone, and at once where it is. Calls to it raise octavo.ProcessDied. One with a name is there again at its next call, as it was last
    saved. An object on a thread has no process of its own: octavo.UsageError.
    """
    _core.kill(pointer_of(p, "kill()"))


@singledispatch
def begin_to_destroy(p: object) -> None:
    """As destroy(), without a wait."""
    _core.destroy(pointer_of(p, "destroy()"), waits=False)


@contextmanager
def scoped(p: T) -> Iterator[T]:
    """``with octavo.scoped(p) as p:`` destroys it at the end. A plain ``with p`` is the object's own.

    Where Ctrl-C ends the block, the object may compute for long: it ends when it has done that, and is not waited for.
    """
    try:
        yield p
    except KeyboardInterrupt:
        with suppress(Exception):  # it is gone
            begin_to_destroy(p)
        raise
    except BaseException:
        with suppress(Exception):  # what ended the block says more
            destroy(p)
        raise
    destroy(p)
