# SPDX-License-Identifier: Apache-2.0
"""Arguments and results: values of every kind arrive as they were, and what a method does to its arguments is not seen by the caller."""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import enum
import fractions
import math
import pathlib
import uuid
from dataclasses import dataclass, field
from typing import Any

import pytest
from hosted_classes import Echo
from hypothesis import example, given
from hypothesis import strategies as st

pytestmark = pytest.mark.timeout(60)


class Number(int):
    pass


class Text(str):
    __slots__ = ()


class Rows(list[Any]):
    def __init__(self, *items: Any) -> None:
        super().__init__(items)
        self.title = "rows"


class Table(dict[str, Any]):
    pass


class Real(float):
    pass


class Color(enum.Enum):
    RED = 1
    GREEN = "g"


class Flags(enum.IntFlag):
    A = 1
    B = 2


@dataclass
class Record:
    name: str
    values: list[int] = field(default_factory=list)
    inner: Record | None = None


@dataclass(frozen=True)
class Frozen:
    a: int


EDGES = [sign * (2**bits + by) for bits in (0, 7, 31, 32, 53, 62, 63, 64, 200) for by in (-1, 0, 1) for sign in (1, -1)]
CHARACTERS = st.characters(exclude_categories=())  # halves of surrogate pairs, too
ATOMS = st.none() | st.booleans() | st.integers() | st.sampled_from(EDGES) | st.floats() | st.complex_numbers() | st.text(CHARACTERS) | st.binary(max_size=100)
KEYS = st.booleans() | st.integers() | st.text(CHARACTERS) | st.binary(max_size=9) | st.tuples(st.integers(), st.text())
NESTED = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=5) | st.lists(inner, max_size=5).map(tuple) | st.dictionaries(KEYS, inner, max_size=5) | st.sets(KEYS) | st.frozensets(KEYS)
    ),
    max_leaves=20,
)


