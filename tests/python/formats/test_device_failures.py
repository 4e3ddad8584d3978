# SPDX-License-Identifier: Apache-2.0
"""Arrays on several disks, one of which is missing, full, read-only, named twice, or loses its page file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import octavo
import pytest
from formats_kit import directories
from kit import MIB, children_of, noise, nothing_left, run, run_command, wait_for

pytestmark = pytest.mark.timeout(90)
SHAPE, CHUNKS = (64, 64, 64), (16, 32, 32)  # 4 MiB of complex128


@pytest.fixture
def source(tmp_path: Path) -> Path:
    np.save(tmp_path / "source.npy", noise(SHAPE))
    return tmp_path / "source.npy"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A whole array on three directories."""
    path = tmp_path / "made.octavo"
    with octavo.create_array(path, SHAPE, "complex128", chunks=CHUNKS, devices=directories(tmp_path / "of", 3)) as array:
        array[...] = noise(SHAPE)
    return path


def contents(*folders: Path) -> list[Path]:
    return sorted(each for folder in folders for each in folder.rglob("*") if each.is_file() and each.name != "other")


def refused_everywhere(source: Path, disks: list[Path], error: type[octavo.Error], *words: str) -> None:
    """By a job, by create_array and by the command, which leave nothing on the disks that are there."""
    target = source.parent / "t.octavo"
    there = [disk for disk in disks if disk.is_dir()]
    before = contents(*there)

    def job() -> None:
        run(octavo.Job(source, target, memory="32MiB", chunks=CHUNKS, devices=disks))

    def create() -> None:
        with octavo.create_array(target, SHAPE, "complex128", chunks=CHUNKS, devices=disks) as array:
            array[...] = 1

    for use in (job, create):
        with nothing_left(target), pytest.raises(error) as raised:
            use()
        for word in words:
            assert word in str(raised.value), str(raised.value)
        assert contents(*there) == before, use
    with nothing_left(target):
        message = run_command("copy", source, target, "--chunks", "16,32,32", "--devices", ",".join(map(str, disks))).paragraph()
    for word in words:
        assert word in message, message
    assert contents(*there) == before


def test_directory_that_is_missing(source: Path, tmp_path: Path) -> None:
    disks = [*directories(tmp_path, 2), tmp_path / "not mounted"]
    refused_everywhere(source, disks, octavo.Error, str(disks[2]))
    assert not disks[2].exists()


def test_directory_that_is_a_file(source: Path, tmp_path: Path) -> None:
    disks = [*directories(tmp_path, 2), tmp_path / "file"]
    disks[2].write_text("mine")
    refused_everywhere(source, disks, octavo.Error, str(disks[2]))
    assert disks[2].read_text() == "mine"


