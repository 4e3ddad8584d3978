# SPDX-License-Identifier: Apache-2.0
"""Each kind of source and of target once with a budget of an eighth of the array; what the processes took is measured and held against it.

What Octavo reads and writes itself: 64 MiB with 8 MiB. What goes through a library: 256 MiB with 32 MiB, because a library's own needs
(stores.SLACK_BYTES, and several copies of a chunk) are part of the budget: with chunks of 1 MiB the least is 16 to 33 MiB, whatever the
array's size. Its interpreter (PROCESS_BYTES) comes on top, as the report's words for it say.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from formats_kit import SOURCES, TARGETS, Shape, Source, Target, layout_of, read_by_library
from kit import MIB, Array, Command
from octavo._src.stores import PROCESS_BYTES

pytestmark = pytest.mark.timeout(300)
WITHIN = Path(__file__).resolve().parents[4] / "shared" / "tools" / "within-memory"
PROGRAM, EACH = 64 * MIB, 2 * MIB  # for the interpreter of the command line, and for each C++ process
NATIVE, THROUGH_LIBRARY = (128, 128, 256), (256, 256, 256)
OFTEN = {"raw-offset", "octavo-3-circulant", "h5"}  # run by default
BY_NAME: dict[str, Source] = {each.name: each for each in SOURCES}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Emptied at the end: pytest would keep what is large here for three runs."""
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        yield Path(name)


def factors(shape: Shape) -> list[Array]:
    """A field that is a product of one function for each axis: so is its transform."""
    random = np.random.default_rng(len(shape))
    return [random.standard_normal(extent) + 1j * random.standard_normal(extent) for extent in shape]


def product(parts: list[Array], rows: slice = slice(None)) -> Array:
    return np.asarray(np.einsum("i,j,k->ijk", parts[0][rows], *parts[1:]))


def chunks_for(each: Source | Target) -> Shape:
    """1 MiB; where eight of them are a shard, less."""
    return (16, 32, 32) if "sharded" in each.name else (32, 32, 64)


def stored(folder: Path, source: Source, shape: Shape) -> tuple[Path, dict[str, Any]]:
    found = source.write(folder, product(factors(shape)), chunks_for(source))
    return found.path, found.layout


def check_values(path: Path, shape: Shape) -> None:
    """All of them, slab by slab."""
    parts = [np.fft.fft(part) for part in factors(shape)]
    largest = float(np.prod([np.abs(part).max() for part in parts]))
    by_library = read_by_library(path, shape, "complex128")
    with octavo.open_array(path, **layout_of(path, shape, "complex128")) as made:
        for begin in range(0, shape[0], 32):
            rows = slice(begin, begin + 32)
            want = product(parts, rows)
            for got in (made[rows], want if by_library is None else by_library[rows]):
                assert float(np.abs(got - want).max()) <= 1e-12 * largest


def lives_in_an_eighth(folder: Path, source: Source, target: Target, shape: Shape) -> None:
    path, layout = stored(folder, source, shape)
    made = folder / target.file
    budget = 16 * int(np.prod(shape)) // 8
    job = octavo.Job(path, made, memory=budget, **layout, **target.asked(folder, chunks_for(target)))
    servers: set[int] = set()

    def watch(now: octavo.job.Progress) -> bool:
        assert now.seconds < 240, "the job hangs"
        servers.update(pid for name, pid in job.processes() if name.rpartition("::")[2] == "StoreDevice")
        return True

    report = job.run(watch)
    taken, allowed = report.memory_peak - report.program_peak, budget + EACH * report.processes + PROCESS_BYTES * len(servers)
    print(f"{source.name} to {target.name}: {taken / MIB:.1f} of {allowed / MIB:.0f} MiB, {len(servers)} servers, {job.passes} passes, {report.seconds:.1f} s")
    assert report.memory_budget == budget
    assert bool(servers) == (source.library or target.library)
    assert 0 < taken <= allowed, job.plan
    check_values(made, shape)


def marked(kinds: Any) -> list[Any]:
    return [pytest.param(each, id=each.name, marks=() if each.name in OFTEN else pytest.mark.slow) for each in kinds]


@pytest.mark.parametrize("source", marked(each for each in SOURCES if not each.library))
def test_source_that_octavo_reads_itself(folder: Path, source: Source) -> None:
    lives_in_an_eighth(folder, source, TARGETS[0], NATIVE)


@pytest.mark.parametrize("target", marked(each for each in TARGETS if not each.library))
def test_target_that_octavo_writes_itself(folder: Path, target: Target) -> None:
    lives_in_an_eighth(folder, BY_NAME["npy"], target, NATIVE)


@pytest.mark.slow
@pytest.mark.parametrize("source", [each for each in SOURCES if each.library], ids=lambda each: each.name)
def test_source_that_a_library_reads(folder: Path, source: Source) -> None:
    lives_in_an_eighth(folder, source, TARGETS[0], THROUGH_LIBRARY)


@pytest.mark.slow
@pytest.mark.parametrize("target", [each for each in TARGETS if each.library], ids=lambda each: each.name)
def test_target_that_a_library_writes(folder: Path, target: Target) -> None:
    lives_in_an_eighth(folder, BY_NAME["npy"], target, THROUGH_LIBRARY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ending", "more", "servers"),
    [
        ("v3-zstd", "t.npy", [], 1),
        ("h5-lzf", "t.zarr", [], 1),
        ("npy", "t.zarr", ["--compress", "zstd", "--chunks", "32,32,64"], 1),
        ("npy", "t.h5", ["--compress", "gzip", "--chunks", "32,32,64"], 1),
        ("octavo-3-circulant", "t.octavo", [], 0),
    ],
)
def test_measured_from_outside(folder: Path, kind: str, ending: str, more: list[str], servers: int) -> None:
    """By a memory group of just what may be used, which holds the page cache too: the kernel would kill what takes more."""
    if not WITHIN.exists():
        pytest.skip(f"{WITHIN} is not here")
    if (tried := subprocess.run([str(WITHIN), "0", "true"], capture_output=True, text=True, check=False)).returncode != 0:
        pytest.skip(f"within-memory does not work here: {tried.stderr.strip()}")
    path, _ = stored(folder, BY_NAME[kind], THROUGH_LIBRARY)
    budget = 32 * MIB
    limit = budget + PROGRAM + EACH * 12 + PROCESS_BYTES * servers
    ended = Command(["fft", str(path), str(folder / ending), "--cores", "2", "--memory", str(budget), *more], prefix=[str(WITHIN), str(limit)]).end(280)
    assert ended.status == 0, ended.err
    processes = re.search(r"2 MiB for each of (\d+) processes", ended.out)
    assert processes, ended.out
    allowed = budget + PROGRAM + EACH * int(processes[1]) + PROCESS_BYTES * servers
    measured = json.loads(ended.err.strip().splitlines()[-1])
    print(f"{kind} to {ending}: {measured} of {allowed}")
    assert measured["peak_rss"] <= allowed
    assert (measured["oom_kills"], measured["left_running"]) == (0, 0)
    check_values(folder / ending, THROUGH_LIBRARY)
