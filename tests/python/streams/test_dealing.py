# SPDX-License-Identifier: Apache-2.0
"""Which worker of a farm has an item: ST-1, ST-3."""

from __future__ import annotations

import octavo
import pytest
from streams_kit import Times, add_one, digits, mod_two, nothing_is_left, with_pid

pytestmark = pytest.mark.timeout(120)


def test_st1_items_of_one_key_go_to_one_worker_and_stay_in_order() -> None:
    got = list(octavo.pipeline(octavo.farm(with_pid).workers(2).by(mod_two))(range(200)))
    assert [x for x, _ in got] == list(range(200))
    assert len({(x % 2, pid) for x, pid in got}) == 2


def test_st1_round_robin_deals_in_turn() -> None:
    got = list(octavo.pipeline(octavo.farm(with_pid).workers(2).round_robin())(range(100)))
    assert [x for x, _ in got] == list(range(100))
    assert len({(x % 2, pid) for x, pid in got}) == 2


def test_st1_broadcast_gives_each_item_to_all() -> None:
    assert list(octavo.pipeline(octavo.farm(add_one).workers(2).broadcast())(range(4))) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert list(octavo.pipeline(octavo.farm(Times, 2).workers(3).broadcast().gather())(range(3))) == [[0] * 3, [2] * 3, [4] * 3]
    assert sorted(octavo.pipeline(octavo.farm(add_one).workers(2).broadcast().unordered())(range(4))) == [1, 1, 2, 2, 3, 3, 4, 4]


def test_st1_scatter_gives_each_worker_its_part() -> None:
    assert list(octavo.pipeline(octavo.farm(add_one).workers(2).scatter(digits).gather())(range(3))) == [[1, 2], [11, 12], [21, 22]]


def test_st3_a_function_that_deals_wrongly_ends_the_stream() -> None:
    with pytest.raises(octavo.UsageError, match="parts of an item"):
        list(octavo.pipeline(octavo.farm(add_one).workers(2).scatter(lambda x, n: [x]).gather())(range(3)))
    with pytest.raises(ZeroDivisionError):
        list(octavo.pipeline(octavo.farm(add_one).workers(2).by(lambda x: 1 // (5 - x)))(range(100)))
    with pytest.raises(octavo.UsageError, match="gather"):
        octavo.farm(add_one).gather()
    nothing_is_left()