def alike(a: Any, b: Any) -> bool:
    """Equal, of the same types all through, NaN like NaN, -0.0 unlike 0.0, and in the same order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    if isinstance(a, complex):
        return alike(a.real, b.real) and alike(a.imag, b.imag)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return alike(list(a), list(b)) and alike(list(a.values()), list(b.values()))
    return bool(a == b)


@given(what=NESTED)
@example(what=EDGES)
@example(what=[math.nan, math.inf, -math.inf, -0.0, 5e-324, complex(math.nan, -0.0)])
@example(what="\ud800 alone, \x00, \U0001f600, ä")
@example(what=["\udfff", {"\ud800": 1}])
def test_values_arrive_as_they_were(echo: Echo, what: Any) -> None:
    assert alike(echo.same(what), what)


@given(arguments=st.lists(NESTED, max_size=4), keywords=st.dictionaries(st.text(CHARACTERS, min_size=1), NESTED, max_size=4))
def test_arguments_by_place_and_by_name(echo: Echo, arguments: list[Any], keywords: dict[str, Any]) -> None:
    keywords = {key: value for key, value in keywords.items() if key != "self"}
    assert alike(echo.everything(*arguments, **keywords), (tuple(arguments), keywords))


@given(what=NESTED)
def test_what_the_method_changes_is_its_own(echo: Echo, what: Any) -> None:
    before = copy.deepcopy(what)
    got = echo.change(what)
    assert alike(what, before)
    assert alike(got, Echo().change(before))


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 65536, (1 << 20) + 1])
@pytest.mark.parametrize("kind", [bytes, bytearray, str])
def test_bytes_and_texts_of_every_size(echo: Echo, kind: Any, size: int) -> None:
    pattern = bytes(i % 251 for i in range(256)) * (size // 256 + 1)
    what = pattern[:size].decode("latin-1") if kind is str else kind(pattern[:size])
    assert alike(echo.same(what), what)
    assert alike(echo.same([what, {"a": what}, (what,)]), [what, {"a": what}, (what,)])


def test_many_large_parts_in_one_call(echo: Echo) -> None:
    many = [bytes([i]) * 5000 for i in range(256)] * 2
    assert echo.same(many) == many
    assert echo.everything(*many[:300])[0] == tuple(many[:300])
    assert echo.same([bytearray(each) for each in many]) == many


@pytest.mark.parametrize("depth", [31, 32, 33, 63, 64, 65, 200])
@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: (x,), lambda x: {"a": x}], ids=["list", "tuple", "dict"])
def test_deep_ones(echo: Echo, wrap: Any, depth: int) -> None:
    what: Any = b"x" * 5000
    for _ in range(depth):
        what = wrap(what)
    assert echo.same(what) == what


def test_one_that_is_too_deep_is_an_error_and_no_end(echo: Echo) -> None:
    what: list[Any] = []
    for _ in range(100_000):
        what = [what]
    with pytest.raises((TypeError, RecursionError, ValueError)):
        echo.same(what)
    while what:  # taken apart by hand, not by recursion
        what = what.pop()
    assert echo.same(1) == 1


@pytest.mark.parametrize(
    "what",
    [
        Number(3),
        Text("a"),
        Real(0.5),
        Table(a=1),
        Color.RED,
        Color.GREEN,
        Flags.A | Flags.B,
        Record("a", [1, 2], Record("b")),
        Frozen(3),
        [Number(3), {"a": Text("b")}],
        {Color.RED: {1, 2}, Frozen(1): frozenset({3})},
        collections.OrderedDict(b=1, a=2),
        collections.defaultdict(list, a=[1]),
        collections.deque([1, 2], maxlen=3),
        collections.Counter("aab"),
        datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
        decimal.Decimal("1.10"),
        fractions.Fraction(1, 3),
        uuid.UUID(int=5),
        pathlib.PurePosixPath("/a/b"),
        range(1, 10, 3),
        slice(1, None, 2),
        ...,
        NotImplemented,
        int,
        Color,
        len,
        math.sin,
        bytearray(b"abc"),
        memoryview,
    ],
    ids=repr,
)
def test_objects_of_other_types(echo: Echo, what: Any) -> None:
    for got, want in ((echo.same(what), what), (echo.same([what])[0], what), (echo.same({"a": (what,)})["a"][0], what)):
        assert type(got) is type(want)
        assert got == want
    assert echo.kind(what) is type(what)


def test_a_subclass_keeps_its_own_attributes(echo: Echo) -> None:
    got = echo.same(Rows(1, 2))
    assert (type(got), got, got.title) == (Rows, [1, 2], "rows")


def test_functions_travel(echo: Echo) -> None:
    base = 5
    assert echo.apply(lambda x: x + base, 3) == 8
    assert echo.apply(math.hypot, 3, 4) == 5
    assert echo.same(lambda x: x + base)(1) == 6


def test_a_list_that_stands_twice_is_one(echo: Echo) -> None:
    a = [1]
    for what in ([a, a], (a, a), {"x": a, "y": a}, [[a], [a]], [(a,), {"z": a}]):
        flat: list[Any] = []

        def collect(each: Any, flat: list[Any] = flat) -> None:
            if each == [1]:
                flat.append(each)
            else:
                for item in each.values() if isinstance(each, dict) else each:
                    collect(item)

        collect(echo.same(what))
        assert len(flat) == 2
        assert flat[0] is flat[1], f"{what!r} came back with two lists"


def test_a_list_in_a_tuple_that_stands_twice_is_one(echo: Echo) -> None:
    shared: tuple[list[int], ...] = ([],)
    first, second = echo.same([shared, shared])
    assert first[0] is second[0]


def test_what_is_changed_through_one_name_is_seen_through_the_other(echo: Echo) -> None:
    a: list[Any] = []
    assert echo.change([a, a]) == Echo().change([a, a])


def test_one_that_contains_itself(echo: Echo) -> None:
    what: list[Any] = [1]
    what.append(what)
    got = echo.same(what)
    assert got[1] is got
    table: dict[str, Any] = {}
    table["self"] = [table]
    again = echo.same(table)
    assert again["self"][0] is again
