# SPDX-License-Identifier: Apache-2.0
"""How many workers an Executor may have, and when they end; and that programs with workers end without a word."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, wait_until
from kit import wait_for
from programs_kit import program, run_program

pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize("workers", [0, -1, "3", 1.5])
def test_a_number_of_workers_that_makes_no_sense(workers: Any) -> None:
    with pytest.raises(octavo.UsageError, match=r"an Executor of .* workers") as caught:
        octavo.Executor(workers)
    assert isinstance(caught.value, ValueError)  # as of ThreadPoolExecutor(0)


def test_workers_of_a_place_are_gone_when_the_program_ends(tmp_path: Path) -> None:
    program = "future = octavo.start(octavo.process, pow, 2, 10)\nprint(octavo.start(octavo.process, len, 'abc').result())\n"
    assert run_program(tmp_path, program) == "3\n"


def test_daemon_threads_that_call_while_the_program_ends(tmp_path: Path) -> None:
    """They fail, or end with it; the Runtime waits until they are out of it."""
    program = """
    def call(p):
        try:
            while True:
                p.add(1)
        except octavo.Error:
            pass
    def hold(p):
        try:
            p.hold("never", "began")
        except octavo.GoneError:
            pass
    for work in (call, call, hold):
        threading.Thread(target=work, args=(octavo.process.make(Counter),), daemon=True).start()
    while not os.path.exists("began"):
        time.sleep(0.001)
    """
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        assert run_program(tmp_path / str(number), program) == ""


def pids() -> set[int]:
    """Of this program: others of the user are listed, too."""
    return {each.pid for each in octavo.watching.processes() if each.agent_pid == os.getpid()}


def there_are(count: int, before: set[int]) -> None:
    """Besides those of before, of which some may be ending: an earlier test's."""
    wait_for(lambda: len(pids() - before) == count, 20, f"there are {count} processes besides those of before")


def test_a_shutdown_that_does_not_wait_ends_each_worker_when_its_calls_are_done(tmp_path: Path) -> None:
    before, began, gate = pids(), tmp_path / "began", tmp_path / "gate"
    workers = octavo.Executor(2)
    held = workers.submit(Counter().hold, str(gate), str(began))
    wait_for(began.exists, 20, "it runs")
    assert workers.submit(pow, 2, 10).result() == 1024  # in the other one
    there_are(2, before)
    late = [workers.submit(wait_until, str(gate)) for _ in range(4)]
    workers.shutdown(wait=False)
    workers.shutdown(wait=False)
    with pytest.raises(RuntimeError, match="shut down"):
        workers.submit(pow, 2, 10)
    assert not held.done()
    gate.touch()
    assert [each.result(20) for each in (held, *late)] == [str(gate), *[None] * 4]
    there_are(0, before)
    workers.shutdown()


def test_a_shutdown_that_does_not_wait_ends_idle_workers_at_once(tmp_path: Path) -> None:
    before, began, gate = pids(), tmp_path / "began", tmp_path / "gate"
    workers = octavo.Executor(2)
    held = workers.submit(Counter().hold, str(gate), str(began))
    wait_for(began.exists, 20, "it runs")
    assert workers.submit(pow, 2, 10).result() == 1024
    workers.shutdown(wait=False)
    there_are(1, before)
    assert not held.done()
    gate.touch()
    assert held.result(20) == str(gate)
    there_are(0, before)


def test_a_shutdown_that_waits_after_one_that_does_not(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    workers = octavo.Executor(1)
    held = workers.submit(wait_until, str(gate))
    workers.shutdown(wait=False)
    threading.Timer(0.2, gate.touch).start()
    workers.shutdown()
    assert held.done()


class Pool:
    """Has workers of its own."""

    def use(self, gate: str) -> bool:
        workers = octavo.Executor(1)
        held = workers.submit(wait_until, gate)
        workers.shutdown(wait=False)
        Path(gate).touch()
        workers.shutdown()
        return held.done()


def test_an_object_shuts_its_workers_down(tmp_path: Path) -> None:
    before = pids()
    pool = octavo.process.make(Pool)
    assert octavo.start(pool.use, str(tmp_path / "gate")).result(20)
    octavo.destroy(pool)
    there_are(0, before)


def test_control_c_in_a_shutdown_ends_the_workers_all_the_same(tmp_path: Path) -> None:
    text = """
        octavo.process.make(Counter)
        def processes():
            return sum(each.agent_pid == os.getpid() for each in octavo.watching.processes())
        before = processes()
        workers = octavo.Executor(2)
        held = workers.submit(Counter().hold, "gate", "began")
        while not os.path.exists("began"):
            time.sleep(0.002)
        workers.submit(pow, 2, 10).result()
        from octavo.objects.serving.staff import Staff
        touch_within(Staff.wait_until, "waits")
        try:
            workers.shutdown()
        except KeyboardInterrupt:
            open("interrupted", "w").close()
        while processes() != before + 1:
            time.sleep(0.002)
        assert not held.done()
        open("gate", "w").close()
        assert held.result(20) == "gate"
        while processes() != before:
            time.sleep(0.002)
        """
    with program(tmp_path, text) as running:
        running.came("waits")
        running.process.send_signal(signal.SIGINT)
        running.came("interrupted")
        assert running.end() == ""


def test_a_program_that_ends_with_workers_that_were_not_shut_down(tmp_path: Path) -> None:
    text = """
        workers = octavo.Executor(2)
        held = workers.submit(Counter().hold, "never", "began")
        while not os.path.exists("began"):
            time.sleep(0.002)
        """
    assert run_program(tmp_path, text) == ""
