# SPDX-License-Identifier: Apache-2.0
"""A program that ends while a daemon thread uses the library ends as any other: with its own status, and nothing left of a job that ran."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# Only the thread's second time around is sure to be in the midst of things when the program ends.
BEGIN = """
import sys, threading
import octavo
path, out = sys.argv[1:]
twice = threading.Semaphore(0)
def forever(work):
    def look():
        while True:
            work()
            twice.release()
    threading.Thread(target=look, daemon=True).start()
"""
END = "\ntwice.acquire(), twice.acquire()\n"
WORKS = {
    "reads": "a = octavo.open_array(path); forever(lambda: a[0])",
    "writes": "a = octavo.open_array(path, mode='r+'); forever(lambda: a.__setitem__(0, 1.0))",
    "sums": "a = octavo.open_array(path); forever(a.sum)",
    "opens": "forever(lambda: octavo.open_array(path)[0])",
    "transforms": "forever(lambda: octavo.fft.fftn(path, out=out, overwrite=True, progress=False))",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.npy"
    np.save(path, np.ones((64, 48, 40)))
    return path


def ended(program: str, *arguments: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("work", WORKS)
def test_end_of_program_beside_daemon_thread(source: Path, work: str) -> None:
    target = source.with_name("o.npy")
    for _ in range(3):
        done = ended(BEGIN + WORKS[work] + END, source, target)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert {each.name for each in source.parent.iterdir()} <= {"x.npy", "o.npy"}


def test_end_of_program_stops_job_of_daemon_thread(tmp_path: Path) -> None:
    """One is always running, so one is stopped."""
    source, target = tmp_path / "x.npy", tmp_path / "o.npy"
    np.save(source, np.ones((64, 48, 40)))
    program = """
import os, sys, threading
import octavo
begun = threading.Event()
def watch(now):
    begun.set()
def work():
    while True:
        octavo.Job(sys.argv[1], sys.argv[2], memory="8MiB", overwrite=True).run(watch)
threading.Thread(target=work, daemon=True).start()
begun.wait()
sys.exit(7)
"""
    done = ended(program, source, target)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")
    assert {each.name for each in tmp_path.iterdir()} <= {"x.npy", "o.npy"}
