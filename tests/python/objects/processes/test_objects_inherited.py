# SPDX-License-Identifier: Apache-2.0
"""What an object has of its program where the program has changed it after the first make, from which on processes are forked: docs/python.md."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import octavo
import pytest

pytestmark = pytest.mark.timeout(60)

PROGRAM = """
import os, sys
import octavo as ov

class Seen:
    def say(self, word):
        print(word, flush=True)
    def mask(self):
        mask = os.umask(0)
        os.umask(mask)
        return mask
    def directory(self):
        return os.getcwd()

ov.process.make(Seen).say("the old output")
os.chdir(sys.argv[1])
os.umask(0o007)
kept = os.dup(1)
os.dup2(os.open("new", os.O_CREAT | os.O_WRONLY), 1)
for word in ("first", "second"):  # at once, so that what comes later is a spare
    ov.process.make(Seen).say(word)
last = ov.process.make(Seen)
last.say("third")
assert (last.mask(), last.directory()) == (0o007, os.getcwd())
os.dup2(kept, 1)
ov.process.make(Seen).say("the old output again")
"""


def test_an_object_has_the_output_directory_and_umask_that_its_program_has_now(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, timeout=50, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line.split(") ")[-1] for line in ended.stdout.splitlines()] == ["the old output", "the old output again"]
    assert [line.split(") ")[-1] for line in (tmp_path / "new").read_text().splitlines()] == ["first", "second", "third"]


class Cores:
    def mine(self) -> set[int]:
        return os.sched_getaffinity(0)

    def take(self, cores: set[int]) -> None:
        os.sched_setaffinity(0, cores)


def test_cores_are_those_at_the_runtimes_beginning_or_what_the_object_takes() -> None:
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        pytest.skip("this machine has one core")
    one = {min(cores)}
    octavo.process.make(Cores)  # what others are forked off is there from now on
    try:
        os.sched_setaffinity(0, one)
        made = octavo.process.make(Cores)
    finally:
        os.sched_setaffinity(0, cores)
    assert made.mine() == cores
    made.take(one)
    assert made.mine() == one
