# SPDX-License-Identifier: Apache-2.0
"""A program that was started with its standard output, or error, closed: ``print`` does nothing, in its objects, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(60)

PROGRAM = """
import os, sys
import octavo

class Prints:
    def where(self):
        print("lost")
        print("lost", file=sys.stderr)
        return descriptors()

def descriptors():
    return [os.readlink(f"/proc/self/fd/{each}") for each in (0, 1, 2)]

p = octavo.process.make(Prints)
found = [p.where(), descriptors()]
octavo.destroy(p)
octavo.process.make(Prints).where()  # which ends with the program
print("lost")
open("found", "w").write(repr(found))
"""


@pytest.mark.parametrize("closed", [1, 2])
def test_print_does_nothing_where_the_descriptor_is_closed(tmp_path: Path, closed: int) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    ran = subprocess.run(["sh", "-c", f'exec "$0" program.py {closed}>&-', sys.executable], cwd=tmp_path, capture_output=True, text=True, timeout=50)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    of_object, of_program = eval((tmp_path / "found").read_text())
    assert of_program[closed] == "/dev/null"  # and nothing of Octavo's
    assert of_object[closed].startswith("/dev/null" if closed == 1 else "pipe:")  # whose last lines its agent keeps


def test_an_interpreter_without_streams_prints_nothing() -> None:
    program = """
import sys
from octavo.objects.server.output import flush_output, prefix_output
sys.stdout = sys.__stdout__ = None
prefix_output("p ")
print("lost")
flush_output()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
