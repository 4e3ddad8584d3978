# SPDX-License-Identifier: Apache-2.0
"""Type checkers see through make() and start(): mypy --strict and pyright (or basedpyright, which brings its own Node.js), each where it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import octavo
import pytest

pytestmark = pytest.mark.timeout(300)

PROGRAM = Path(__file__).with_name("typed_program.py")
PACKAGE = Path(octavo.__file__).resolve().parents[1]  # where the types are: of ./dev build, in the source tree
MISTAKES = """
import octavo as ov

class Thing:
    def __init__(self, n: int) -> None: ...
    def add(self, x: int) -> float:
        return x / 2

t = ov.process.make(Thing, 1)
ov.process.make(Thing, "1")
ov.start(ov.process.make, Thing, "1")
t.add("2")
t.ad(2)
ov.start(t.add, "2")
ov.pipeline(ov.stage(str.upper), ov.farm(len).workers(2), ov.stage(bytes.upper))
ov.farm(Thing, 1)
x: str = ov.start(t.add, 2).result()
ov.call(t, Thing.add, "2")
"""
LINES = {i for i, line in enumerate(MISTAKES.splitlines(), 1) if line.startswith(("ov.", "t.", "x:")) and not line.startswith("t = ")}


def run(*command: str | Path, folder: Path) -> str:
    return subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=280, check=False).stdout


def mypy(program: Path, folder: Path) -> list[tuple[int, str]]:
    pytest.importorskip("mypy", reason="mypy is not installed: ./dev lint does")
    (folder / "mypy.ini").write_text(f"[mypy]\nmypy_path = {PACKAGE}\n[mypy-octavo.*]\nfollow_imports = silent\n")
    told = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", "--no-pretty", "--config-file", "mypy.ini", program, folder=folder)
    assert "Success" in told or "error:" in told, told
    return [(int(line.split(":")[1]), line) for line in told.splitlines() if ": error:" in line]


def pyright(program: Path, folder: Path) -> list[tuple[int, str]]:
    found = [Path(sys.prefix) / "bin" / name for name in ("basedpyright", "pyright")]
    command = next((each for each in found if each.exists()), None)
    if command is None:
        pytest.skip("neither basedpyright nor pyright is installed: ./dev lint does, or pip install basedpyright")
    facts = {"include": [str(program)], "typeCheckingMode": "strict", "extraPaths": [str(PACKAGE)], "reportUnusedExpression": False}
    (folder / "pyrightconfig.json").write_text(json.dumps({**facts, "reportUnusedCallResult": False}))
    told = run(command, "--outputjson", "--pythonpath", sys.executable, "--project", folder, folder=folder)
    found_errors = json.loads(told)
    assert found_errors["summary"]["filesAnalyzed"] == 1, told
    return [(each["range"]["start"]["line"] + 1, each["message"]) for each in found_errors["generalDiagnostics"] if each["severity"] == "error"]


Checker = Callable[[Path, Path], list[tuple[int, str]]]


@pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])
def test_a_program_that_uses_everything_has_the_types_it_says(checker: Checker, tmp_path: Path) -> None:
    program = tmp_path / PROGRAM.name
    program.write_text(PROGRAM.read_text())
    assert checker(program, tmp_path) == []


@pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])
def test_mistakes_are_found_where_they_are(checker: Checker, tmp_path: Path) -> None:
    program = tmp_path / "mistakes.py"
    program.write_text(MISTAKES)
    assert {line for line, _ in checker(program, tmp_path)} == LINES


def test_the_program_runs() -> None:
    result = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=120, check=False)
    assert (result.stdout, result.returncode) == ("1.5\n", 0), result.stderr
