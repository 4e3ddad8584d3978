# SPDX-License-Identifier: Apache-2.0
"""Streams of processes: ST-1 to ST-6."""

from __future__ import annotations

import asyncio
import functools
import itertools
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from kit import wait_for
from streams_kit import CountsThoseInside, FailsAt, Notes, Times, add_one, die_at_five, each_twice, nothing_is_left, repeat, repeated, stuck_at_three, twice

pytestmark = pytest.mark.timeout(120)


def test_st1_results_are_in_order_behind_stages_and_farms() -> None:
    s = octavo.pipeline(add_one, octavo.farm(Times, 3).workers(2), octavo.stage(add_one))
    assert list(s(range(3000))) == [3 * (x + 1) + 1 for x in range(3000)]


def test_st1_a_stage_may_give_nothing_or_several() -> None:
    items = list(range(500))
    assert list(octavo.pipeline(octavo.farm(repeat).workers(2))(items)) == repeated(items)
    assert list(octavo.pipeline(repeat, octavo.farm(repeat).workers(2))(items)) == repeated(repeated(items))


def test_st1_an_unordered_farm_gives_all_once() -> None:
    assert sorted(octavo.pipeline(octavo.farm(add_one).workers(3).unordered())(range(2000))) == list(range(1, 2001))


def test_st1_none_is_an_item() -> None:
    assert list(octavo.pipeline(octavo.farm(print).workers(2))([None, None])) == [None, None]


def test_st1_async_stages_run_several_items_at_once() -> None:
    assert list(octavo.pipeline(twice, each_twice)(range(50))) == [2 * x for x in range(50) for _ in range(2)]
    assert max(octavo.pipeline(octavo.stage(CountsThoseInside))(range(30))) > 1


def test_st1_the_source_may_be_the_first_stage() -> None:
    def numbers() -> Iterator[int]:
        yield from range(10)

    s = octavo.pipeline(numbers, add_one)
    assert list(s()) == list(range(1, 11))
    assert list(s()) == list(range(1, 11)), "it may run again"
    assert octavo.pipeline([1, 2], add_one).run().delivered == 2


def test_st2_no_more_lie_before_a_stage_than_the_bound_says() -> None:
    for bound in (1, 2, 3):
        taken: list[int] = []
        source = (taken.append(i) or i for i in itertools.count())
        with octavo.pipeline(octavo.stage(add_one).bound(bound))(source) as results:
            for number in range(1000):  # what lies before the reader, before the stage, in its calls, and in the source's hand
                assert next(results) == number + 1
                assert len(taken) - number <= 256 + bound + 2 * 64 + 1
    got = list(octavo.pipeline(octavo.farm(Times, 1).workers(3).bound(1), octavo.stage(add_one).bound(1))(range(100)))
    assert got == list(range(1, 101))


@pytest.mark.parametrize("at", [0, 1, 70, 499])
def test_st3_all_before_the_failing_item_is_delivered_then_the_error(at: int) -> None:
    got: list[int] = []
    with pytest.raises(ArithmeticError, match=f"item {at}") as raised:
        octavo.pipeline(octavo.farm(FailsAt, at).workers(2), Times(1).svc).run(range(500), into=got.append)
    assert got == list(range(at))
    assert f"in stage 'FailsAt' of a stream, item {at}" in raised.value.__notes__
    nothing_is_left()


def test_st3_a_source_that_raises() -> None:
    def numbers() -> Iterator[int]:
        yield from range(7)
        raise ArithmeticError("source")

    got: list[int] = []
    with pytest.raises(ArithmeticError, match="source"):
        octavo.pipeline(add_one).run(numbers(), into=got.append)
    assert got == list(range(1, 8))


