# SPDX-License-Identifier: Apache-2.0
"""What can be made into an object: classes of all origins, factories, and what becomes of a class that is defined anew."""

from __future__ import annotations

import collections
import functools
import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import octavo
import pytest
from hosted_classes import Counter

pytestmark = pytest.mark.timeout(60)


class OfThisModule:
    """Imported by the server from where the test lies."""

    def __init__(self, a: int, *rest: int, b: int = 2, **more: int) -> None:
        self.all = (a, rest, b, more)

    def where(self) -> tuple[int, str]:
        return os.getpid(), type(self).__module__


@dataclass
class Point:
    x: float
    y: float = 0.0

    def norm(self) -> float:
        return float(np.hypot(self.x, self.y))


class Pair(NamedTuple):
    first: int
    second: int

    def total(self) -> int:
        return self.first + self.second


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


def point_at(x: float) -> Point:
    return Point(x, x)


def test_a_class_of_a_module() -> None:
    p = octavo.process.make(OfThisModule, 1, 2, 3, b=4, c=5)
    assert p.all == (1, (2, 3), 4, {"c": 5})
    pid, module = p.where()
    assert pid != os.getpid()
    assert module == __name__


def test_parameters_of_any_name_reach_the_constructor() -> None:
    p = octavo.process.make(dict, function=1, self=2, arguments=3, keywords=4, name=5, place=6, machine=7)
    assert (p["function"], p["self"]) == (1, 2)
    assert len(p) == 7


def test_a_class_defined_in_a_function() -> None:
    shift = 10

    class Local:
        scale = 3

        def __init__(self, x: int) -> None:
            self.x = x

        def compute(self) -> int:
            return self.scale * self.x + shift

        def make_another(self, x: int) -> int:
            return Local(x).compute()

        def root(self) -> float:
            return float(np.sqrt(self.x))  # a module that the test's module imported

    p = octavo.process.make(Local, 4)
    assert (p.compute(), p.make_another(5), p.root()) == (22, 25, 2.0)


def test_a_class_derived_in_a_function() -> None:
    class Doubling(Counter):
        def add(self, n: int = 1) -> int:
            return super().add(2 * n)

    p = octavo.process.make(Doubling, 1)
    assert p.add(3) == 7
    assert p.name() == "Doubling"


def test_a_class_defined_anew_affects_new_objects_only() -> None:
    def define(answer: int) -> type[Any]:
        class Anew:
            def answer(self) -> int:
                return answer

        return Anew

    first_class = define(1)
    first = octavo.process.make(first_class)
    second = octavo.process.make(define(2))
    third = octavo.process.make(first_class)
    assert [p.answer() for p in (first, second, third, first)] == [1, 2, 1, 1]


def test_a_class_changed_in_place_affects_new_objects_only() -> None:
    class Changing:
        def answer(self) -> int:
            return 1

    old = octavo.process.make(Changing)
    assert old.answer() == 1
    Changing.answer = lambda self: 2  # type: ignore[method-assign]
    Changing.more = lambda self: 3  # type: ignore[attr-defined]
    new = octavo.process.make(Changing)
    assert (old.answer(), new.answer(), new.more()) == (1, 2, 3)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        old.more()  # type: ignore[attr-defined]


def test_classes_of_others() -> None:
    counts = octavo.process.make(collections.Counter, "abca")
    assert counts["a"] == 2
    assert counts.most_common(1) == [("a", 2)]
    p = octavo.process.make(dict, a=1)
    p["b"] = 2
    assert sorted(p.items()) == [("a", 1), ("b", 2)]
    q = octavo.process.make(collections.deque, [1, 2, 3], maxlen=2)
    q.append(4)
    assert list(q) == [3, 4]
    assert q.maxlen == 2


def test_an_array_made_where_it_is() -> None:
    a = octavo.process.make(np.zeros, (1000,))
    a[3] = 7.0
    assert a[3] == 7.0
    assert a.sum() == 7.0
    assert a.shape == (1000,)
    assert a.dtype == np.dtype("float64")
    assert len(a) == 1000
    assert np.array_equal(a[2:5], [0, 7, 0])


def test_factories() -> None:
    assert octavo.process.make(point_at, 3.0).y == 3.0
    assert octavo.process.make(lambda x: [x, x], 1)[1] == 1
    assert octavo.process.make(functools.partial(Counter, 8)).value == 8
    by_method = octavo.process.make(dict.fromkeys, "ab", 3)
    assert by_method["b"] == 3
    assert octavo.process.make(int.from_bytes, b"\1\0", "big") + 0 == 256


def test_small_classes_of_every_kind() -> None:
    assert octavo.process.make(Point, 3, y=4).norm() == 5.0
    pair = octavo.process.make(Pair, 3, 4)
    assert (pair.total(), pair.first, pair[1], len(pair)) == (7, 3, 4, 2)
    slotted = octavo.process.make(Slotted, 5)
    slotted.value += 1
    assert slotted.value == 6
    with pytest.raises(AttributeError):
        slotted.other = 1  # type: ignore[attr-defined]


def test_an_object_of_a_builtin_value() -> None:
    p = octavo.process.make(int, "12")
    assert p + 1 == 13
    assert int(p) == 12
    assert octavo.process.make(type(None)) is not None  # a pointer to None


def test_an_object_that_is_a_class_or_a_function() -> None:
    def factory() -> type[Counter]:
        return Counter

    p = octavo.process.make(factory)
    assert p.plus(1, 2) == 3
    assert p.step == 1


@pytest.mark.parametrize("what", [5, "Counter", None, Counter()])
def test_what_cannot_be_called_is_refused(what: Any) -> None:
    with pytest.raises(octavo.UsageError, match=type(what).__name__):
        octavo.process.make(what)


def test_wrong_arguments_are_the_constructors_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        octavo.process.make(Counter, nothing=1)  # type: ignore[call-arg]


def test_a_class_in_a_module_made_after_the_first_object(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made_by_a_test.py").write_text("class Late:\n    def answer(self):\n        return 42\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import importlib

    late = importlib.import_module("made_by_a_test")
    assert octavo.process.make(late.Late).answer() == 42
