# SPDX-License-Identifier: Apache-2.0
"""Several things of one program at once: arrays beside each other, an array while a job runs, jobs in threads. None waits for another for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import octavo
import pytest
from formats_kit import SOURCES, directories
from kit import MIB, Array, assert_equal, noise, read, run

pytestmark = pytest.mark.timeout(90)
SHAPE, CHUNKS = (96, 80, 33), (32, 27, 33)  # 4 MiB
NAMED = {each.name: each for each in SOURCES}
KINDS = ("v3-plain", "v3-sharded-zstd", "h5-gzip-shuffle", "octavo-3-circulant")


def stored(folder: Path, kind: str, array: Array) -> Path:
    (folder / kind).mkdir()
    return NAMED[kind].write(folder / kind, array, CHUNKS).path


def test_arrays_of_all_kinds_beside_each_other(tmp_path: Path) -> None:
    arrays = {kind: noise(SHAPE, "float64", number) for number, kind in enumerate(KINDS)}
    opened = {kind: octavo.open_array(stored(tmp_path, kind, array), mode="r+") for kind, array in arrays.items()}
    for kind, array in arrays.items():
        for other, values in arrays.items():
            if other != kind:
                opened[kind][5:40, ::3] = opened[other][5:40, ::3]
                array[5:40, ::3] = values[5:40, ::3]
    opened["h5-gzip-shuffle"][...] = opened["octavo-3-circulant"]
    arrays["h5-gzip-shuffle"] = arrays["octavo-3-circulant"]
    for kind, each in opened.items():
        np.testing.assert_array_equal(each[...], arrays[kind], strict=True)
    for kind in reversed(KINDS):
        opened[kind].close()


@pytest.mark.parametrize("kind", KINDS)
def test_one_array_opened_twice(tmp_path: Path, kind: str) -> None:
    array = noise(SHAPE, "float64")
    path = stored(tmp_path, kind, array)
    with octavo.open_array(path) as first, octavo.open_array(path) as second:
        np.testing.assert_array_equal(first[10:50, 3], second[10:50, 3], strict=True)
        first.close()
        np.testing.assert_array_equal(second[...], array, strict=True)


@pytest.mark.parametrize("kind", KINDS)
def test_an_array_is_read_and_written_while_a_job_runs(tmp_path: Path, kind: str) -> None:
    """Within the job's own watch: the program has both at once."""
    array = noise(SHAPE, "complex128")
    source, other = stored(tmp_path, kind, array), noise(SHAPE, "complex128", 1)
    (tmp_path / "other").mkdir()
    rounds = 0
    with octavo.open_array(stored(tmp_path / "other", kind, other), mode="r+") as beside, octavo.open_array(source) as same:
        job = octavo.Job(source, tmp_path / "t.npy", memory=48 * MIB)

        def watch(now: octavo.job.Progress) -> bool:
            nonlocal rounds
            assert now.seconds < 60, "the job hangs"
            np.testing.assert_array_equal(same[rounds % SHAPE[0]], array[rounds % SHAPE[0]])
            beside[rounds % SHAPE[0]] = rounds
            other[rounds % SHAPE[0]] = rounds
            np.testing.assert_array_equal(beside[rounds % SHAPE[0] :, :5], other[rounds % SHAPE[0] :, :5])
            rounds += 1
            return True

        job.run(watch)
        assert rounds > 0
        np.testing.assert_array_equal(beside[...], other, strict=True)
    assert_equal(read(tmp_path / "t.npy"), np.fft.fftn(array))


def in_threads(*works: Callable[[], None]) -> None:
    """All begin at the same time; the first failure is raised."""
    gate = threading.Barrier(len(works), timeout=20)

    def one(work: Callable[[], None]) -> None:
        gate.wait()
        work()

    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(one, work) for work in works]:
            done.result(80)


def transforms(folder: Path, number: int, kind: str, target: str, **asked: object) -> Callable[[], None]:
    """A job of its own, checked."""
    here = folder / f"job{number}"
    here.mkdir()
    array = noise(SHAPE, "complex128", number)
    source = stored(here, kind, array)

    def work() -> None:
        job = octavo.Job(source, here / target, memory=64 * MIB, **asked)  # type: ignore[arg-type]
        run(job)
        with octavo.open_array(here / target) as made:
            assert_equal(made[...], np.fft.fftn(array))
        assert job.processes() == []

    return work


def test_two_jobs_in_two_threads(tmp_path: Path) -> None:
    in_threads(transforms(tmp_path, 1, "v3-plain", "t.npy"), transforms(tmp_path, 2, "octavo-3-circulant", "t.zarr"))


def test_two_jobs_through_libraries_in_two_threads(tmp_path: Path) -> None:
    in_threads(
        transforms(tmp_path, 1, "v3-sharded-zstd", "t.h5", compressor="gzip", level=1, chunks=CHUNKS),
        transforms(tmp_path, 2, "h5-gzip-shuffle", "t.zarr", compressor="zstd", chunks=CHUNKS),
    )


def test_many_jobs_one_after_the_other_in_four_threads(tmp_path: Path) -> None:
    """Some end while others begin."""
    works = [transforms(tmp_path, number, ("v3-plain", "octavo-3-circulant")[number % 2], ("t.npy", "t.zarr")[number // 2 % 2]) for number in range(8)]

    def several(first: int) -> Callable[[], None]:
        def work() -> None:
            for each in works[first::4]:
                each()

        return work

    in_threads(*(several(first) for first in range(4)))


def test_an_array_used_by_several_threads(tmp_path: Path) -> None:
    array = noise(SHAPE, "float64")
    with octavo.create_array(tmp_path / "a.octavo", SHAPE, "float64", chunks=CHUNKS, devices=directories(tmp_path, 3)) as made:

        def part(first: int) -> Callable[[], None]:
            def work() -> None:
                for i in range(first, SHAPE[0], 4):
                    made[i] = array[i]
                    np.testing.assert_array_equal(made[i], array[i])

            return work

        in_threads(*(part(first) for first in range(4)))
        np.testing.assert_array_equal(made[...], array, strict=True)


def test_a_job_that_fails_leaves_the_others_alone(tmp_path: Path) -> None:
    def fails(_: octavo.job.Progress) -> bool:
        raise LookupError("mine")

    def stops() -> None:
        np.save(tmp_path / "s.npy", noise(SHAPE))
        with pytest.raises(LookupError, match="mine"):
            octavo.Job(tmp_path / "s.npy", tmp_path / "s.zarr", memory=16 * MIB).run(fails)

    with octavo.open_array(stored(tmp_path, "v3-sharded-zstd", noise(SHAPE, "float64"))) as beside:
        np.testing.assert_array_equal(beside[3], noise(SHAPE, "float64")[3])
        in_threads(stops, transforms(tmp_path, 1, "v3-plain", "t.npy"))
        np.testing.assert_array_equal(beside[...], noise(SHAPE, "float64"), strict=True)
    directory = sorted(entry.name for entry in tmp_path.iterdir())
    assert "s.zarr" not in directory
    assert list(Path(directories(tmp_path, 1)[0]).iterdir()) == []
