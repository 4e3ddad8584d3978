# SPDX-License-Identifier: Apache-2.0
"""A member that is killed at a random moment of random collectives, queues and locks: each other one hears of it, by name, and nothing is left."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator

import numpy as np
import octavo as ov
import pytest
from group_classes import Part
from kit import children_of, wait_for

MEMBERS = 3


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[ov.Runtime]:
    with ov.Runtime(memory="64MiB") as made:
        yield made


def work(me: ov.Member, seed: int, items: ov.Queue, lock: ov.Mutex, units: ov.Semaphore) -> str:
    """The same random steps in each, until a collective fails: what its error says."""
    draws = random.Random(seed)
    small, large = np.arange(5.0), np.ones(100_000)

    def with_lock() -> None:
        try:
            with lock:
                pass
        except ov.errors.LockAbandoned:  # told once, to the next one
            pass

    def with_unit() -> None:
        with units:
            pass

    def through_queue() -> None:
        items.put((me.index, small))
        items.get()

    steps = [
        me.barrier,
        with_lock,
        with_unit,
        through_queue,
        lambda: me.all_reduce(1),
        lambda: me.all_reduce(large),
        lambda: me.broadcast(small if me.index == 1 else None, 1),
        lambda: me.scatter(list(range(me.size)) if me.index == 0 else None),
        lambda: me.all_gather(small),
        lambda: me.reduce(small, np.add),
        lambda: me.exclusive_scan(1, 0),
        lambda: me.all_to_all([small] * me.size),
        lambda: me.gather(me.index),
    ]
    try:
        while True:
            draws.choice(steps)()
    except ov.ProcessDied as died:
        return str(died)


def kill_one(round_: int) -> None:
    draws = random.Random(round_)
    items, lock, units = ov.Queue(), ov.Mutex(), ov.Semaphore(initial=2)
    g = ov.make_group(Part, MEMBERS)
    pids = g.all.pid()
    victim = draws.randrange(MEMBERS)
    begun = [ov.start(member.run, work, round_, items, lock, units) for member in g]
    time.sleep(draws.random() * 0.02)  # the moment
    os.kill(pids[victim], signal.SIGKILL)
    with pytest.raises(ov.ProcessDied):
        begun[victim].result(timeout=60)
    for index, each in enumerate(begun):
        if index != victim:
            assert f"pid {pids[victim]}" in each.result(timeout=60)
    for index in range(MEMBERS):
        if index != victim:
            ov.destroy(g[index])
    wait_for(lambda: not set(pids) & set(children_of(os.getpid())), 20, "the members have ended")


@pytest.mark.timeout(120)
def test_each_other_member_hears_of_it() -> None:
    for round_ in range(10):
        kill_one(round_)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_other_member_hears_of_it_200_times() -> None:
    for round_ in range(25, 225):
        kill_one(round_)
