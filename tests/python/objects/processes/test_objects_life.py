# SPDX-License-Identifier: Apache-2.0
"""The end of objects: destroyed, scoped, killed; calls under way and calls afterwards fail at once and say what happened (C-6, C-7)."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Friend
from kit import is_alive, wait_for

pytestmark = pytest.mark.timeout(60)


class Marked(Counter):
    """Leaves a file when it ends."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def __del__(self) -> None:
        Path(self.path).write_text(str(os.getpid()))

    def end_itself(self, how: str) -> None:
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == "abort":
            os.abort()
        os._exit(7)


class EndsAtOnce:
    def __init__(self) -> None:
        os._exit(5)


class EndsWhenRead:
    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (6,)


def within(seconds: float, work: Callable[[], Any]) -> BaseException:
    """What it raises, in this time."""
    begin = time.monotonic()
    with pytest.raises(octavo.Error) as caught:
        work()
    assert time.monotonic() - begin < seconds
    return caught.value


def test_destroy_ends_object_and_process(tmp_path: Path) -> None:
    p = octavo.process.make(Marked, str(tmp_path / "ended"))
    pid = p.pid()
    octavo.destroy(p)
    assert (tmp_path / "ended").read_text() == str(pid)
    wait_for(lambda: not is_alive(pid), 20, "the process is gone")


def test_calls_after_destroy_are_errors() -> None:
    p = octavo.process.make(Counter, 1)
    add = p.add
    octavo.destroy(p)
    for work in (lambda: add(1), lambda: p.value, lambda: p.add(1), lambda: octavo.start(add, 1).result(), lambda: octavo.destroy(p)):
        assert isinstance(within(20, work), octavo.Error)
    assert repr(p)
    assert p == p


def test_scoped_destroys_and_with_does_not(tmp_path: Path) -> None:
    with octavo.scoped(octavo.process.make(Marked, str(tmp_path / "a"))) as p:
        assert p.add(1) == 1
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").exists()
    with pytest.raises(ValueError, match="inside"), octavo.scoped(octavo.process.make(Marked, str(tmp_path / "b"))):
        raise ValueError("inside")
    assert (tmp_path / "b").exists()


def test_destroy_of_what_is_no_pointer() -> None:
    for what in (5, None, Counter()):
        with pytest.raises(octavo.UsageError, match="pointer"):
            octavo.destroy(what)


def test_a_killed_process_fails_what_waits_and_what_comes(tmp_path: Path) -> None:
    p = octavo.process.make(Counter)
    pid = p.pid()
    began, gate = tmp_path / "began", tmp_path / "gate"
    calls: list[octavo.Future[Any]] = [octavo.start(p.hold, str(gate), str(began)), octavo.start(p.add, 1), octavo.start(p.add, 1)]
    wait_for(began.exists, 20, "the call has begun")
    os.kill(pid, signal.SIGKILL)
    for call in calls:
        error = within(20, call.result)
        assert isinstance(error, octavo.ProcessDied)
        assert isinstance(call.exception(), octavo.ProcessDied)
    for work in (lambda: p.add(1), lambda: p.value, lambda: p.new, lambda: octavo.start(p.add, 1).result()):  # type: ignore[attr-defined]
        assert isinstance(within(20, work), octavo.ProcessDied)
    assert str(pid) in str(error)
    assert "9" in str(error) or "SIGKILL" in str(error)


def test_others_live_on() -> None:
    p, q = octavo.process.make(Counter), octavo.process.make(Counter)
    os.kill(p.pid(), signal.SIGKILL)
    assert q.add(1) == 1
    assert octavo.process.make(Counter, 5).add(1) == 6
    assert isinstance(within(20, lambda: p.add(1)), octavo.ProcessDied)


@pytest.mark.parametrize("how", ["kill", "abort", "exit"])
def test_a_method_that_ends_its_process(how: str, tmp_path: Path) -> None:
    p = octavo.process.make(Marked, str(tmp_path / "a"))
    error = within(20, lambda: p.end_itself(how))
    assert isinstance(error, octavo.ProcessDied)


def test_a_constructor_that_ends_its_process() -> None:
    error = within(20, lambda: octavo.process.make(EndsAtOnce))
    assert isinstance(error, octavo.GoneError)
    assert "5" in str(error)


def test_an_argument_that_ends_the_process_that_reads_it() -> None:
    p = octavo.process.make(Counter)
    assert isinstance(within(20, lambda: p.add(EndsWhenRead())), octavo.ProcessDied)  # type: ignore[arg-type]


def test_a_stopped_process_answers_when_it_goes_on() -> None:
    p = octavo.process.make(Counter)
    pid = p.pid()
    os.kill(pid, signal.SIGSTOP)
    call = octavo.start(p.add, 1)
    with pytest.raises(octavo.TimedOut):
        call.result(0.2)
    os.kill(pid, signal.SIGCONT)
    assert call.result(10) == 1


def test_an_object_sees_that_another_died() -> None:
    friend, other = octavo.process.make(Friend), octavo.process.make(Counter)
    os.kill(other.pid(), signal.SIGKILL)
    error = within(20, lambda: friend.ask(other, "add", 1))
    assert isinstance(error, octavo.ProcessDied)
    assert friend.hear(1) == 1


def test_an_object_destroys_another() -> None:
    friend, other = octavo.process.make(Friend), octavo.process.make(Counter)
    pid = other.pid()

    def end(p: Any) -> None:
        octavo.destroy(p)

    caller = octavo.process.make(lambda: end)
    caller(other)
    wait_for(lambda: not is_alive(pid), 20, "the process is gone")
    assert friend.hear(1) == 1


def test_what_a_dropped_future_failed_with_is_raised_by_destroy() -> None:
    p = octavo.process.make(Counter)
    octavo.start(p.fail, LookupError("dropped"))
    p.add(1)
    with pytest.raises(LookupError, match="dropped"):
        octavo.destroy(p)
