# SPDX-License-Identifier: Apache-2.0
"""The interpreter of an object is as its program's: where it imports from, and its flags."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


def test_an_object_imports_what_its_program_does(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    for name in ("statistics", "colorsys", "numbered"):  # two that are called as modules of the standard library, one of which all objects would have loaded
        (tmp_path / f"{name}.py").write_text("x = 'beside the program'")
    (tmp_path / "first" / "numbered.py").write_text("x = 'first'")
    text = """
    sys.path[:1] = [os.path.abspath("first"), ""]  # and not the script's folder
    import statistics
    class Importing:
        def path(self):
            return sys.path
        def found(self):
            import colorsys, numbered, statistics
            return colorsys.x, numbered.x, statistics.x
    p = octavo.process.make(Importing)
    assert p.path() == [place or os.getcwd() for place in sys.path], (p.path(), sys.path)
    assert p.found() == Importing().found() == ("beside the program", "first", "beside the program"), p.found()
    """
    assert run_program(tmp_path, text) == ""


PROGRAM = """
    import sys
    import octavo

    class Asked:
        def flags(self):
            return str(sys.flags), sys.warnoptions, sys._xoptions, sys.dont_write_bytecode

        def asserts(self):
            try:
                assert False
            except AssertionError:
                return True
            return False

    p = octavo.process.make(Asked)
    here = Asked()
    print(p.flags() == here.flags() or (p.flags(), here.flags()), p.asserts() == here.asserts())
"""


@pytest.mark.parametrize("flags", [["-O"], ["-I"], ["-E", "-B"], ["-X", "dev"], ["-W", "error::ResourceWarning"], ["-X", "utf8", "-s"]], ids=" ".join)
def test_an_object_has_the_flags_of_its_program(tmp_path: Path, flags: list[str]) -> None:
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('ran')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "path")}
    ended = subprocess.run([sys.executable, *flags, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=50, check=False)
    assert (ended.stdout, ended.returncode) == ("True True\n", 0), ended.stderr
    assert (tmp_path / "ran").exists() == (not {"-I", "-E"} & set(flags))
