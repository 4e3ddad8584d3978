# SPDX-License-Identifier: Apache-2.0
"""A program that has octavo by its own sys.path alone (a notebook, an interpreter within another program): its processes find it as well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import octavo
import pytest

PROGRAM = """
import sys
sys.path.append(sys.argv[1])
import octavo
print(octavo.open_array("a.h5/d", mode="r").sum())
print(octavo.process.make(list, "abc")[1])
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder that no interpreter looks into by itself, with all that is installed."""
    h5py = pytest.importorskip("h5py")
    folder = tmp_path / "packages"
    folder.mkdir()
    for place in dict.fromkeys(Path(str(module.__file__)).parent.parent for module in (octavo, np, h5py)):  # this octavo, if there are several
        for each in place.iterdir():
            if not (folder / each.name).exists():
                (folder / each.name).symlink_to(each)
    return folder


def test_its_processes_find_it(packages: Path, tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=np.arange(100.0).reshape(10, 10), chunks=(5, 5), compression="gzip")  # decoded in a process, by h5py
    command = [sys.executable, "-S", "-c", PROGRAM, str(packages)]  # without site-packages, here and in its processes
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["4950.0", "b"]), ended.stderr
