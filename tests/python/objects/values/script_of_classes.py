# SPDX-License-Identifier: Apache-2.0
"""A script with the classes and functions that scripts have. test_objects_by_value.py runs it: what each does in an object is what it does here."""

import abc
import asyncio
import collections.abc
import contextlib
import functools
import types
import typing
from typing import Any, ClassVar, Generic, NewType, ParamSpec, Protocol, TypeVar

from definitions_kit import compare, raised

T = TypeVar("T")
Number = TypeVar("Number", int, float)
Bound = TypeVar("Bound", bound="Parent", covariant=True)
P = ParamSpec("P")
UserId = NewType("UserId", int)
SUFFIX = "!"


@typing.runtime_checkable
class HasSize(Protocol):
    def size(self) -> int: ...


class Sized:
    def size(self) -> int:
        return 4


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> int: ...


class Square(Shape):
    def area(self) -> int:
        return 4


@Shape.register
class Registered:
    pass


class Node(Generic[T]):
    def __init__(self, value: T, following: "Node[T] | None" = None) -> None:
        self.value, self.following = value, following


class IntNode(Node[int]):
    pass


class Meta(type):
    made: ClassVar[list[str]] = []

    def __new__(cls, name: str, bases: Any, names: Any, *, extra: int) -> Any:
        cls.made.append(name)
        return super().__new__(cls, name, bases, {**names, "extra": extra})

    def __init__(cls, name: str, bases: Any, names: Any, **_: int) -> None:
        super().__init__(name, bases, names)

    def __len__(cls) -> int:
        return 3


class WithMeta(metaclass=Meta, extra=5):
    pass


class Plugin:
    known: ClassVar[list[type]] = []

    def __init_subclass__(cls, *, tag: str) -> None:
        cls.tag = tag
        Plugin.known.append(cls)


class Reader(Plugin, tag="reader"):
    pass


class Doubling:
    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, what: Any, kind: type | None = None) -> Any:
        return self if what is None else getattr(what, self.name, 0)

    def __set__(self, what: Any, value: int) -> None:
        setattr(what, self.name, 2 * value)


class Described:
    doubled = Doubling()
    joined = functools.partialmethod(lambda self, a, b: (a, b), 1)

    @property
    def more(self) -> int:
        return int(self.doubled) + 1

    @more.setter
    def more(self, value: int) -> None:
        self.doubled = value

    @classmethod
    def named(cls) -> str:
        return cls.__name__

    @staticmethod
    def still() -> str:
        return "still"

    class Inner:
        def outer(self) -> type:
            return Described


class Parent:
    version = 1

    def greet(self) -> str:
        return "parent"


class Child(Parent):
    version = 1  # of its own, though it is the same

    def greet(self) -> str:
        return "child of " + super().greet()


class Service:
    def __init__(self) -> None:
        self.computed = 0

    @functools.cached_property
    def value(self) -> int:
        self.computed += 1
        return 7

    @functools.singledispatchmethod
    def kind(self, _: object) -> str:
        return "object"

    @kind.register
    def _(self, _: int) -> str:
        return "int"

    @functools.lru_cache(maxsize=8)  # noqa: B019
    def cached(self, x: int) -> int:
        self.computed += 1
        return x


class OwnError(Exception):
    def __init__(self, a: int) -> None:
        super().__init__(a)
        self.a = a


def raise_own() -> None:
    raise OwnError(3)


@functools.cache
def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@functools.singledispatch
def shown(_: object) -> str:
    return "object"


@shown.register
def _(x: int) -> str:
    return f"int {x}{SUFFIX}"


def even(n: int) -> bool:
    return n == 0 or odd(n - 1)


def odd(n: int) -> bool:
    return n != 0 and even(n - 1)


def counting(n: int) -> collections.abc.Iterator[int]:
    yield from range(n)


async def waited(x: int) -> int:
    await asyncio.sleep(0)
    return x


def told(function: typing.Callable[P, T]) -> typing.Callable[P, tuple[str, T]]:
    @functools.wraps(function)
    def wrapper(*arguments: P.args, **keywords: P.kwargs) -> tuple[str, T]:
        return "told", function(*arguments, **keywords)

    return wrapper


@told
def decorated(x: int) -> bool:
    return even(x)


@contextlib.contextmanager
def opened(x: int) -> collections.abc.Iterator[int]:
    yield x + 1


def of_user(x: UserId) -> UserId:
    return UserId(x + 1)


def counter() -> tuple[Any, Any]:
    n = 0

    def count() -> int:
        nonlocal n
        n += 1
        return n

    return count, lambda: n


def abstract() -> object:
    sized = isinstance(Sized(), HasSize), isinstance(3, HasSize)
    return sized, raised(Shape), Square().area(), issubclass(Registered, Shape), issubclass(int, Shape), raised(type("Half", (Shape,), {}))


def generics() -> object:
    known = Node[int].__args__, IntNode.__orig_bases__ == (Node[int],), Node.__parameters__ == (T,)
    return (
        IntNode(3, Node(4)).following.value,
        known,
        typing.get_type_hints(of_user)["x"] is UserId,
        told.__annotations__["return"].__args__[0] is P,
        Number.__constraints__,
        Bound.__covariant__,
        Bound.__bound__,
    )


def variables() -> object:
    return Number.__constraints__, Bound.__covariant__, Bound.__bound__, T.__name__, P.args, P.kwargs


def metaclasses() -> object:
    class Writer(Plugin, tag="writer"):
        pass

    Plugin.known.remove(Writer)
    again = raised(lambda: type(WithMeta)("Again", (), {}, extra=1).extra)
    Meta.made.remove("Again")
    return WithMeta.extra, len(WithMeta), Meta.made, type(WithMeta) is Meta, again, Reader.tag, Writer.tag, Plugin.known == [Reader]


def descriptors() -> object:
    what, service = Described(), Service()
    what.doubled, what.more = 3, 4
    described = what.doubled, what.more, Described.named(), Described.still(), Described.Inner().outer() is Described, what.joined(2), Described.doubled.name
    return described, service.value, service.value, service.cached(1), service.cached(1), service.computed, service.kind(1), service.kind("")


def inherited() -> object:
    Parent.version = 2
    versions = Parent.version, Child.version
    Parent.version = 1
    return versions, Child().greet(), Child.__mro__ == (Child, Parent, object)


def functions() -> object:
    count, counted = counter()
    count()
    with opened(1) as two:
        called = even(10), odd(10), list(counting(3)), asyncio.run(waited(3)), decorated(4), decorated.__wrapped__(3), two, functools.partial(even, 3)()
    return called, fibonacci(80), shown(1), shown(""), of_user(UserId(1)), count(), counted(), raised(raise_own)


def within() -> object:
    class Local:
        suffix = SUFFIX  # a global that the body of a class uses

        def get(self) -> str:
            return SUFFIX + self.suffix

    return Local().get(), types.SimpleNamespace(a=1)


CHECKS = [abstract, generics, variables, metaclasses, descriptors, inherited, functions, within]
VALUES: list[Any] = [Sized(), Square(), IntNode(1), WithMeta(), Reader(), Described(), Described.Inner(), Child(), Service(), OwnError(3)]
THEMSELVES: list[Any] = [T, Number, Bound, P, UserId, even, fibonacci, shown, Shape, HasSize, Meta, Registered, Described.named.__func__]


if __name__ == "__main__":
    compare(CHECKS, VALUES, THEMSELVES)
