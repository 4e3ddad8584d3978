# SPDX-License-Identifier: Apache-2.0
"""Each of examples/python prints what its twin in examples/cpp prints, ends well and leaves nothing behind; every twin is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
WITHOUT_TWIN = {
    "07_persistent": "objects with names are not in Python yet",
    "09_named_fft3": "objects with names are not in Python yet",
    "10_remedies": "it measures, by PageMap and Kernel, which Python does not have",
}

pytestmark = pytest.mark.timeout(120)


def names(language: str) -> set[str]:
    return {folder.name for folder in (EXAMPLES / language).glob("[0-9]*") if folder.is_dir()}


@pytest.mark.parametrize("name", sorted(names("python")))
def test_an_example_prints_what_it_should_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -B "{EXAMPLES / "python" / name / "main.py"}"\n')
    program.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    ended = subprocess.run(
        ["bash", ROOT / "tests" / "examples" / "run.sh", program, EXAMPLES / "cpp" / name / "expected_output"],
        env={**os.environ, "TMPDIR": str(temporary)},
        text=True,
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert list(temporary.iterdir()) == []


def test_every_example_in_cpp_has_a_twin() -> None:
    assert names("cpp") - names("python") == set(WITHOUT_TWIN)
    assert names("python") <= names("cpp")


def test_no_program_is_longer_than_a_page() -> None:
    lines = {str(path.relative_to(EXAMPLES)): len(path.read_text().splitlines()) for path in (EXAMPLES / "python").rglob("*.py")}
    assert {name: count for name, count in lines.items() if count > 60} == {}
