# SPDX-License-Identifier: Apache-2.0
"""octavo.kill(), octavo.destroy(timeout=), and a death that was told: it is told once (C-6, C-7)."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import octavo
import pytest
from hosted_classes import Counter
from kit import is_alive, wait_for

pytestmark = pytest.mark.timeout(60)


def hanging(tmp_path: Path) -> tuple[Counter, int, octavo.Future[object]]:
    """An object whose method runs until a file is there, which never is."""
    p = octavo.process.make(Counter)
    pid = p.pid()
    call: octavo.Future[object] = octavo.start(p.hold, str(tmp_path / "never"), str(tmp_path / "began"))
    wait_for((tmp_path / "began").exists, 20, "the call has begun")
    return p, pid, call


def test_kill_ends_an_object_that_hangs(tmp_path: Path) -> None:
    p, pid, call = hanging(tmp_path)
    octavo.kill(p)
    assert not is_alive(pid)
    with pytest.raises(octavo.ProcessDied, match="SIGKILL"):
        call.result()
    octavo.kill(p)
    octavo.destroy(p)


def test_destroy_within_a_time(tmp_path: Path) -> None:
    p, pid, _ = hanging(tmp_path)
    begin = time.monotonic()
    with pytest.raises(octavo.TimedOut, match=r"kill\(p\)"):
        octavo.destroy(p, timeout=0.2)
    assert time.monotonic() - begin >= 0.2
    octavo.kill(p)
    assert not is_alive(pid)
    q = octavo.process.make(Counter)
    octavo.destroy(q, timeout=30)
    with pytest.raises(octavo.ProcessDied, match="destroyed"):
        q.add(1)


def test_of_an_object_on_a_thread_and_of_no_pointer() -> None:
    with pytest.raises(octavo.UsageError, match="no process of its own"):
        octavo.kill(octavo.thread.make(Counter))
    with pytest.raises(octavo.UsageError, match="takes a remote pointer"):
        octavo.kill(5)


def test_of_a_group_and_of_a_service(tmp_path: Path) -> None:
    g = octavo.make_group(Counter, 2)
    pids = g.all.pid()
    octavo.kill(g)
    assert not any(is_alive(pid) for pid in pids)
    service = octavo.Service.on([octavo.process], 2)
    calls = [octavo.call(service, os.getpid) for _ in range(4)]
    octavo.start(service, time.sleep, 1000)
    with pytest.raises(octavo.TimedOut, match="under way"):
        octavo.destroy(service, timeout=0.2)
    octavo.kill(service)
    assert not any(is_alive(pid) for pid in calls)


def test_a_death_that_was_told_is_not_told_by_destroy_and_scoped() -> None:
    p = octavo.process.make(Counter)
    os.kill(p.pid(), signal.SIGKILL)
    with pytest.raises(octavo.ProcessDied):
        p.add(1)
    octavo.destroy(p)
    with octavo.scoped(octavo.process.make(Counter)) as q:
        os.kill(q.pid(), signal.SIGKILL)
        with pytest.raises(octavo.ProcessDied):
            q.add(1)


def test_nor_is_it_by_a_future_that_was_dropped(tmp_path: Path) -> None:
    p, _, call = hanging(tmp_path)
    del call
    octavo.kill(p)
    octavo.destroy(p)


def test_but_where_only_that_could_tell_it_is() -> None:
    p = octavo.process.make(Counter)
    os.kill(p.pid(), signal.SIGKILL)
    octavo.start(p.add, 1)
    with pytest.raises(octavo.ProcessDied):
        octavo.destroy(p)


def test_one_that_nothing_has_told_is() -> None:
    p = octavo.process.make(Counter)
    os.kill(p.pid(), signal.SIGKILL)
    with pytest.raises(octavo.ProcessDied):
        octavo.destroy(p)


def test_what_ends_the_block_of_scoped_is_raised() -> None:
    with pytest.raises(KeyError, match="mine"), octavo.scoped(octavo.process.make(Counter)) as p:
        os.kill(p.pid(), signal.SIGKILL)
        raise KeyError("mine")
