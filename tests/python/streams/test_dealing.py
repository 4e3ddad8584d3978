# SPDX-License-Identifier: Apache-2.0
"""Which worker of a farm has an item: ST-7; and ST-3 where that goes wrong."""

from __future__ import annotations

from collections.abc import Iterator

import octavo
import pytest
from streams_kit import FailsAt, Times, add_one, digits, mod_two, nothing_is_left, with_pid

pytestmark = pytest.mark.timeout(120)


def test_st7_items_of_one_key_go_to_one_worker_and_stay_in_order() -> None:
    got = list(octavo.pipeline(octavo.farm(with_pid).workers(2).by(mod_two))(range(200)))
    assert [x for x, _ in got] == list(range(200))
    assert len({(x % 2, pid) for x, pid in got}) == 2


def test_st7_round_robin_deals_in_turn() -> None:
    got = list(octavo.pipeline(octavo.farm(with_pid).workers(2).round_robin())(range(100)))
    assert [x for x, _ in got] == list(range(100))
    assert len({(x % 2, pid) for x, pid in got}) == 2


def test_st7_broadcast_gives_each_item_to_all() -> None:
    assert list(octavo.pipeline(octavo.farm(add_one).workers(2).broadcast())(range(4))) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert list(octavo.pipeline(octavo.farm(Times, 2).workers(3).broadcast().gather())(range(3))) == [[0] * 3, [2] * 3, [4] * 3]
    assert sorted(octavo.pipeline(octavo.farm(add_one).workers(2).broadcast().unordered())(range(4))) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_st7_scatter_gives_each_worker_its_part() -> None:
    assert list(octavo.pipeline(octavo.farm(add_one).workers(2).scatter(digits).gather())(range(3))) == [[1, 2], [11, 12], [21, 22]]


def named(x: int) -> Iterator[octavo.streams.To[int]]:
    yield octavo.streams.To(x % 2, x)
    yield octavo.streams.To(1, x + 1000)


def test_st7_a_result_may_name_the_worker_that_has_it() -> None:
    got = list(octavo.pipeline(octavo.farm(named).workers(2), octavo.farm(with_pid).workers(2))(range(100)))
    assert [x for x, _ in got] == [y for x in range(100) for y in (x, x + 1000)]
    workers = {(x >= 1000 or x % 2 == 1, pid) for x, pid in got}
    assert len(workers) == 2
    assert list(octavo.pipeline(named, octavo.farm(add_one).workers(2)).inline()([5])) == [6, 1006]


@pytest.mark.parametrize("at", [0, 1, 70, 299])
def test_st3_all_before_the_failing_item_is_delivered_whoever_has_it(at: int) -> None:
    got: list[int] = []
    with pytest.raises(ArithmeticError, match=f"item {at}"):
        octavo.pipeline(octavo.farm(FailsAt, at).workers(3).round_robin()).run(range(300), into=got.append)
    assert got == list(range(at))


def test_st3_a_worker_that_is_not_there() -> None:
    with pytest.raises(octavo.UsageError, match="worker 1 of a farm of 1"):
        list(octavo.pipeline(named, octavo.farm(add_one).workers(1))(range(5)))
    with pytest.raises(octavo.UsageError, match="'add_one' is a stage"):
        list(octavo.pipeline(named, add_one)(range(5)))


def test_st3_a_function_that_deals_wrongly_ends_the_stream() -> None:
    with pytest.raises(octavo.UsageError, match="parts of an item"):
        list(octavo.pipeline(octavo.farm(add_one).workers(2).scatter(lambda x, n: [x]).gather())(range(3)))
    with pytest.raises(ZeroDivisionError):
        list(octavo.pipeline(octavo.farm(add_one).workers(2).by(lambda x: 1 // (5 - x)))(range(100)))
    with pytest.raises(octavo.UsageError, match="gather"):
        octavo.farm(add_one).gather()
    nothing_is_left()
