# SPDX-License-Identifier: Apache-2.0
"""Operators with a remote pointer on either side give what the same operators give with the object."""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import octavo
import pytest
from hosted_classes import Process

pytestmark = pytest.mark.timeout(60)

BINARY = ["add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor"]
ORDER = ["lt", "le", "gt", "ge"]


class Recorder(Process):
    """Says which operator was used, from which side."""

    def __init__(self) -> None:
        self.log: list[Any] = []


def define(name: str) -> Callable[[Recorder, Any], Any]:
    def operate(self: Recorder, other: Any) -> Any:
        self.log.append((name, other))
        return self if name.startswith("__i") and name != "__invert__" else (name, other)

    return operate


for each in BINARY:
    for side in ("", "r", "i"):
        setattr(Recorder, f"__{side}{each.strip('_')}__", define(f"__{side}{each.strip('_')}__"))
for each in ORDER:
    setattr(Recorder, f"__{each}__", define(f"__{each}__"))


@pytest.fixture(scope="module")
def recorder() -> Any:
    return octavo.process.make(Recorder)


@pytest.mark.parametrize("name", BINARY)
def test_binary_ones(recorder: Any, name: str) -> None:
    function = getattr(operator, name)
    plain = name.strip("_")
    assert function(recorder, 5) == (f"__{plain}__", 5)
    assert function("left", recorder) == (f"__r{plain}__", "left") or name == "mod"  # "left" % p formats
    assert function(5, recorder) == (f"__r{plain}__", 5)


@pytest.mark.parametrize("name", BINARY)
def test_in_place_ones(recorder: Any, name: str) -> None:
    before = copy.copy(recorder)
    p = getattr(operator, "i" + name.strip("_"))(recorder, 6)
    assert p is recorder
    assert p == before
    assert p.log[-1] == (f"__i{name.strip('_')}__", 6)


@pytest.mark.parametrize("name", ORDER)
def test_order(recorder: Any, name: str) -> None:
    assert getattr(operator, name)(recorder, 7) == (f"__{name}__", 7)


@pytest.mark.parametrize("value", [7, -3, 2.5, 1 + 2j, True])
def test_numbers(value: Any) -> None:
    p: Any = octavo.process.make(type(value), value)
    for function in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow):
        assert function(p, 3) == function(value, 3)
        assert function(3, p) == function(3, value)
    for unary in (operator.neg, operator.pos, abs, complex):
        assert unary(p) == unary(value)
    if not isinstance(value, complex):
        assert (p < 4, p >= 4, int(p), float(p), round(p)) == (value < 4, value >= 4, int(value), float(value), round(value))
        assert round(p, 1) == round(value, 1)
        assert divmod(p, 2) == divmod(value, 2)
        assert (math.floor(p), math.ceil(p)) == (math.floor(value), math.ceil(value))
    if isinstance(value, int):
        assert (~p, operator.index(p), hex(p), list("abcdefgh")[p]) == (~value, value, hex(value), list("abcdefgh")[value])


def test_a_power_with_a_modulus() -> None:
    p: Any = octavo.process.make(int, 7)
    assert pow(p, 2, 5) == 4


def test_truncation() -> None:
    p: Any = octavo.process.make(float, -2.5)
    assert math.trunc(p) == -2


def test_divmod_with_the_object_on_the_right() -> None:
    p: Any = octavo.process.make(int, 7)
    assert divmod(20, p) == (2, 6)


def test_in_place_on_a_value_makes_the_object_another() -> None:
    p: Any = octavo.process.make(int, 5)
    q = p
    p += 3
    p *= 2
    assert p is q
    assert int(q) == 16
    text: Any = octavo.process.make(str, "a")
    text += "b"
    assert text.upper() == "AB"


def test_containers() -> None:
    p: Any = octavo.process.make(list, [1])
    two, none = [2], [0]
    assert p + two == [1, 2]
    assert none + p == [0, 1]
    assert p * 2 == 2 * p == [1, 1]
    p += [3]
    assert list(p) == [1, 3]
    table: Any = octavo.process.make(dict, a=1)
    table |= {"b": 2}
    assert table | {"c": 3} == {"a": 1, "b": 2, "c": 3}
    assert {"z": 0} | table == {"z": 0, "a": 1, "b": 2}
    some: Any = octavo.process.make(set, "ab")
    assert some & {"a", "c"} == {"a"}
    assert some <= {"a", "b", "c"}
    assert {"a", "b", "c"} - some == {"c"}


def test_arrays() -> None:
    a: Any = octavo.process.make(np.arange, 4.0)
    assert np.array_equal(a + 1, [1, 2, 3, 4])
    assert np.array_equal(1 - a, [1, 0, -1, -2])
    assert np.array_equal(a > 1, [False, False, True, True])
    a *= 2
    a[1:3] -= 1
    assert a.tolist() == [0, 1, 3, 6]
    assert np.array_equal(a @ np.ones(4), 10)
    assert np.array_equal(np.ones(4) + a, [1, 2, 4, 7])


def test_two_objects() -> None:
    p: Any = octavo.process.make(int, 5)
    q: Any = octavo.process.make(int, 3)
    assert p - q == 2
    assert q - p == -2


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.lt, operator.matmul, operator.iadd])
def test_what_the_object_does_not_have_is_a_type_error(function: Callable[[Any, Any], Any]) -> None:
    class Nothing:
        pass

    p: Any = octavo.process.make(Nothing)
    with pytest.raises(TypeError, match=r"unsupported operand|not supported"):
        function(p, 1)
    with pytest.raises(TypeError, match=r"unsupported operand|not supported"):
        function(1, p)
    for unary in (len, iter, operator.neg, int, float, abs, round, operator.index):
        with pytest.raises(TypeError):
            unary(p)


def test_an_operator_that_fails_is_the_objects_error() -> None:
    p: Any = octavo.process.make(int, 5)
    with pytest.raises(ZeroDivisionError) as caught:
        p / 0
    assert type(caught.value.__cause__).__name__ == "RemoteTraceback"
