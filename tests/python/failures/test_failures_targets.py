# SPDX-License-Identifier: Apache-2.0
"""A target that somebody else makes while a job runs is not lost, whoever is first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import octavo
import pytest
import scipy.fft
from kit import Command, assert_equal, marked, noise, read, run

pytestmark = pytest.mark.timeout(60)
SHAPE = (64, 64, 48)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.npy"
    np.save(path, noise(SHAPE))
    return path


@pytest.mark.parametrize("ending", ["zarr", "npy"])
def test_target_that_appears_meanwhile_is_kept(source: Path, ending: str) -> None:
    target = source.parent / f"target.{ending}"
    job = octavo.Job(source, target, memory="2MiB")

    def watch(now: octavo.job.Progress) -> bool:
        if not target.exists() and ending == "zarr":
            target.mkdir()
            (target / "precious").write_text("mine")
        elif not target.exists():
            target.write_text("mine")
        return True

    with pytest.raises(octavo.UsageError, match="exists"):
        job.run(watch)
    assert (target / "precious" if ending == "zarr" else target).read_text() == "mine"
    assert not [path for path in source.parent.iterdir() if "replaced" in path.name]


def test_second_run_of_a_job_does_not_replace_the_first(source: Path) -> None:
    target = source.parent / "target.npy"
    job = octavo.Job(source, target, memory="2MiB")
    run(job)
    written = target.stat().st_ino
    with pytest.raises(octavo.UsageError, match="exists"):
        run(job)
    assert target.stat().st_ino == written
    assert sorted(source.parent.iterdir()) == sorted([source, target])


def test_second_run_of_a_job_that_may_overwrite(source: Path) -> None:
    target = source.parent / "target.npy"
    job = octavo.Job(source, target, memory="2MiB", overwrite=True)
    run(job)
    run(job)
    assert_equal(read(target), scipy.fft.fftn(noise(SHAPE)))
    assert sorted(source.parent.iterdir()) == sorted([source, target])


@pytest.mark.parametrize("more", [[], ["--overwrite"]], ids=["", "overwrite"])
@pytest.mark.parametrize("ending", ["zarr", "npy"])
def test_two_commands_with_one_target(source: Path, ending: str, more: list[str]) -> None:
    target = source.parent / f"target.{ending}"
    commands = [Command(["fft", str(source), str(target), "--memory", "2MiB", *more]) for _ in range(2)]
    ended = [command.end(40) for command in commands]
    assert any(each.status == 0 for each in ended), [each.err for each in ended]
    for each in ended:
        if each.status != 0:
            assert str(target) in each.paragraph()
        assert marked(each.mark) == []
    assert_equal(read(target), scipy.fft.fftn(noise(SHAPE)))
    assert sorted(source.parent.iterdir()) == sorted([source, target])
