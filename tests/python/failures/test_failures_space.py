# SPDX-License-Identifier: Apache-2.0
"""Disks that cannot hold the result, found out before a job starts and on the way. Needs root: mounts a small tmpfs."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import MIB, Command, has_written, noise, nothing_left, run, run_command, wait_for, worked

pytestmark = pytest.mark.timeout(60)
SHAPE = (1024, 1024)  # 16 MiB; its columns want a scratch file where the target is dense


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.npy"
    np.save(path, noise(SHAPE))
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "octavo-test", str(disk)], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path, leave: int = 0) -> None:
    """Another program takes the space."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    with (disk / "other").open("wb") as other:
        os.posix_fallocate(other.fileno(), 0, free - leave)


def budget_with_scratch(source: Path, folder: Path) -> int:
    """A budget at which the plan has a scratch file; which one is the planner's choice."""
    for mebibytes in range(2, 9):
        if octavo.Job(source, folder / "planned.npy", memory=mebibytes * MIB).uses_scratch:
            return mebibytes * MIB
    raise AssertionError("no budget from 2 to 8 MiB has a plan with a scratch file")


@pytest.mark.parametrize("ending", ["zarr", "npy", "raw"])
def test_result_that_cannot_fit_is_refused_before_the_start(source: Path, small_disk: Path, ending: str) -> None:
    """J-1."""
    fill(small_disk, leave=10 * MIB)
    target = small_disk / f"target.{ending}"
    with nothing_left(target):
        message = run_command("fft", source, target, "--memory", "32MiB").paragraph()
    for word in ("16.0 MiB" if ending == "npy" else "16 MiB", "10 MiB", "free", str(small_disk), "Free space there"):  # .npy has a header
        assert word in message, message
    with pytest.raises(octavo.Refused):
        octavo.Job(source, target, memory="32MiB")


def test_result_and_scratch_that_do_not_fit_together_are_refused(source: Path, small_disk: Path, tmp_path: Path) -> None:
    target = small_disk / "target.npy"  # fits alone
    budget = budget_with_scratch(source, tmp_path)
    with nothing_left(target):
        message = run_command("fft", source, target, "--memory", budget).paragraph()
    for word in ("scratch", "32", "24", str(small_disk), "the scratch directory"):
        assert word in message, message
    worked("fft", source, target, "--memory", budget, "--scratch", tmp_path)
    assert target.stat().st_size > 16 * MIB


def test_scratch_that_does_not_fit_is_refused(source: Path, small_disk: Path, tmp_path: Path) -> None:
    budget = budget_with_scratch(source, tmp_path)
    fill(small_disk, leave=10 * MIB)
    target = tmp_path / "target.npy"
    with nothing_left(target):
        message = run_command("fft", source, target, "--memory", budget, "--scratch", small_disk).paragraph()
    for word in ("scratch", "16 MiB", "10 MiB", str(small_disk)):
        assert word in message, message


@pytest.mark.parametrize("ending", ["npy", "raw", "zarr"])
def test_disk_that_fills_up_after_planning(source: Path, small_disk: Path, ending: str) -> None:
    target = small_disk / f"target.{ending}"
    job = octavo.Job(source, target, memory="32MiB")
    fill(small_disk, leave=4096 if ending != "zarr" else 2 * MIB)
    with nothing_left(target):
        with pytest.raises(octavo.IoError, match="No space left on device") as raised:
            run(job, 30)
        assert f"{target}.unfinished" in str(raised.value)


def test_disk_that_fills_up_on_the_way(source: Path, small_disk: Path) -> None:
    target = small_disk / "target.zarr"
    with nothing_left(target):
        command = Command(["fft", str(source), str(target), "--memory", "4MiB", "--chunks", "64,64"])
        wait_for(lambda: has_written(target) or command.process.poll() is not None, 20, "a first chunk")
        try:
            command.stop()
            assert command.process.poll() is None, "it was over before it could be stopped"
            fill(small_disk)
        finally:
            command.signal_group(signal.SIGCONT)
        message = command.end(30).paragraph()
    for word in ("No space left on device", "target.zarr.unfinished", "space"):
        assert word in message, message
    assert sorted(entry.name for entry in small_disk.iterdir()) == ["other"]
