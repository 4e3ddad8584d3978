# SPDX-License-Identifier: Apache-2.0
"""Memory that processes write to in common: by name and as an argument, how long it lives, and where it does not go."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


class Stove:
    """Has a segment, and changes it."""

    def keep(self, heat: Any) -> None:
        self.heat = heat

    def open(self, name: str, shape: tuple[int, ...], dtype: str) -> None:
        self.heat = octavo.Segment(name, shape, dtype)

    def make_own(self, count: int) -> None:
        self.heat = octavo.Segment(None, count)

    def made(self, count: int, value: float) -> Any:
        made = octavo.Segment(None, count)
        made[:] = value
        return made

    def sum(self, heat: Any) -> float:
        return float((heat[0] if isinstance(heat, list) else heat).array.sum())

    def passed(self, heat: Any) -> Any:
        return heat

    def warm(self, at: int, by: float) -> None:
        self.heat[at] += by

    def at(self, at: int) -> float:
        return float(self.heat[at])

    def kept(self) -> Any:
        return self.heat

    def let_go(self) -> None:
        del self.heat


@pytest.fixture(params=["process", "thread"])
def stove(request: pytest.FixtureRequest) -> Stove:
    return (octavo.process if request.param == "process" else octavo.thread).make(Stove)


@pytest.mark.parametrize("count", [1, 10, 100_000])
def test_seg1_whoever_has_one_sees_the_same_elements(stove: Stove, count: int) -> None:
    heat = octavo.Segment(None, count)
    assert not heat.array.any()
    stove.keep(heat)
    heat[count - 1] = 2
    stove.warm(count - 1, 0.5)
    assert heat[count - 1] == 2.5
    back = stove.kept()
    back[0] = 7
    assert heat[0] == stove.at(0) == 7
    assert isinstance(back, octavo.Segment)
    assert back.array.shape == (count,)


def test_seg1_one_within_something_else_is_the_same_too(stove: Stove) -> None:
    heat = octavo.Segment(None, (2, 3), np.int32)
    stove.keep([heat, {"of": heat}])
    first, second = stove.kept()
    second["of"][1, 2] = 4
    assert heat[1, 2] == first[1, 2] == 4
    assert first.array.dtype == np.int32


@pytest.mark.parametrize("name", [None, "lent"])
def test_seg1_one_that_is_only_lent_stays_its_senders(stove: Stove, name: str | None) -> None:
    """Sent in each way, to an object that keeps none of it."""
    heat = octavo.Segment(name, 100_000)
    heat[:] = 5
    ways = [
        lambda: stove.sum(heat),
        lambda: stove.sum([heat, heat]),
        lambda: octavo.start(stove.sum, heat).result(),
        lambda: octavo.call(octavo.process, lambda: float(heat.array.sum())),
        lambda: stove.passed(heat).array.sum(),
        lambda: setattr(stove, "heat", heat) or stove.at(0) * 100_000,
        lambda: stove.let_go() or 500_000,
    ]
    for way in ways:
        assert way() == 500_000
        other = octavo.empty(100_000)  # takes the room of what was let go of
        other[:] = 1
        assert heat[0] == heat[99_999] == 5
        heat[:] = 9
        assert other[0] == other[99_999] == 1
        heat[:] = 5


def test_seg1_an_object_that_returns_its_own_has_it_still(stove: Stove) -> None:
    stove.make_own(100_000)
    mine = stove.kept()
    stove.warm(3, 2)
    assert mine[3] == 2
    del mine
    stove.warm(3, 2)
    assert stove.kept()[3] == stove.at(3) == 4


def test_seg1_one_that_is_made_for_the_answer_is_the_callers(stove: Stove) -> None:
    made = stove.made(100_000, 7)
    assert made.array.min() == made.array.max() == 7
    stove.keep(made)
    made[0] = 1
    assert stove.at(0) == 1


def test_seg1_one_sent_to_an_object_that_ended_stays_its_senders(stove: Stove) -> None:
    heat = octavo.Segment(None, 100_000)
    heat[:] = 5
    octavo.destroy(stove)
    for _ in range(2):
        with pytest.raises(octavo.GoneError):
            stove.sum(heat)
    other = octavo.empty(100_000)
    other[:] = 1
    assert heat.array.min() == heat.array.max() == 5


def test_seg2_the_same_name_is_the_same_segment(stove: Stove) -> None:
    heat = octavo.Segment("heat", 100, np.float64)
    stove.open("heat", (10, 10), "float64")
    heat[99] = 3
    assert stove.kept()[9, 9] == 3
    assert stove.kept().name == "heat"
    with pytest.raises(octavo.UsageError, match=r"segment 'heat' has 100 of type float64, not 99 of type float64"):
        octavo.Segment("heat", 99)
    with pytest.raises(octavo.UsageError, match="not 100 of type int64"):
        octavo.Segment("heat", 100, np.int64)


def test_seg3_it_lives_while_anybody_has_it(stove: Stove) -> None:
    heat = octavo.Segment("life", 5)
    stove.keep(heat)
    heat[0] = 1
    array = heat.array
    del heat
    octavo.destroy(stove)
    array[1] = 2
    assert octavo.Segment("life", 5).array.tolist() == [1, 2, 0, 0, 0]
    del array
    assert not octavo.Segment("life", 5).array.any()


def test_an_array_on_it_is_a_value(stove: Stove) -> None:
    heat = octavo.Segment(None, 10_000)
    stove.keep(heat.array)
    heat[0] = 1
    assert stove.at(0) == 0
    copied = heat.copy()
    heat[0] = 2
    assert copied[0] == 1
    assert np.asarray(heat) is heat.array
    assert len(heat) == 10_000


def test_mistakes_are_said() -> None:
    for shape, dtype in ((0, float), ((2, 0), float), (3, object), (3, ">f8"), (3, "U5"), (-1, float)):
        with pytest.raises(octavo.UsageError, match="a segment was to have"):
            octavo.Segment(None, shape, dtype)
    with pytest.raises(octavo.UsageError, match="has 0 bytes"):
        octavo.Segment("", 1)
    with pytest.raises(octavo.Refused, match="Give the Runtime more memory"):
        octavo.Segment(None, 1 << 50)
    heat = octavo.Segment("mistakes", 3)
    assert repr(heat) == "<octavo.Segment mistakes, shape (3,), float64>"
    with pytest.raises(octavo.UsageError, match="it can only be sent"):
        copy.copy(heat)
    with pytest.raises(octavo.UsageError, match="it can only be sent"):
        pickle.loads(pickle.dumps(heat, protocol=5))


ELSEWHERE = """
class Reader:
    def sum(self, heat):
        return float(heat[:].sum())

with octavo.Runtime(engine=octavo.played(["box"])) as cluster:
    heat = octavo.Segment("heat", 1000)
    heat[:] = 2
    far = cluster.machine("box").make(Reader)
    try:
        far.sum(heat)
    except octavo.NotSupported as problem:
        print(problem)
    print(far.sum(heat.copy()))
    array = heat.array
print(array.sum())
"""


def test_seg4_to_another_machine_it_is_refused_and_it_outlives_its_runtime(tmp_path: Path) -> None:
    printed = run_program(tmp_path, ELSEWHERE)
    assert "a segment of 7.81 KiB was to go to " in printed
    assert printed.splitlines()[-2:] == ["2000.0", "2000.0"]
