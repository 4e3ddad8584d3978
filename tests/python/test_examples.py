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
    "09_named_fft3": "it is about read-ahead and transposing writes of Array, which Python does not have",
    "10_remedies": "it measures, by PageMap and Kernel, which Python does not have",
}

SQUARED = "squared: data[0] is 1; data[256] is 4; data[512] is 9; data[768] is 16;\n"
PROCESSES = (1, 2, 3, 5)


def expected(name: str, n: int) -> str:
    """Of those whose number of processes is their argument. The others make one object, or two that differ."""
    if name == "04_shared_block":
        return f"{SQUARED}the sum, to which {n} processes added, is 7680\n"
    if name == "05_process_group":
        some, neighbours = max(n - 2, 0), " ".join(str((i + 1) % n + 1) for i in range(n))
        text = "after the barrier each found what its neighbour wrote before it"
        return f"member {some} is {some} of {n}\nto the right of member {n - 1} is 0\n{text}: {neighbours}\n"
    if name == "11_persistent_array":
        return (EXAMPLES / "cpp" / name / "expected_output").read_text()  # the same on any number of devices
    lines = min(n, 4)  # slabs that are not empty: of each the first line of 4 pages is read from disk, in each of 3 transforms
    pages = f"pages read from the servers' caches: {192 - 12 * lines}, from their disks: {12 * lines}"
    return f"at (3, 5, 7): 4096 of 4096\nelsewhere less than 1e-9: 1\n{pages}\n"


pytestmark = pytest.mark.timeout(120)


def names(language: str) -> set[str]:
    return {folder.name for folder in (EXAMPLES / language).glob("[0-9]*") if folder.is_dir()}


@pytest.mark.parametrize("name", sorted(names("python")))
def test_an_example_prints_what_it_should_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    check(name, "", EXAMPLES / "cpp" / name / "expected_output", tmp_path)


@pytest.mark.parametrize("n", PROCESSES)
@pytest.mark.parametrize("name", ["04_shared_block", "05_process_group", "08_fft3", "11_persistent_array"])
def test_an_example_with_another_number_of_processes(name: str, n: int, tmp_path: Path) -> None:
    wanted = tmp_path / "expected"
    wanted.write_text(expected(name, n))
    check(name, str(n), wanted, tmp_path)


@pytest.mark.parametrize(("name", "n"), [("04_shared_block", 8), ("05_process_group", 6), ("08_fft3", 2)])
def test_what_is_expected_of_a_number_is_what_the_twin_prints(name: str, n: int) -> None:
    assert expected(name, n) == (EXAMPLES / "cpp" / name / "expected_output").read_text()


def check(name: str, argument: str, wanted: Path, tmp_path: Path) -> None:
    """Runs it where everything it leaves behind is seen."""
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -B "{EXAMPLES / "python" / name / "main.py"}" {argument}\n')
    program.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    ended = subprocess.run(
        ["bash", ROOT / "tests" / "examples" / "run.sh", program, wanted],
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
