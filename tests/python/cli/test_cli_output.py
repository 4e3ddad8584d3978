# SPDX-License-Identifier: Apache-2.0
"""A standard output that is full: an error that names it, and of a job that it is done."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from kit import command

pytestmark = pytest.mark.timeout(60)

FULL = "writing to standard output: No space left on device\n"
COMMANDS = ["--version", "--help", "info --help", "info x.npy", "info --json x.npy", "ps", "machines", "check", "fft x.npy o.npy --plan"]


def said_to_full(directory: Path, words: str) -> tuple[int, str]:
    np.save(directory / "x.npy", np.ones((8, 8)))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*command(), *words.split()], cwd=directory, stdout=full, stderr=subprocess.PIPE, text=True, timeout=50, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", COMMANDS)
def test_a_full_standard_output_is_an_error_that_names_it(tmp_path: Path, words: str) -> None:
    assert said_to_full(tmp_path, words) == (1, f"octavo: {FULL}")


@pytest.mark.parametrize("option", ["", "--json", "--quiet --report"])
def test_a_job_whose_report_cannot_be_written_is_said_to_be_done(tmp_path: Path, option: str) -> None:
    assert said_to_full(tmp_path, f"fft x.npy o.npy {option}") == (1, f"octavo: 'o.npy' is done; {FULL}")
    np.testing.assert_allclose(np.load(tmp_path / "o.npy")[0, 0], 64)


def test_a_quiet_job_does_not_need_it(tmp_path: Path) -> None:
    assert said_to_full(tmp_path, "fft x.npy o.npy --quiet") == (0, "")
