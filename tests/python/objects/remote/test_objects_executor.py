# SPDX-License-Identifier: Apache-2.0
"""How many workers an Executor may have; and that programs with workers end without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import octavo
import pytest
from programs_kit import run_program

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