@contextlib.contextmanager
def mounted(disk: Path, options: str) -> Iterator[None]:
    """A small disk; needs root."""
    tried = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "octavo-test", str(disk)], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {tried.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_directory_that_is_read_only(source: Path, tmp_path: Path) -> None:
    disks = directories(tmp_path, 3)
    with mounted(disks[1], "size=8m,ro"):
        refused_everywhere(source, disks, octavo.IoError, str(disks[1]), "Read-only file system")


def test_directory_that_is_full(source: Path, tmp_path: Path) -> None:
    disks = directories(tmp_path, 3)
    with mounted(disks[1], "size=8m"):
        fill(disks[1], 256 << 10)
        refused_everywhere(source, disks, octavo.Error, str(disks[1]), "space")


def fill(disk: Path, leave: int) -> None:
    """Another program takes the space."""
    facts = os.statvfs(disk)
    with (disk / "other").open("wb") as other:
        os.posix_fallocate(other.fileno(), 0, facts.f_bavail * facts.f_frsize - leave)


@pytest.mark.parametrize("again", [lambda disk: disk, lambda disk: disk / ".." / disk.name], ids=["same", "other-words"])
def test_directory_that_is_named_twice(source: Path, tmp_path: Path, again: Callable[[Path], Path]) -> None:
    disks = directories(tmp_path, 2)
    refused_everywhere(source, [*disks, again(disks[0])], octavo.UsageError, str(disks[0]), "twice")


def test_directory_that_is_named_twice_by_a_link(source: Path, tmp_path: Path) -> None:
    disks = directories(tmp_path, 2)
    (tmp_path / "link").symlink_to(disks[0])
    refused_everywhere(source, [*disks, tmp_path / "link"], octavo.UsageError, "twice")


def test_page_file_that_is_removed(made: Path, tmp_path: Path) -> None:
    """While nobody has it open: everything says which one."""
    page_file = Path(octavo.info(made).devices[1])
    page_file.rename(tmp_path / "kept")
    uses: list[Callable[[], object]] = [
        lambda: octavo.open_array(made)[...],
        lambda: octavo.open_array(made, mode="r+").write(np.s_[...], 1),
        lambda: run(octavo.Job(made, tmp_path / "t.npy", memory="32MiB")),
    ]
    for use in uses:
        with pytest.raises(octavo.IoError) as raised:
            use()
        assert str(page_file) in str(raised.value), str(raised.value)
    assert str(page_file) in run_command("fft", made, tmp_path / "t.npy").paragraph()
    assert not page_file.exists(), "it is not made anew"
    wait_for(lambda: not children_of(os.getpid()), 20, "no child")
    (tmp_path / "kept").rename(page_file)
    with octavo.open_array(made) as again:
        np.testing.assert_array_equal(again[...], noise(SHAPE), strict=True)


@pytest.mark.parametrize("bytes_left", [0, 4096, 100_001])
def test_page_file_that_is_cut_short(made: Path, tmp_path: Path, bytes_left: int) -> None:
    page_file = Path(octavo.info(made).devices[2])
    os.truncate(page_file, bytes_left)
    for use in (lambda: octavo.open_array(made)[...], lambda: run(octavo.Job(made, tmp_path / "t.npy", memory="32MiB"))):
        with pytest.raises(octavo.UsageError if bytes_left == 0 else octavo.IoError) as raised:  # an empty file is none of ours
            use()
        assert str(page_file) in str(raised.value), str(raised.value)
    assert not (tmp_path / "t.npy").exists()


def test_page_file_with_a_damaged_header(made: Path, tmp_path: Path) -> None:
    """It has a checksum."""
    page_file = Path(octavo.info(made).devices[0])
    with page_file.open("r+b") as raw:
        raw.seek(100)
        raw.write(b"\xff")
    for use in (lambda: octavo.open_array(made)[...], lambda: run(octavo.Job(made, tmp_path / "t.npy", memory="32MiB"))):
        with pytest.raises(octavo.IoError, match="checksum is wrong") as raised:
            use()
        assert str(page_file) in str(raised.value), str(raised.value)


def test_page_files_of_two_arrays_exchanged(made: Path, tmp_path: Path) -> None:
    """One that belongs to another array is not taken for ours."""
    other = tmp_path / "other.octavo"
    with octavo.create_array(other, SHAPE, "complex128", chunks=CHUNKS, devices=directories(tmp_path / "others", 3)) as array:
        array[...] = 1
    ours, theirs = Path(octavo.info(made).devices[0]), Path(octavo.info(other).devices[0])
    ours.unlink()
    theirs.rename(ours)
    with pytest.raises(octavo.UsageError, match="belongs to the array") as raised:
        octavo.open_array(made)[...]
    assert str(ours) in str(raised.value), str(raised.value)


def test_device_killed_in_a_job_onto_several(tmp_path: Path) -> None:
    np.save(tmp_path / "source.npy", noise((256, 128, 64)))  # 32 MiB
    disks, target = directories(tmp_path, 3), tmp_path / "t.octavo"
    job = octavo.Job(tmp_path / "source.npy", target, axes=[2], memory=4 * MIB, chunks=(32, 32, 32), devices=disks)
    killed: list[int] = []

    def watch(now: octavo.job.Progress) -> bool:
        assert now.seconds < 60, "the job hangs"
        if not killed and now.bytes_done > 0:
            killed.extend(pid for name, pid in job.processes() if name.rpartition("::")[2] == "PageFile")
            os.kill(killed[1], signal.SIGKILL)
        return True

    with nothing_left(target), pytest.raises(octavo.ProcessDied, match="SIGKILL"):
        job.run(watch)
    assert len(killed) == 3
    assert contents(*disks) == []
