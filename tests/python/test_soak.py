# SPDX-License-Identifier: Apache-2.0
"""What tests/soak finds in a run: each in a process of its own, since the soak takes in all orphans of its process."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).parent.parent / "soak"
SHORT = """
import os, random, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import watched
from processes import become_reaper, descendants
watched.SILENCE, watched.LEAST_TICKS, watched.GRACE = 3.0, 5, 3.0
become_reaper()
outcome = watched.run(sys.argv[3:], Path(sys.argv[2]), dict(os.environ), random.Random(1), busy=2)
print(outcome.wrong or "as expected", outcome.output, sep="\\n")
print("left:", len(descendants()))
"""


def watch(folder: Path, *command: str) -> str:
    done = subprocess.run([sys.executable, "-c", SHORT, str(SOAK), str(folder), *command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("left: 0\n"), done.stdout
    return done.stdout


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (["true"], "as expected"),
        (["sh", "-c", "echo 17; exit 3"], "ended with status 3\n17"),
        (["sh", "-c", "kill -SEGV $$"], "ended by SIGSEGV"),
        (["sh", "-c", "setsid sleep 60 & exit 0"], "left processes behind"),
        (["sh", "-c", "(setsid sleep 1 &) ; exit 0"], "as expected"),  # what ends soon is nothing left behind
        (["sh", "-c", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done"], "as expected"),  # goes on
        (["python3", "-c", "import time\nend = time.time() + 4\nwhile time.time() < end: pass"], "as expected"),
    ],
)
def test_soak_says_how_a_run_ended(tmp_path: Path, command: list[str], found: str) -> None:
    assert watch(tmp_path, *command).startswith(found)


def test_soak_shows_the_stacks_of_a_run_that_hangs(tmp_path: Path) -> None:
    said = watch(tmp_path, "sh", "-c", "sleep 600 & wait")
    assert said.startswith("hangs: nothing went on for 3 s")
    assert re.search(r"--- process \d+, child of \d+, state S: sleep 600\n.*(#0|wchan)", said, re.DOTALL)


def test_soak_repeats_by_its_seed(tmp_path: Path) -> None:
    def runs() -> list[str]:
        command = [sys.executable, str(SOAK), "--only", "example/01", "--runs", "2", "--seed", "5", "--busy", "0"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert said.returncode == 0, said.stdout + said.stderr
        return re.findall(r"run \d+: (\S+, seed \d+)", said.stdout)

    assert runs() == runs()
    assert len(runs()) == 2
