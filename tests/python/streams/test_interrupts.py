# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a stream, wherever it meets it: ST-4."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kit import wait_for

pytestmark = pytest.mark.timeout(240)

PROGRAM = """
import itertools, os, time
import octavo

def work(x):
    time.sleep(0.02)
    return os.getpid()

if __name__ == "__main__":
    for pid in octavo.pipeline(octavo.farm(work).workers(2), octavo.stage(work))(itertools.count()):
        print(pid, flush=True)
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("seed", range(3))
def test_st4_ctrl_c_ends_all_stages(tmp_path: Path, seed: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        pids = {int(running.stdout.readline()) for _ in range(4)}
        time.sleep(random.Random(seed).random() / 10)  # any instant
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=60)
        pids |= {int(line) for line in out.split()}
    assert running.returncode not in (0, None)
    assert "KeyboardInterrupt" in errors
    wait_for(lambda: not any(is_alive(pid) for pid in pids), 30, "workers are to end with their stream")
