# SPDX-License-Identifier: Apache-2.0
"""What the command line says of itself and of arrays, in which words it refuses, and what it does with a defect of its own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import command, noise, run_command, worked
from octavo import _core

pytestmark = pytest.mark.timeout(60)


def run_python(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program of our own, with a command line of its own."""
    more = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=more, timeout=50, check=False)


def test_version() -> None:
    version, kernel = worked("--version").out.splitlines()
    assert version == f"octavo {octavo.__version__}"
    if "FFTW" in _core.kernel_names():
        assert kernel == "transforms by FFTW: so this build is under the GPL where it is passed on"
    else:
        assert kernel == "transforms by KissFFT: nothing here is under the GPL"


def test_arguments_that_are_wrong_are_shown_and_not_obeyed() -> None:
    hostile, harmless = "--a\x1b[31m\x9b2J\u202e\u200b", r"--a\x1b[31m\x9b2J\u202e\u200b"
    for arguments in ((hostile,), ("info", hostile), (hostile[2:],), ("debug", hostile[2:]), ("copy", "a", "b", hostile)):
        ended = run_command(*arguments)
        assert ended.status == 2
        assert harmless[2:] in ended.err
        assert all(each.isprintable() or each == "\n" for each in ended.out + ended.err)
        assert "octavo" in ended.err.splitlines()[0]
    assert run_command().status == 2
    assert run_command("--help").status == 0


def test_cmake_dir_is_that_of_a_wheel() -> None:
    ended = run_command("--cmake-dir")
    assert ended.status == 1
    assert "Give find_package what cmake --install made" in ended.err


def test_help_and_version_import_neither_numpy_nor_what_draws_boxes() -> None:
    ended = run_python(
        "import sys, octavo.cli\n"
        "try: octavo.cli.app(['--help'])\n"
        "except SystemExit as e: assert not e.code\n"
        "assert not {'numpy', 'rich', 'zarr', 'h5py'} & set(sys.modules), sorted(sys.modules)"
    )
    assert ended.returncode == 0, ended.stderr
    assert "Usage" in ended.stdout


def test_a_command_imports_no_pydantic() -> None:
    """What typer has for its types from 0.29 on: half of the time of each command."""
    ended = run_python(
        "import sys, octavo.cli\ntry: octavo.cli.app(['ps', '--json'])\nexcept SystemExit as e: assert not e.code\nassert 'pydantic' not in sys.modules"
    )
    assert ended.returncode == 0, ended.stderr


# Processor time, so that a busy machine changes nothing; the least of some, since a cold cache costs time too.
def test_help_is_quick() -> None:
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command(), "--help"], capture_output=True, check=True, timeout=50)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(5)) < 0.25


def test_info_for_programs(tmp_path: Path) -> None:
    made = octavo.create_array(tmp_path / "a.zarr", (6, 5), "float32", chunks=(3, 5), attrs={"unit": "K"}, dims=("y", None))
    made.close()
    found = json.loads(worked("info", tmp_path / "a.zarr", "--json").out)
    assert found == {
        "path": str(tmp_path / "a.zarr"),
        "format": "zarr",
        "shape": [6, 5],
        "chunk": [3, 5],
        "dtype": "float32",
        "big_endian": False,
        "nbytes": 120,
        "native": True,
        "devices": [],
        "attrs": {"unit": "K"},
        "dims": ["y", None],
        "packed": {},
        "codecs": [],
        "shards": None,
        "ratio": None,
    }


def test_completion() -> None:
    ask = {"_OCTAVO_COMPLETE": "complete_bash", "COMP_WORDS": "octavo i", "COMP_CWORD": "1"}
    ended = subprocess.run(command(), capture_output=True, text=True, env={**os.environ, **ask}, timeout=50, check=False)
    assert ended.stdout.split() == ["ifft", "info"]
    ask["COMP_WORDS"], ask["COMP_CWORD"] = "octavo fft a b --ch", "4"
    ended = subprocess.run(command(), capture_output=True, text=True, env={**os.environ, **ask}, timeout=50, check=False)
    assert ended.stdout.split() == ["--chunks"]


def test_options_are_named_as_the_caller_writes_them(tmp_path: Path) -> None:
    source, target = tmp_path / "a.npy", tmp_path / "b.npy"
    np.save(source, noise((4, 4)))
    np.save(target, noise((4, 4)))
    message = run_command("copy", source, target).paragraph()
    assert message.rstrip().endswith("exists. Give another name, or --overwrite"), message
    for made in (lambda: octavo.copy(source, target), lambda: octavo.create_array(target, (4, 4), "float64")):
        with pytest.raises(octavo.UsageError, match=r"exists\. Give another (name|path), or overwrite=True$"):
            made()


@pytest.mark.parametrize("failure", ["ZeroDivisionError", "MemoryError"])
def test_a_defect_is_one_line_unless_its_traceback_is_wanted(failure: str) -> None:
    program = f"""
import sys, octavo.cli, octavo.source
def fails(*given, **more):
    raise {failure}("of this test")
octavo.source.info = fails
sys.argv = ["octavo", "info", "a.npy"]
sys.exit(octavo.cli.main())
"""
    ended = run_python(program)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
    assert ended.stderr.startswith("octavo: ") and "of this test" in ended.stderr
    if failure != "MemoryError":
        assert "OCTAVO_TRACEBACK=1" in ended.stderr
        assert "Traceback (most recent call last)" in run_python(program, OCTAVO_TRACEBACK="1").stderr
