# SPDX-License-Identifier: Apache-2.0
"""Groups whose members are on several machines, and large arrays where the pool has little room."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import numpy as np
import octavo as ov
import pytest
from group_classes import Part

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[ov.Runtime]:
    with ov.Runtime(engine=ov.played(["box"]), memory="24MiB") as made:
        yield made


@pytest.fixture(params=["here", "there", "both"])
def g(request: pytest.FixtureRequest, runtime: ov.Runtime) -> Iterator[ov.Group[Part]]:
    places = {"here": [ov.process], "there": [runtime.machine("box")], "both": [ov.process, runtime.machine("box"), ov.thread]}
    made = ov.make_group(Part, 4, place=places[request.param])
    yield made
    ov.destroy(made)


@pytest.mark.parametrize("elements", [7, 150_000, 1_700_001])  # the last: three rounds, which the pages of four members do not all have room for
def test_arrays_of_all_sizes(g: ov.Group[Part], elements: int) -> None:
    def work(me: ov.Member, elements: int) -> bool:
        draws = np.random.default_rng(3).random((me.size, elements))
        mine = draws[me.index].copy()
        least = me.all_reduce(mine, "min")
        whole = me.all_reduce(mine, np.add, out=mine)
        return (
            bool(np.array_equal(least, draws.min(axis=0)) and np.allclose(whole, draws.sum(axis=0)))
            and me.all_gather(whole.tobytes()).count(whole.tobytes()) == me.size
        )

    assert g.all.run(work, elements) == [True] * 4


def test_where_they_are(g: ov.Group[Part], request: pytest.FixtureRequest) -> None:
    hosts = g.hosts()
    assert len(hosts) == 4
    assert ("box" in hosts) == (not request.node.name.endswith("[here]"))
    assert g.all.where() == [(i, 4) for i in range(4)]


def test_a_member_that_is_killed_in_a_large_reduction() -> None:
    def work(me: ov.Member) -> None:
        mine = np.ones(1_000_000)
        while True:
            me.all_reduce(mine, out=mine)

    for _ in range(5):
        g = ov.make_group(Part, 3)
        pid = g[1].pid()
        running = ov.start(g.all.run, work)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ov.ProcessDied):
            running.result(timeout=60)
        ov.destroy(g[0])
        ov.destroy(g[2])
