# SPDX-License-Identifier: Apache-2.0
"""A program that was started with its standard output, or error, closed: ``print`` does nothing, in its objects, too."""

from __future__ import annotations

import faulthandler
import io
import subprocess
import sys
from pathlib import Path

import octavo
import pytest
from octavo.objects.server.output import PrefixedLines

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


class Streams:
    def of_standard_output(self) -> tuple[str, bool, int]:
        return sys.stdout.encoding, sys.stdout.writable(), sys.stdout.fileno()

    def to_subprocess(self) -> str:
        ran = subprocess.run(["/bin/sh", "-c", "echo of the subprocess"], stdout=sys.stdout, check=True)
        faulthandler.enable()
        return str(ran.returncode)


def test_they_are_streams_as_libraries_want_them() -> None:
    p = octavo.process.make(Streams)
    encoding, writable, descriptor = p.of_standard_output()
    assert (encoding.lower(), writable, descriptor) == ("utf-8", True, 1)
    assert p.to_subprocess() == "0"


def test_a_progress_bar_is_shown_when_it_ends() -> None:
    out = io.StringIO()
    lines = PrefixedLines(out, "p ")
    for done in range(3):
        lines.write(f"\r{done} of 3")
        lines.flush()
    assert out.getvalue() == ""
    lines.write("\r3 of 3\n")
    lines.write("next\r\n")
    assert out.getvalue() == "p 3 of 3\np next\n"
