# SPDX-License-Identifier: Apache-2.0
"""More memory than there is: refused before anything is made, by who sets the limit; and what nobody asks for fits into it.

Limits of control groups are in tests/unit/machine/memory_limits_test.cpp; here it is the process's own, and the machine's.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import command

pytestmark = pytest.mark.timeout(120)

LIMITS = {"v": (resource.RLIMIT_AS, 4 << 30), "d": (resource.RLIMIT_DATA, 2 << 30), "f": (resource.RLIMIT_FSIZE, 64 << 20)}


def limited(limit: str, words: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    what, most = LIMITS[limit]
    return subprocess.run(
        words, cwd=directory, text=True, capture_output=True, check=False, timeout=60, preexec_fn=lambda: resource.setrlimit(what, (most, most))
    )


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", np.arange(64.0).reshape(8, 8))
    return tmp_path


@pytest.mark.parametrize("ask", ["1000TiB", 2**50 * 3])
def test_more_than_the_machine_has_is_refused(directory: Path, ask: int | str) -> None:
    x = str(directory / "x.npy")
    for work in (
        lambda: octavo.Job(x, directory / "y.npy", memory=ask),
        lambda: octavo.fft.fftn(x, out=directory / "y.npy", memory=ask),
        lambda: octavo.copy(x, directory / "y.zarr", memory=ask),
        lambda: octavo.open_array(x, memory=ask),
        lambda: octavo.Runtime(memory=ask),
    ):
        with pytest.raises(octavo.Refused, match="is more than there is") as refusal:
            work()
        assert "`memory` below that" in str(refusal.value)
    assert sorted(path.name for path in directory.iterdir()) == ["x.npy"]


@pytest.mark.parametrize("limit", ["v", "d"])
def test_the_command_and_the_program_heed_ulimit(directory: Path, limit: str) -> None:
    done = limited(limit, [*command(), "fft", "x.npy", "y.npy", "--memory", "8GiB"], directory)
    assert done.returncode == 1
    assert f"ulimit -{limit}" in done.stderr
    assert "a job of 8 GiB is more than there is" in done.stderr
    assert not (directory / "y.npy").exists()
    done = limited(limit, [*command(), "fft", "x.npy", "y.npy"], directory)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("limit", LIMITS)
def test_what_nobody_asks_for_fits(directory: Path, limit: str) -> None:
    text = "import octavo as ov\np = ov.process.make(dict)\np['a'] = ov.empty(1000)\nprint(p['a'].shape)"
    done = limited(limit, [sys.executable, "-c", text], directory)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(1000,)\n"


def test_a_pool_that_no_file_may_have_is_refused(directory: Path) -> None:
    text = "import octavo as ov\nov.Runtime(memory='1GiB')"
    done = limited("f", [sys.executable, "-c", text], directory)
    assert "a page pool" in done.stderr
    assert "ulimit -f" in done.stderr
