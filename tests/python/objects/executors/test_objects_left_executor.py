# SPDX-License-Identifier: Apache-2.0
"""An Executor that was shut down without a wait: its calls are done before its program, or its Runtime, has ended."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from programs_kit import program, run_program

pytestmark = pytest.mark.timeout(90)

CALLS = """
workers = octavo.Executor(2)
for number in range(6):
    workers.submit(write, str(number))
workers.shutdown(wait=False)
del workers
"""
WRITE = """
def write(name):
    time.sleep(0.05)
    open(name, "w").close()
"""


def test_the_end_of_the_program_waits_for_its_calls(tmp_path: Path) -> None:
    run_program(tmp_path, WRITE + CALLS, seconds=60)
    assert all((tmp_path / str(number)).exists() for number in range(6))


def test_the_end_of_the_runtime_waits_for_its_calls(tmp_path: Path) -> None:
    inner = "".join(f"    {line}\n" for line in CALLS.strip().splitlines())
    checks = "assert all(os.path.exists(str(number)) for number in range(6))\n"
    run_program(tmp_path, f"{WRITE}\nwith octavo.Runtime():\n{inner}{checks}", seconds=60)


def test_control_c_ends_that_wait(tmp_path: Path) -> None:
    text = """
        workers = octavo.Executor(1)
        workers.submit(Counter().hold, "gate", "began")
        workers.shutdown(wait=False)
        from octavo.objects.serving.staff import Staff
        touch_within(Staff.wait_until, "ends")
        """
    with program(tmp_path, text) as running:
        running.came("began")
        running.came("ends")
        running.process.send_signal(signal.SIGINT)
        running.process.communicate(timeout=20)
        assert not (tmp_path / "gate").exists()
