# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in the ``with`` of an Executor: what runs is killed with its worker, what has not begun is cancelled, and nobody waits."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import octavo
import pytest
from hosted_classes import Counter, wait_until
from kit import wait_for
from programs_kit import program

pytestmark = pytest.mark.timeout(60)

SUBMITTED = 'open("submitted", "w").close()'
INSIDE = {
    "in the block": f"{SUBMITTED}; running.result()",
    "in a map": f"{SUBMITTED}; list(workers.map(hold, range(20)))",
    "while its end waits": 'touch_within(Staff.wait_until, "submitted")',
}


@pytest.mark.parametrize("group", [False, True])  # True: as the terminal does
@pytest.mark.parametrize("inside", sorted(INSIDE))
def test_nothing_is_waited_for(tmp_path: Path, inside: str, group: bool) -> None:
    text = f"""
        from octavo.objects.serving.staff import Staff
        def hold(number):
            if number == -1:
                open("began", "w").close()
            while not os.path.exists("gate"):
                time.sleep(0.001)
        try:
            with octavo.Executor(2) as workers:
                running = workers.submit(hold, -1)
                waiting = [workers.submit(hold, number) for number in range(50)]
                {INSIDE[inside]}
        except KeyboardInterrupt:
            open("interrupted", "w").close()
        assert isinstance(running.exception(20), octavo.ProcessDied)
        cancelled = [each for each in waiting if each.cancelled()]
        assert len(cancelled) >= len(waiting) - 2, len(cancelled)
        try:
            workers.submit(abs, 1)
        except RuntimeError:
            open("closed", "w").close()
        """
    with program(tmp_path, text) as running:
        running.came("began")
        running.came("submitted")
        if group:
            os.killpg(running.process.pid, signal.SIGINT)
        else:
            running.process.send_signal(signal.SIGINT)
        wait_for((tmp_path / "interrupted").exists, 20, "KeyboardInterrupt leaves the with")
        assert running.end() == ""
    assert (tmp_path / "closed").exists()


def test_a_program_that_does_not_catch_it_ends(tmp_path: Path) -> None:
    text = """
        with octavo.Executor(2) as workers:
            list(workers.map(Counter().hold, ["gate"] * 4, ["began"] * 4))
        """
    with program(tmp_path, text) as running:
        running.came("began")
        running.process.send_signal(signal.SIGINT)
        said = running.end(status=-signal.SIGINT)
        assert "KeyboardInterrupt" in said


def test_any_other_exception_waits(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with pytest.raises(LookupError), octavo.Executor(1) as workers:
        calls = [workers.submit(wait_until, str(gate)), workers.submit(abs, -2)]
        gate.touch()
        raise LookupError("of the block")
    assert [each.result(0) for each in calls] == [None, 2]


def test_workers_on_threads_are_left_to_end(tmp_path: Path) -> None:
    gate, began = tmp_path / "gate", tmp_path / "began"
    with pytest.raises(KeyboardInterrupt), octavo.Executor(1, place=octavo.thread) as workers:
        running, waiting = workers.submit(Counter().hold, str(gate), str(began)), workers.submit(abs, -2)
        wait_for(began.exists, 20, "it runs")
        raise KeyboardInterrupt
    assert waiting.cancelled()
    gate.touch()
    assert running.result(20) == str(gate)