def test_st3_init_and_end_are_called_and_may_raise(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    assert octavo.pipeline(octavo.farm(Notes, notes).workers(2)).run(range(10)).delivered == 10
    assert sorted(notes.read_text().split()) == ["end", "end", "init", "init"]
    got: list[int] = []
    with pytest.raises(ArithmeticError, match="init"):
        octavo.pipeline(octavo.stage(Notes, notes, "init")).run(itertools.count())
    with pytest.raises(ArithmeticError, match="end"):
        octavo.pipeline(octavo.stage(Notes, notes, "end")).run(range(10), into=got.append)
    assert got == list(range(10))
    nothing_is_left()


def test_st3_a_worker_that_dies_ends_the_stream() -> None:
    got: list[int] = []
    with pytest.raises(octavo.ProcessDied):
        octavo.pipeline(octavo.farm(die_at_five).workers(2)).run(range(1000), into=got.append)
    assert got == list(range(len(got)))
    nothing_is_left()


def test_st3_what_cannot_be_pickled_is_said_at_once() -> None:
    lock = threading.Lock()
    with pytest.raises((TypeError, pickle.PicklingError)) as raised:
        list(octavo.pipeline(functools.partial(print, lock))(range(3)))
    assert any("in stage" in each for each in raised.value.__notes__)
    with pytest.raises((TypeError, pickle.PicklingError)):
        list(octavo.pipeline(add_one)(iter([1, lock])))
    nothing_is_left()


def test_st4_a_consumer_that_stops_ends_an_endless_stream() -> None:
    for x in octavo.pipeline(add_one, octavo.farm(Times, 2).workers(2))(itertools.count()):
        if x > 100:
            break
    nothing_is_left()


def test_st4_leaving_with_ends_a_worker_that_computes() -> None:
    with octavo.pipeline(stuck_at_three)(range(10)) as results:
        assert next(results) == 0
    nothing_is_left()


def test_st4_a_sink_that_raises() -> None:
    def refuse(x: int) -> None:
        raise ArithmeticError(str(x))

    with pytest.raises(ArithmeticError, match="1"):
        octavo.pipeline(octavo.farm(add_one).workers(2)).run(itertools.count(), into=refuse)
    nothing_is_left()


def test_st6_inline_gives_the_same() -> None:
    s = octavo.pipeline(add_one, repeat, octavo.farm(Times, 3), twice)
    assert list(s.inline()(range(30))) == list(s(range(30)))


def test_the_report_counts_each_stage() -> None:
    report = octavo.pipeline(octavo.farm(repeat).workers(2), octavo.stage(add_one).named("more")).run(range(30))
    first, second = report.stages
    assert (first.name, first.taken, first.given, first.left) == ("repeat", 30, 30, 0)
    assert (second.name, second.taken, second.given) == ("more", 30, 30)
    assert report.delivered == 30


def test_async_for() -> None:
    async def read() -> list[int]:
        return [x async for x in octavo.pipeline(add_one)(range(5))]

    assert asyncio.run(read()) == [1, 2, 3, 4, 5]


def test_what_makes_no_sense_is_refused() -> None:
    for wrong in (
        lambda: octavo.stage(3),
        lambda: octavo.farm(add_one).workers(0),
        lambda: octavo.stage(add_one).bound(0),
        lambda: octavo.stage(add_one).on(3),
    ):
        with pytest.raises(octavo.UsageError):
            wrong()
    with pytest.raises(octavo.UsageError):
        octavo.stage(object)


def test_a_bar_says_how_many_results_there_are(capfd: pytest.CaptureFixture[str]) -> None:
    octavo.pipeline(add_one).inline().run(range(10), progress=True)
    assert "10 results" in capfd.readouterr().err


def noting(events: list[str]) -> Iterator[int]:
    try:
        yield from itertools.count()
    finally:
        events.append("closed")


@pytest.mark.parametrize("place", [octavo.process, octavo.thread])
def test_st4_a_generator_that_nobody_else_has_is_closed_at_the_end(place: octavo.Place) -> None:
    events: list[str] = []
    fails = octavo.pipeline(octavo.farm(FailsAt, 5).workers(2).bound(4).on(place))
    with pytest.raises(ArithmeticError):
        for _ in fails(noting(events)):
            pass
    with pytest.raises(ArithmeticError):
        fails.run(noting(events))
    wait_for(lambda: events == ["closed"] * 2, 20, "closed by the thread that reads it")
    with octavo.pipeline(octavo.farm(add_one).on(place))(noting(events)) as results:
        next(results)
    wait_for(lambda: events == ["closed"] * 3, 20, "closed by the thread that reads it")


def locked_at_fifty(x: int) -> object:
    return threading.Lock() if x == 50 else x


def lock_yielded_at_fifty(x: int) -> Iterator[object]:
    yield locked_at_fifty(x)


async def lock_awaited_at_fifty(x: int) -> object:
    return locked_at_fifty(x)


@pytest.mark.parametrize("what", [locked_at_fifty, lock_yielded_at_fifty, lock_awaited_at_fifty])
def test_st3_a_result_that_cannot_be_sent_comes_behind_all_before_it(what: Any) -> None:
    for stage in (octavo.stage(what), octavo.farm(what).workers(2)):
        got: list[object] = []
        with pytest.raises(TypeError, match="cannot pickle") as raised:
            octavo.pipeline(stage).run(range(200), into=got.append)
        assert got == list(range(50))
        assert getattr(raised.value, "__notes__", ["item 50"])[-1].endswith("item 50")  # Python 3.10 has no notes
