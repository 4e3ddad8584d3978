# SPDX-License-Identifier: Apache-2.0
"""A home of names on a disk that is full: what is refused says so, and nothing is lost. Needs root: mounts a small tmpfs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import octavo
import pytest
from named_kit import VALUES, all_of, make

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def small_home(home: Path) -> Iterator[Path]:
    """On a disk of 2 MiB."""
    home.mkdir(mode=0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "octavo-test", str(home)], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield home
        octavo.naming.end_lasting_agent()
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


def fill(disk: Path) -> Path:
    """Another program takes the space."""
    other = disk / "other"
    with other.open("wb") as file:
        facts = os.statvfs(disk)
        os.posix_fallocate(file.fileno(), 0, facts.f_bavail * facts.f_frsize)
    return other


def test_a_full_disk_is_named_and_all_is_there_once_there_is_room(small_home: Path) -> None:
    make("ov://home/field").close()
    octavo.naming.end_lasting_agent()
    other = fill(small_home)
    with pytest.raises(octavo.IoError, match=r"ENOSPC.*Free space on that disk"):
        octavo.open_array("ov://home/field")
    other.unlink()
    assert np.array_equal(all_of("ov://home/field"), VALUES)
