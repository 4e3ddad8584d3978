# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a stream, wherever it meets it: ST-4."""

from __future__ import annotations

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
import itertools, sys, time
import octavo

def work(x):
    time.sleep(0.02)
    return x

def loop(x):
    yield work(x) if x % 3 == 0 else octavo.Again(x - 1)

def parts(x, workers):
    return [x] * workers

def total(of_all):
    return sum(of_all)

GRAPHS = {
    "farm": lambda: [octavo.farm(work).workers(2), octavo.stage(work)],
    "by key": lambda: [octavo.farm(work).workers(2).by(abs).bound(1), octavo.farm(work).workers(2).round_robin()],
    "to all": lambda: [octavo.farm(work).workers(2).broadcast(), octavo.stage(work).on(octavo.thread)],
    "in parts": lambda: [octavo.farm(work).workers(2).scatter(parts).gather(), octavo.stage(total)],
    "feedback": lambda: [octavo.farm(loop).workers(2).bound(2)],
    "nested": lambda: [octavo.farm(octavo.pipeline(octavo.stage(work), octavo.stage(work))).workers(2)],
    "redone": lambda: [octavo.farm(work).workers(2).on_death("redo")],
}

if __name__ == "__main__":
    stream = octavo.pipeline(*GRAPHS[sys.argv[1]]())
    print("begins", flush=True)  # what was imported until now: an interrupted import may be told as one that failed
    for x in stream(itertools.count()):
        print(x, flush=True)
"""
GRAPHS = ["farm", "by key", "to all", "in parts", "feedback", "nested", "redone"]


def left_of(session: int) -> list[int]:
    """Processes of it that have not ended."""
    left = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            left.append(int(each.parent.name))
    return left


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("graph", GRAPHS)
def test_st4_ctrl_c_ends_all_stages(tmp_path: Path, graph: str, seed: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), graph]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
        assert running.stdout is not None
        for _ in range(1 + random.Random(f"{graph} {seed}").randrange(3)):
            running.stdout.readline()  # that it begins, or a result
        time.sleep(random.Random(seed).random() / 5)  # any instant
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode not in (0, None)
    assert "KeyboardInterrupt" in errors or running.returncode == -signal.SIGINT, errors
    wait_for(lambda: not left_of(running.pid), 30, "workers are to end with their stream")
