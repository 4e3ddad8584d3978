# SPDX-License-Identifier: Apache-2.0
"""Groups of Python objects: G-1 to G-4, G-9, G-16, from outside."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo as ov
import pytest
from group_classes import Part, Refuses
from kit import wait_for

pytestmark = pytest.mark.timeout(120)
PLACES = {"process": ov.process, "thread": ov.thread}


@pytest.fixture(params=PLACES)
def g(request: pytest.FixtureRequest) -> Iterator[ov.Group[Part]]:
    made = ov.make_group(Part, 4, ov.each([1, 2, 3, 4]), factor=10, place=PLACES[request.param])
    yield made
    ov.destroy(made)


def doubled(part: Part, more: int) -> int:
    return 2 * part.number + more


def test_g1_members_know_their_index(g: ov.Group[Part]) -> None:
    assert len(g) == 4
    assert g.all.where() == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert [p.get() for p in g] == [10, 20, 30, 40]
    assert g[2].get() == 30
    assert g[-1].get() == 40


def test_g2_results_come_in_the_order_of_the_members(g: ov.Group[Part]) -> None:
    assert g.all.get() == [10, 20, 30, 40]
    assert g.all.add(1, y=2) == [13, 23, 33, 43]
    assert g.all.add(ov.each([1, 2, 3, 4]), y=ov.each([0, 0, 0, 6])) == [14, 25, 36, 53]
    future = ov.start(g.all.get)
    assert future.result(timeout=60) == [14, 25, 36, 53]
    assert ov.start(g.all.later).result() == [14, 25, 36, 53]


def test_a_function_at_each_member(g: ov.Group[Part]) -> None:
    assert ov.call(g, doubled, 1) == [21, 41, 61, 81]
    assert ov.call(g, doubled, ov.each([0, 1, 2, 3])) == [20, 41, 62, 83]
    assert ov.call(g, lambda part: part.number) == [10, 20, 30, 40]
    assert ov.start(ov.call, g, doubled, 1).result() == [21, 41, 61, 81]


def test_g2_of_several_errors_the_one_of_the_lowest_index(g: ov.Group[Part]) -> None:
    with pytest.raises(ValueError, match="as asked") as raised:
        g.all.fails(1, "as asked")
    assert "member 1 of 4 of a group of Part" in "".join(getattr(raised.value, "__notes__", ["member 1 of 4 of a group of Part"]))
    with pytest.raises(ZeroDivisionError):
        ov.call(g, lambda part: 1 // 0)
    with pytest.raises(TypeError):
        g.all.get(1)
    with pytest.raises(AttributeError, match="nope"):
        g.all.nope()
    with pytest.raises(ov.UsageError, match="is no method"):
        g.all.number()
    assert g.all.get() == [10, 20, 30, 40]


def test_g3_a_barrier_from_outside(g: ov.Group[Part]) -> None:
    for _ in range(3):
        ov.start(g.all.add, 1)
    g.barrier()
    assert g.all.get() == [13, 23, 33, 43]


def test_g1_a_group_travels_and_is_compared(g: ov.Group[Part]) -> None:
    assert g[1].in_group(g) == (1, 4)
    assert g.all.run(lambda me: me.group) == [g] * 4
    assert g[0].run(lambda me: [p.get() for p in me.peers if p != me.peers[me.index]]) == [20, 30, 40]
    again = g.again()
    assert again != g
    assert len({g, again}) == 2
    assert again.all.where() == g.all.where()
    some = ov.group([g[3], g[1]])
    assert some.all.where() == [(0, 2), (1, 2)]
    assert g.all.where() == [(0, 4), (1, 4), (2, 4), (3, 4)], "in a call to all of a group a member is in that one"
    assert g[1].in_group(g) == (1, 4)
    assert g[1].in_group(some) == (1, 2)


def test_what_is_no_group() -> None:
    p = ov.thread.make(Part)
    with pytest.raises(ov.UsageError, match="group of nobody"):
        ov.group([])
    with pytest.raises(ov.UsageError, match="twice"):
        ov.group([p, p])
    with pytest.raises(ov.UsageError, match="remote pointer"):
        ov.group([p, 3])
    with pytest.raises(ov.UsageError, match="in no group"):
        p.where()
    with pytest.raises(ov.UsageError, match="has 2 values for 3 members"):
        ov.make_group(Part, 3, ov.each([1, 2]))
    with pytest.raises(ov.UsageError, match="at least 1"):
        ov.make_group(Part, 0)
    with pytest.raises(ov.UsageError, match="list of places"):
        ov.make_group(Part, 2, place=[])
    with pytest.raises(ov.UsageError):
        ov.self()
    ov.destroy(p)


def test_where_one_cannot_be_made_none_is_left() -> None:
    def of_class() -> list[Any]:
        return [each for each in ov.watching.processes() if each.class_name == "Refuses"]

    with pytest.raises(ValueError, match="no 2"):
        ov.make_group(Refuses, 4, ov.each([0, 1, 2, 3]))
    wait_for(lambda: of_class() == [], 20, "the ends of all of them")


def test_members_on_several_places(g: ov.Group[Part]) -> None:
    mixed = ov.make_group(Part, 3, 7, place=[ov.process, ov.thread])
    pids = mixed.all.pid()
    assert pids[1] == os.getpid()
    assert len(set(pids)) == 3
    assert len(set(mixed.hosts())) == 1
    ov.destroy(mixed)


def test_g9_the_death_of_a_member_is_told() -> None:
    g = ov.make_group(Part, 3, 1)
    os.kill(g[1].pid(), signal.SIGKILL)
    with pytest.raises(ov.ProcessDied):
        while True:
            g.all.run(lambda me: me.barrier())
    with pytest.raises(ov.ProcessDied):
        g.all.get()
    assert g[0].get() == 1
    ov.destroy(g[0])
    ov.destroy(g[2])


def test_g16_one_that_fails_before_a_collective_fails_it(g: ov.Group[Part]) -> None:
    with pytest.raises(LookupError, match="before it"):
        g.all.fails_before(3)
    assert g.all.fails_before(-1) == [4] * 4


def leave_before(number: int, collectives: list[str], log: str) -> None:
    """Member 3 raises before the collective of this number; the others note which they have completed."""
    me = ov.self()
    for i, name in enumerate(collectives):
        if me.index == 3 and i == number:
            raise LookupError("before it")
        try:
            getattr(me, name)(*([] if name == "barrier" else [1]))
        except LookupError:
            (Path(log) / f"{me.index} fails in {name}").touch()
            raise
        (Path(log) / f"{me.index} completes {name}").touch()


@pytest.mark.parametrize("first", ["gather", "reduce", "broadcast", "barrier"])
def test_g16_who_needs_nothing_of_one_that_failed_hears_in_a_later_collective(g: ov.Group[Part], first: str, tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="before it"):
        ov.call(g, lambda _: leave_before(0, [first, "all_gather"], str(tmp_path)))
    noted = {each.name for each in tmp_path.iterdir()}
    needs_it = {"gather": {0, 2}, "reduce": {0, 2}, "broadcast": set(), "barrier": {0, 1, 2}}[first]  # in a tree of four
    assert noted == {f"{i} fails in {first}" for i in needs_it} | {
        each for i in {0, 1, 2} - needs_it for each in (f"{i} completes {first}", f"{i} fails in all_gather")
    }
    assert g.all.fails_before(-1) == [4] * 4
