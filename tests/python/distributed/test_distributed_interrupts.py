# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a program that works on distributed arrays, wherever it meets it, within a second, and nothing is left of it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from kit import MARK, marked, no_more_shared_memory, shared_memory, wait_for

pytestmark = pytest.mark.timeout(240)

PROGRAM = """
import octavo as ov

class Part:
    def relax(self, a):
        while True:
            a.exchange_halo("periodic")
            a.local[...] = (a.with_halo[:-2] + a.with_halo[2:]) / 2
            a.sum(axis=0)

if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["box"])) as runtime:
        g = ov.make_group(Part, 4, place=[ov.process, runtime.machine("box")])
        a = ov.distributed.full((64, 1000), 0.5, axis=0, halo=(1, 0), group=g)
        print("ready", flush=True)
        WORK
"""
IN_MEMBERS = "g.all.relax(a)"
BY_THE_PROGRAM = """while True:
            a.exchange_halo("periodic")
            b = a.resplit(axis=1).sum(axis=0)"""


@pytest.mark.parametrize("work", [IN_MEMBERS, BY_THE_PROGRAM], ids=["in members", "by the program"])
@pytest.mark.parametrize("seed", range(2))
def test_ctrl_c_ends_it_and_leaves_nothing(tmp_path: Path, work: str, seed: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("WORK", work))
    mark, memory = uuid.uuid4().hex, shared_memory()
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, MARK: mark}) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        assert len(marked(mark)) >= 5
        time.sleep(random.Random(seed).random() / 10)  # any instant
        running.send_signal(signal.SIGINT)
        try:
            _, errors = running.communicate(timeout=20)  # a second, of a machine that does other things as well
        finally:
            running.kill()
    assert "KeyboardInterrupt" in errors
    wait_for(lambda: not marked(mark), 30, "members are to end with their program")
    no_more_shared_memory(memory)
