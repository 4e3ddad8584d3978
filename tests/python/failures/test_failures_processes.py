# SPDX-License-Identifier: Apache-2.0
"""J-3: a device or a transform process dies in the middle of a job: the job says which and how, and leaves nothing."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import MIB, is_alive, noise, nothing_left, read, run, wait_for

DEVICES, TRANSFORMS = ("FlatFile", "PageFile", "ZarrDevice"), ("Transform",)
BUDGET = 4 * MIB


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """32 MiB: some hundred boxes at the budget of these tests."""
    path = tmp_path_factory.mktemp("source") / "source.npy"
    np.save(path, noise((2048, 1024)))
    return path


def of(processes: list[tuple[str, int]], classes: tuple[str, ...]) -> list[tuple[str, int]]:
    """Those of some classes, in the order in which they were made."""
    return [(name, pid) for name, pid in processes if name.rpartition("::")[2] in classes]


class Killer:
    """A watch that kills one process of the job when the job has begun to write."""

    def __init__(self, job: octavo.Job, classes: tuple[str, ...], number: int, step: int = 1) -> None:
        self.job, self.classes, self.number, self.step = job, classes, number, step
        self.victim: tuple[str, int] | None = None
        self.seen: list[tuple[str, int]] = []
        self.killed = 0.0

    def __call__(self, now: octavo.job.Progress) -> bool:
        assert now.seconds < 30, "the job hangs"
        if self.victim is None and now.bytes_done > 0 and now.step == self.step:
            self.seen = self.job.processes()
            self.victim = of(self.seen, self.classes)[self.number]
            os.kill(self.victim[1], signal.SIGKILL)
            self.killed = time.monotonic()
        return True


def killed_in(job: octavo.Job, target: Path, classes: tuple[str, ...], number: int, step: int = 1) -> Killer:
    """Runs a job whose process is killed, and checks how it fails."""
    killer = Killer(job, classes, number, step)
    with nothing_left(target):
        with pytest.raises(octavo.ProcessDied) as died:
            job.run(killer)
        assert time.monotonic() - killer.killed < 20  # noticed within a second (C-6); then the target is removed, on a disk that may be busy
        assert killer.victim is not None
        name, pid = killer.victim
        for word in (name, f"pid {pid} ", "SIGKILL"):
            assert word in str(died.value), str(died.value)
        others = [other for _, other in killer.seen if other != os.getpid()]
        wait_for(lambda: not any(is_alive(other) for other in others), 20, f"of {others}")
    return killer


@pytest.mark.timeout(60)
@pytest.mark.parametrize("ending", ["zarr", "npy"])
@pytest.mark.parametrize(("classes", "number"), [(DEVICES, 0), (DEVICES, 1), (TRANSFORMS, 0), (TRANSFORMS, 1)], ids=["reader", "writer", "first", "second"])
def test_killed_process_is_named(source: Path, tmp_path: Path, classes: tuple[str, ...], number: int, ending: str) -> None:
    target = tmp_path / f"target.{ending}"
    job = octavo.Job(source, target, axes=[1], memory=BUDGET)
    killer = killed_in(job, target, classes, number)
    assert len(of(killer.seen, DEVICES)) >= 1
    assert len(of(killer.seen, TRANSFORMS)) >= 2
    assert killer.seen[0][1] == os.getpid(), "this program comes first"
    pids = [pid for _, pid in killer.seen]
    assert len(set(pids)) == len(pids)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("classes", "number"), [(DEVICES, 1), (TRANSFORMS, 0)], ids=["writer", "transform"])
def test_killed_in_the_second_pass(source: Path, tmp_path: Path, classes: tuple[str, ...], number: int) -> None:
    target = tmp_path / "target.zarr"
    job = octavo.Job(source, target, memory=BUDGET)
    assert job.passes >= 2
    killed_in(job, target, classes, number, step=2)


@pytest.mark.timeout(60)
def test_killed_device_of_the_scratch_file(source: Path, tmp_path: Path) -> None:
    target, scratch = tmp_path / "target.npy", tmp_path / "scratch"
    scratch.mkdir()
    job = octavo.Job(source, target, memory=BUDGET, scratch=scratch)
    assert job.uses_scratch
    killer = killed_in(job, target, ("PageFile",), 0, step=2)
    assert len(of(killer.seen, DEVICES)) == 3
    assert list(scratch.iterdir()) == []


@pytest.mark.timeout(60)
def test_a_job_works_after_one_that_died(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.npy"
    killed_in(octavo.Job(source, target, axes=[1], memory=BUDGET), target, TRANSFORMS, 0)
    again = octavo.Job(source, target, axes=[1], memory=BUDGET)
    run(again)
    assert np.allclose(read(target), np.fft.fft(np.load(source), axis=1))


@pytest.mark.timeout(60)
def test_watch_that_says_no_stops_the_job(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.npy"
    with nothing_left(target), pytest.raises(octavo.Cancelled, match="stopped"):
        octavo.Job(source, target, memory=BUDGET).run(lambda now: now.bytes_done == 0)


@pytest.mark.timeout(60)
def test_watch_that_raises_stops_the_job_with_its_own_error(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.npy"

    def watch(now: octavo.job.Progress) -> bool:
        raise LookupError("mine")

    with nothing_left(target), pytest.raises(LookupError, match="mine"):
        octavo.Job(source, target, memory=BUDGET).run(watch)
