# SPDX-License-Identifier: Apache-2.0
"""Where objects are made: a process, a thread, beside another, a machine; and the Runtime that is there by itself or is chosen."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Echo
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


def test_process_and_thread() -> None:
    pids = [octavo.process.make(Counter).pid() for _ in range(2)]
    assert len({*pids, os.getpid()}) == 3
    on_thread = octavo.thread.make(Counter, 5)
    assert on_thread.pid() == os.getpid()
    assert on_thread.thread() != threading.get_ident()
    assert on_thread.thread() == on_thread.thread()
    assert on_thread.add(1) == 6


def test_beside_and_place_of() -> None:
    p = octavo.process.make(Counter)
    for place in (octavo.beside(p), octavo.place_of(p)):
        q = place.make(Counter, 3)
        assert q.add(1) == 4
        assert len({p.pid(), q.pid(), os.getpid()}) == 3
        assert octavo.watching.address(q).agent == octavo.watching.address(p).agent
    for function in (octavo.beside, octavo.place_of):
        with pytest.raises(octavo.UsageError, match="pointer"):
            function(5)


def test_the_same_place_is_equal_and_has_the_same_workers() -> None:
    p, q = octavo.process.make(Counter), octavo.process.make(Counter)
    assert octavo.beside(p) == octavo.place_of(p) != octavo.beside(q)
    assert octavo.process != octavo.thread
    pids = {octavo.start(octavo.beside(p), os.getpid).result() for _ in range(5)}
    assert len(pids) == 1
    octavo.destroy(p)


def test_on_a_thread_values_are_values_too() -> None:
    echo = octavo.thread.make(Echo)
    a: list[Any] = [1, [2]]
    got = echo.change(a)
    assert a == [1, [2]]
    assert got == [1, [2, "changed"], "changed"]
    b = [1]
    assert echo.same(b) is not b


def test_addresses_differ() -> None:
    p, q = octavo.process.make(Counter), octavo.process.make(Counter)
    assert octavo.watching.address(p) != octavo.watching.address(q)
    assert octavo.watching.address(p) == octavo.watching.address(p)


def test_a_second_runtime_is_refused(runtime: octavo.Runtime) -> None:
    with pytest.raises(octavo.UsageError, match="Runtime already"):
        octavo.Runtime()
    assert len(runtime.machines()) == 1
    assert runtime.machine().make(Counter, 2).add(1) == 3
    with pytest.raises(octavo.UsageError, match="no machine 'moon'"):
        runtime.machine("moon")


def test_machines_by_several_networks(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        engine = octavo.ssh(["near", "far"], address="lo", addresses={"far": "127.0.0.2"}, shell=["env"])
        with octavo.Runtime(engine=engine) as cluster:
            near, far = (cluster.machine(name).make(Counter, 5) for name in ("near", "far"))
            assert (near.add(1), far.add(2)) == (6, 7)
        try:
            octavo.ssh(["near"], address="lo", addresses={"fr": "lo"})
        except octavo.UsageError as error:
            assert "'fr', which is none of the engine's machines" in str(error), error
        else:
            raise AssertionError
        """,
    )


def test_machines_without_a_port(tmp_path: Path) -> None:
    """SSH-5: without an address all goes by the command."""
    run_program(
        tmp_path,
        """
        with octavo.Runtime(engine=octavo.ssh(["near", "far"], shell=["env"])) as cluster:
            near, far = (cluster.machine(name).make(Counter, 5) for name in ("near", "far"))
            assert (near.add(1), far.add(2)) == (6, 7)
        with octavo.Runtime(engine=octavo.ssh(["near"], shell=["env"], link="files")) as cluster:
            assert cluster.machine("near").make(Counter, 5).add(1) == 6
        for wrong in ({"address": "lo", "link": "ssh"}, {"link": "tls"}, {"link": "pigeons"}, {"port": 4711}):
            try:
                octavo.ssh(["near"], **wrong)
            except octavo.UsageError as error:
                assert "ssh" in str(error), error
            else:
                raise AssertionError(wrong)
        """,
    )


def test_played_machines(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        with octavo.Runtime(engine=octavo.played(["box", "crate"])) as cluster:
            assert set(cluster.machines()) >= {"box", "crate"}, cluster.machines()
            box, crate = (cluster.machine(name).make(Counter, 5) for name in ("box", "crate"))
            here = octavo.process.make(Friend, box)
            agents = {octavo.watching.address(p).agent for p in (box, crate, here)}
            assert len(agents) == 3, agents
            assert box.add(1) == 6
            assert here.ask(crate, "add", 2) == 7  # from another machine
            assert here.back().value == 6
            near = octavo.beside(box).make(Friend, crate)
            assert octavo.watching.address(near).agent == octavo.watching.address(box).agent
            assert near.ask(here, "ask", near, "hear", 1) == 1  # a callback between machines
            data = bytes(3 << 20)
            assert cluster.machine("box").make(Echo).same(data) == data
            try:
                crate.fail(LookupError("far away"))
            except LookupError as error:
                assert "crate" in "".join(getattr(error, "__notes__", ["crate"])), error.__notes__
            os.kill(box.pid(), signal.SIGKILL)
            try:
                box.add(1)
            except octavo.ProcessDied:
                pass
            assert crate.add(1) == 8
        with octavo.Runtime():
            assert octavo.process.make(Counter).add(1) == 1  # another one, afterwards
        """,
    )
