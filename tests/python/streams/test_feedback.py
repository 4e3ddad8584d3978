# SPDX-License-Identifier: Apache-2.0
"""Farms that feed back to themselves: ST-8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import octavo
import pytest
from streams_kit import Times, add_one, count_down, halved, nothing_is_left, repeat, repeated

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("bound", [1, 2, 64])
def test_st8_it_ends_when_nothing_is_under_way(workers: int, bound: int) -> None:
    farm = octavo.farm(halved).workers(workers).bound(bound)
    assert sorted(octavo.pipeline(farm)([(0, 300)])) == list(range(300))
    assert sorted(octavo.pipeline(farm.unordered(), octavo.stage(add_one).bound(1))([(0, 100), (100, 200)])) == list(range(1, 201))
    assert list(octavo.pipeline(farm)([])) == list(octavo.pipeline(farm)([(3, 3)])) == []


@pytest.mark.parametrize("bound", [1, 2, 64])
def test_st8_in_order_results_are_those_of_the_items_one_after_the_other(bound: int) -> None:
    items = [10 * i + (7 * i) % 10 for i in range(300)]
    s = octavo.pipeline(octavo.farm(count_down).workers(2).bound(bound), octavo.stage(Times, 2).bound(bound))
    assert list(s(items)) == [20 * i for i in range(300)]
    assert list(s.inline()(items)) == [20 * i for i in range(300)]


def test_st8_behind_a_farm_and_before_one() -> None:
    s = octavo.pipeline(octavo.farm(repeat).workers(2), octavo.farm(Times, 10).workers(2), octavo.farm(count_down).workers(2), octavo.farm(add_one).workers(2))
    assert list(s(range(50))) == [10 * x + 1 for x in repeated(list(range(50)))]


def fails_at_35(x: int) -> Iterator[Any]:
    if x == 35:
        raise ArithmeticError(str(x))
    yield from count_down(x)


def test_st8_an_error_ends_it_behind_what_was_done() -> None:
    got: list[int] = []
    with pytest.raises(ArithmeticError, match="35"):
        octavo.pipeline(octavo.farm(fails_at_35).workers(2)).run(range(5, 400, 10), into=got.append)
    assert got == [0, 10, 20][: len(got)]
    nothing_is_left()


def doubles(x: bytes) -> Iterator[Any]:
    yield octavo.Again(x)
    yield octavo.Again(x)


def again(x: int) -> octavo.Again[int]:
    return octavo.Again(x)


def unsaid(x: int) -> Any:
    return octavo.Again(x)


def forever(x: int) -> Iterator[int | octavo.Again[int]]:
    yield x
    yield octavo.Again(x + 1)


def test_st8_what_waits_to_go_round_is_bound_in_bytes() -> None:
    with pytest.raises(octavo.Refused, match="'doubles'"):
        octavo.pipeline(octavo.farm(doubles).workers(2).bound(bytes=100_000)).run([bytes(1000)])


def test_st8_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(octavo.UsageError, match="who is free"):
        octavo.pipeline(octavo.farm(again).workers(2).round_robin())
    with pytest.raises(octavo.UsageError, match="within a farm"):
        octavo.farm(octavo.pipeline(again))
    # What does not say so is found when it does it.
    with pytest.raises(octavo.UsageError, match="who is free"):
        octavo.pipeline(octavo.farm(unsaid).workers(2).round_robin()).run([1])
    with pytest.raises(octavo.UsageError, match="within a farm"):
        octavo.pipeline(octavo.farm(octavo.pipeline(unsaid)).workers(2)).run([1])


def test_st4_a_consumer_that_stops_ends_an_endless_loop() -> None:
    for x in octavo.pipeline(octavo.farm(forever).workers(2).unordered())([0]):
        if x > 200:
            break
    nothing_is_left()
