# SPDX-License-Identifier: Apache-2.0
"""G-17: numbers that members reduce by shared memory, and those that one of them cannot give there."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import octavo as ov
import pytest


class Part:
    def reduced(self, value: Any, op: Any = "sum") -> Any:
        return ov.self().all_reduce(value, op)

    def reduced_by(self, value: Any, mine: bool) -> Any:
        """By a function of the user's, or by name."""
        return ov.self().all_reduce(value, (lambda a, b: a + b) if mine else "sum")

    def mixed(self, seed: int, steps: int) -> list[Any]:
        me, draws, came = ov.self(), random.Random(seed), []
        for _ in range(steps):
            kind, root = draws.randrange(6), draws.randrange(me.size)
            if kind == 0:
                me.barrier()
            elif kind == 1:
                came.append(me.all_reduce(me.index + 1))
            elif kind == 2:
                came.append(me.all_reduce(np.full(3, me.index + 1.0)).tolist())
            elif kind == 3:
                came.append(me.broadcast(me.index, root))
            elif kind == 4:
                came.append(me.all_reduce(me.index + 1, lambda a, b: a + b))
            else:
                came.append(me.all_gather(me.index))
        return came


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[ov.Runtime]:
    with ov.Runtime(memory="64MiB") as made:
        yield made


@pytest.fixture(scope="module")
def g() -> Iterator[Any]:
    made = ov.make_group(Part, 3)
    yield made
    ov.destroy(made)


@pytest.mark.parametrize(
    ("values", "op"),
    [
        ((1, 2, 3), "sum"),
        ((0.1, 0.2, 0.3), "sum"),
        ((1, 2.5, 3), "sum"),
        ((2**62, 2**62, 2**62), "sum"),  # more than 64 bits together
        ((2**62, 2**62, -(2**63)), "prod"),
        ((2**100, 1, 1), "sum"),  # one that is no number of 64 bits goes by messages, and so all do
        ((True, 2, 3), "sum"),
        ((1, -2.0, 3), "min"),
        ((1, -2.0, 3), "max"),
        ((float("inf"), 1.0, 2), "sum"),
    ],
)
def test_g17_as_python_has_it(g: Any, values: tuple[Any, ...], op: str) -> None:
    whole = {"sum": sum, "prod": math.prod, "min": min, "max": max}[op](values)
    came = g.all.reduced(ov.each(values), op)
    assert came == [whole] * 3
    assert {type(each) for each in came} == {type(whole)}


def test_g17_the_first_two_first(g: Any) -> None:
    values = (1e100, 1.0, -1e100)
    assert g.all.reduced(ov.each(values)) == [(1e100 + 1.0) - 1e100] * 3


def test_g17_one_by_a_function_of_its_own(g: Any) -> None:
    for which in range(3):
        assert g.all.reduced_by(ov.each((1, 2, 3)), ov.each(i == which for i in range(3))) == [6] * 3


def test_g17_what_is_no_sum_fails_at_all(g: Any) -> None:
    with pytest.raises(TypeError):
        g.all.reduced(ov.each((1, "two", 3)))
    assert g.all.reduced(2) == [6] * 3


@pytest.mark.parametrize("seed", range(5))
def test_g17_among_others_in_any_order(g: Any, seed: int) -> None:
    draws, expected = random.Random(seed), []
    for _ in range(100):
        kind, root = draws.randrange(6), draws.randrange(3)
        if kind:
            expected.append({1: 6, 2: [6.0] * 3, 3: root, 4: 6, 5: [0, 1, 2]}[kind])
    assert g.all.mixed(seed, 100) == [expected] * 3
