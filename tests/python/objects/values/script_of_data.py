# SPDX-License-Identifier: Apache-2.0
"""A script with the classes of data that scripts have. test_objects_by_value.py runs it: what each does in an object is what it does here."""

import collections
import ctypes
import dataclasses
import enum
from typing import Any, ClassVar, NamedTuple, TypedDict

from definitions_kit import compare, raised

SUFFIX = "!"


class Slots:
    __slots__ = ("__hidden", "shown")

    def __init__(self) -> None:
        self.__hidden, self.shown = 5, 6

    def hidden(self) -> int:
        return self.__hidden


class MoreSlots(Slots):
    __slots__ = "one"


class DescribedSlots:
    __slots__ = {"__dict__": "others", "__weakref__": "itself", "a": "what a is"}


@dataclasses.dataclass(slots=True)
class SlottedData:
    x: int
    y: int = 2


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, order=True)
class FrozenData:
    a: int
    b: list[int] = dataclasses.field(default_factory=list)
    c: ClassVar[int] = 9


@dataclasses.dataclass
class Data:
    a: int
    b: int = 5


@dataclasses.dataclass
class MoreData(Data):
    c: int = dataclasses.field(default=6, repr=False)


class Planet(enum.Enum):
    MERCURY = (3.303e23, 2.4397e6)
    EARTH = (5.976e24, 6.37814e6)

    def __init__(self, mass: float, radius: float) -> None:
        self.mass, self.radius = mass, radius

    @property
    def gravity(self) -> float:
        return 6.67e-11 * self.mass / self.radius**2


class Coordinate(bytes, enum.Enum):
    label: str

    def __new__(cls, value: int, label: str) -> Any:
        made = bytes.__new__(cls, [value])
        made._value_, made.label = value, label  # type: ignore[assignment]
        return made

    PX = (0, "P.X")
    PY = (1, "P.Y")


class Permission(enum.Flag):
    R = 4
    W = 2
    RW = 6


class Bits(enum.IntFlag):
    X = 1
    Y = 2
    XY = 3


class Colour(enum.IntEnum):
    RED = 1
    CRIMSON = 1
    BLUE = 2


class Letter(str, enum.Enum):
    A = "a"
    B = "b"

    def large(self) -> str:
        return self.value.upper()


class Named(enum.Enum):
    def greet(self) -> str:
        return self.name + SUFFIX


class Greeting(Named):
    HI = enum.auto()


class Operation(enum.Enum):
    ADD = ((lambda a, b: a + b),)

    def __call__(self, *arguments: int) -> Any:
        return self.value[0](*arguments)


class Point(NamedTuple):
    x: int
    y: int = 3

    def sum(self) -> int:
        return self.x + self.y


Pair = collections.namedtuple("Pair", "a b", defaults=[7])


class Options(TypedDict, total=False):
    k: int


class Fields(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_double))

    def sum(self) -> float:
        return float(self.a + self.b)


class MoreFields(Fields):
    _fields_ = (("c", ctypes.c_char * 4),)


def fields() -> object:
    more = MoreFields(1, 2.5, b"abc")
    return more.sum(), more.c, ctypes.sizeof(MoreFields), Fields.a.offset


def slots() -> object:
    a, b, d = Slots(), MoreSlots(), DescribedSlots()
    b.one, d.a, d.b = 1, 2, 3
    return a.hidden(), a.shown, raised(setattr, b, "two", 2), b.one, d.__dict__, DescribedSlots.__slots__, MoreSlots.__slots__, DescribedSlots.a.__doc__


def data() -> object:
    @dataclasses.dataclass
    class EvenMore(MoreData):
        d: int = 1

    frozen = FrozenData(a=1)
    fields = [(each.name, each.default is dataclasses.MISSING) for each in dataclasses.fields(EvenMore)]
    typo = raised(setattr, SlottedData(1), "z", 2)
    changed = dataclasses.replace(frozen, a=3)
    return SlottedData(1), typo, frozen, raised(setattr, frozen, "a", 2), frozen < changed, FrozenData.c, hasattr(frozen, "__dict__"), repr(EvenMore(1)), fields


def enums() -> object:
    members = [
        Planet.EARTH.gravity,
        Planet((3.303e23, 2.4397e6)),
        Coordinate(1).label,
        Coordinate.PY == b"\x01",
        list(Colour),
        Colour["CRIMSON"],
        Colour.BLUE + 1,
    ]
    flags = [Permission.RW, Permission(6) is Permission.RW, ~Permission.R, Permission.R in Permission.RW, list(Permission), Bits.XY, Bits(8), Bits.X | Bits.Y]
    return members, flags, Letter("b").large(), Letter.A == "a", Greeting.HI.greet(), list(Greeting.__members__), Operation.ADD(1, 2), raised(Colour, 9)


def tuples() -> object:
    return Point(1), Point(1).sum(), Point(1)._replace(x=5), Point._field_defaults, Pair(1), Pair(1)._asdict(), Options(k=1), Options.__optional_keys__


CHECKS = [fields, slots, data, enums, tuples]
VALUES: list[Any] = [Slots(), MoreSlots(), SlottedData(1), FrozenData(a=1), MoreData(1), Point(1), Pair(1)]
THEMSELVES: list[Any] = [Planet.EARTH, Coordinate.PX, Permission.RW, Bits.X, Colour.CRIMSON, Letter.A, Greeting.HI, Operation.ADD, Options]


if __name__ == "__main__":
    compare(CHECKS, VALUES, THEMSELVES)
