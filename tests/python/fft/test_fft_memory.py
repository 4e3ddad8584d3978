# SPDX-License-Identifier: Apache-2.0
"""J-4: the budget is kept: measured from outside by a memory group that holds the page cache too, and by the report."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import MIB, Command, assert_equal, noise, read, run

pytestmark = pytest.mark.timeout(170)
WITHIN = Path(__file__).resolve().parents[4] / "shared" / "tools" / "within-memory"
PROGRAM, EACH = 64 * MIB, 2 * MIB  # for the interpreter, and for each C++ process


@pytest.fixture(scope="module")
def within_memory() -> str:
    """The tool, where it works."""
    if not WITHIN.exists():
        pytest.skip(f"{WITHIN} is not here")
    tried = subprocess.run([str(WITHIN), "0", "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"within-memory does not work here: {tried.stderr.strip()}")
    return str(WITHIN)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Emptied at the end: pytest would keep what is large here for three runs."""
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        yield Path(name)


def write_source(path: Path, shape: tuple[int, ...]) -> None:
    """Slab by slab, the same each time."""
    stored = np.lib.format.open_memmap(path, mode="w+", dtype="complex128", shape=shape)
    for i in range(shape[0]):
        stored[i] = noise(shape[1:], seed=i)
    stored.flush()


def bytes_in(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]


def lives_within(tool: str, source: Path, target: Path, budget: int, *more: str) -> dict[str, int]:
    """Runs the command line in a group of just the memory that it may use; what the group measured."""
    job = octavo.Job(source, target, memory=budget)
    processes = job.transforms + 2 + job.uses_scratch
    allowed = budget + PROGRAM + EACH * processes
    assert source.stat().st_size > 4 * budget
    command = Command(["fft", str(source), str(target), "--memory", str(budget), *more], prefix=[tool, str(allowed)])
    ended = command.end(150)
    assert ended.status == 0, ended.err
    measured = json.loads(ended.err.strip().splitlines()[-1])
    print(f"budget {budget / MIB:.0f} MiB and {processes} processes: {measured}")
    assert measured["peak_rss"] <= allowed, measured
    assert measured["oom_kills"] == 0
    assert measured["left_running"] == 0
    report = re.search(r"memory: peak ([\d.]+ \w+) of ([\d.]+ \w+) and 2 MiB for each of (\d+) processes; ([\d.]+ \w+) in this program", ended.out)
    assert report, ended.out
    assert bytes_in(report[2]) == budget
    assert int(report[3]) == processes
    assert 0 < bytes_in(report[1]) <= budget + EACH * processes
    assert 0 < bytes_in(report[4]) <= PROGRAM
    rate = re.search(r"([\d.]+) s, .* read and written in (\d+) passes, [\d.]+ GB/s", ended.out)
    assert rate, ended.out
    assert int(rate[2]) == job.passes
    return measured


@pytest.mark.parametrize("budget", [48, 16])
def test_job_lives_within_its_budget(within_memory: str, folder: Path, budget: int) -> None:
    source, target = folder / "source.npy", folder / "target.npy"
    shape = (64, 512, 512)  # 256 MiB
    write_source(source, shape)
    lives_within(within_memory, source, target, budget * MIB)
    got = np.load(target, mmap_mode="r")
    want = np.zeros(shape[1:], dtype=complex)  # the plane of the lowest frequency: a transform of the sum
    for i in range(shape[0]):
        want += noise(shape[1:], seed=i)
    assert_equal(np.asarray(got[0]), np.fft.fft2(want))


@pytest.mark.slow
@pytest.mark.parametrize("budget", [48, 16])
def test_zarr_job_lives_within_its_budget(within_memory: str, folder: Path, budget: int) -> None:
    source = folder / "source.npy"
    write_source(source, (256, 256, 256))
    lives_within(within_memory, source, folder / "target.zarr", budget * MIB)


def test_pages_move_through_the_pool_alone(folder: Path) -> None:
    source = folder / "source.npy"
    write_source(source, (64, 256, 256))  # 64 MiB
    for target, budget in ((folder / "target.npy", 15 * MIB), (folder / "target.zarr", 8 * MIB)):
        job = octavo.Job(source, target, memory=budget)
        assert job.passes >= 2
        report = run(job)
        share = report.road_bytes / source.stat().st_size
        print(f"{target.suffix}: {report.road_bytes} bytes on the roads, {share:.3%} of the array")
        assert 0 < share < 0.01


def test_report_of_a_job(folder: Path) -> None:
    source, target = folder / "source.npy", folder / "target.zarr"
    array = noise((64, 128, 128))
    np.save(source, array)
    job = octavo.Job(source, target, memory="3MiB")
    seen: list[octavo.job.Progress] = []

    def watch(now: octavo.job.Progress) -> bool:
        seen.append(now)
        return True

    report = job.run(watch)
    assert report.bytes_moved == 2 * job.passes * array.nbytes
    assert report.memory_budget == 3 * MIB
    assert report.processes == job.transforms + 2 + job.uses_scratch
    assert 0 < report.memory_peak - report.program_peak <= report.memory_budget + EACH * report.processes
    assert 0 < report.computing <= report.seconds * job.transforms
    assert report.gb_per_second == pytest.approx(report.bytes_moved / report.seconds / 1e9)
    assert [now.bytes_done for now in seen] == sorted(now.bytes_done for now in seen)
    assert {now.step for now in seen} >= set(range(1, job.passes + 1))
    assert {(now.steps, now.bytes_total) for now in seen if now.step} == {(job.passes, report.bytes_moved)}
    assert seen[-1].bytes_done == report.bytes_moved
    assert job.processes() == []
    assert_equal(read(target), np.fft.fftn(array))
