# SPDX-License-Identifier: Apache-2.0
"""octavo.buffered beside NumPy: the same elements, whatever is read and written in which order, within little memory, over every format."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

SHAPE, CHUNKS = (60, 45), (16, 16)
FORMATS: dict[str, dict[str, Any]] = {
    "a.raw": {},
    "a.npy": {},
    "a.zarr": {"chunks": CHUNKS},
    "packed.zarr": {"chunks": CHUNKS, "compressor": "zstd"},
    "sharded.zarr": {"chunks": CHUNKS, "shards": (32, 32), "compressor": "zstd"},
    "a.octavo": {"chunks": CHUNKS},
    "a.h5": {"chunks": CHUNKS, "compressor": "gzip"},
    "plain.h5": {},
}
RAW = {"shape": SHAPE, "dtype": "float32"}


def options(path: Path) -> dict[str, Any]:
    return RAW if path.suffix == ".raw" else {}


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An array of zeros."""
    if "h5" in request.param:
        pytest.importorskip("h5py")
    made = tmp_path / request.param
    octavo.create_array(made, SHAPE, "float32", **FORMATS[request.param]).close()
    return made


def random_index(random: np.random.Generator) -> Any:
    def along(size: int) -> Any:
        lo, hi = sorted(random.integers(0, size + 1, 2).tolist())
        return [int(random.integers(-size, size)), slice(lo, hi), slice(lo, hi, int(random.integers(1, 4))), slice(None, None, -1)][random.integers(4)]

    return tuple(along(size) for size in SHAPE[: random.integers(1, 3)])


def test_ba1_ba2_random_slices_are_numpys_and_stay(path: Path) -> None:
    random = np.random.default_rng(36)
    model = np.zeros(SHAPE, "float32")
    block = {} if path.stem == "packed" or path.suffix == ".h5" else {"block": (7, 9)}
    with octavo.buffered(path, mode="r+", memory="64KiB", **block, **options(path)) as u:
        for step in range(300 if block else 60):  # of a compressed chunk each part that was written is decoded and encoded
            index = random_index(random)
            if random.integers(2):
                np.testing.assert_array_equal(u[index], model[index], strict=True)
            else:
                value = random.random(model[index].shape, "float32")
                model[index] = value
                u[index] = value
            if step % 50 == 49:
                u.writeback()
                if random.integers(2):
                    u.invalidate()
        np.testing.assert_array_equal(u[...], model)
        np.testing.assert_allclose(u.sum(), model.sum(dtype="float64"), rtol=1e-6)
    with octavo.open_array(path, **options(path)) as a:
        np.testing.assert_array_equal(a[...], model)


def test_ba3_invalidate_refuses_what_was_not_written_back(path: Path) -> None:
    with octavo.buffered(path, mode="r+", **options(path)) as u:
        u[3, :5] = 1
        assert u.dirty_elements == 5
        with pytest.raises(octavo.UsageError, match="5 elements"):
            u.invalidate()
        u.invalidate(discard=True)
        assert u[3, 0] == 0


def test_ba3_sync_is_writeback_barrier_invalidate_barrier(tmp_path: Path) -> None:
    done: list[str] = []

    class Member:
        def barrier(self) -> None:
            done.append(f"barrier with {u.dirty_elements} dirty, {u.counters().found} found")

    with octavo.buffered(tmp_path / "u.npy", mode="w", shape=10, dtype="int32") as u:
        u[2] = 5
        u.sync(Member())
        assert len(done) == 2 and all("with 0 dirty" in each for each in done)
        with octavo.buffered(tmp_path / "u.npy") as other:
            assert other[2] == 5


def test_arithmetic_in_place_is_numpys(tmp_path: Path) -> None:
    model = np.arange(30.0).reshape(5, 6)
    np.save(tmp_path / "u.npy", model)
    with octavo.buffered(tmp_path / "u.npy", mode="r+", block=(2, 4)) as u:
        u += 3
        u *= np.arange(6)
        u -= u
        u += model
        u /= 2
        np.testing.assert_array_equal(u[...], model / 2)
        with pytest.raises(octavo.UsageError, match=r"shape \(5, 3\)"):
            u += octavo.buffered(None, shape=(5, 3), dtype="float64")


def test_ba4_counters_say_what_was_done_and_memory_is_bounded(tmp_path: Path) -> None:
    with octavo.buffered(tmp_path / "u.raw", mode="w", shape=1 << 20, dtype="float32", memory="128KiB") as u:
        u[...] = 1
        assert u.sum() == 1 << 20
        u.writeback()
        seen = u.counters()
        assert seen.buffers * seen.block_bytes <= 128 << 10
        assert seen.bytes_written == 4 << 20 and seen.bytes_read >= 3 << 20 and seen.read_ahead > 0
        assert f"{seen.read_ahead} ahead" in str(seen)
    with pytest.raises(octavo.Refused, match="64 KiB"):
        octavo.buffered(tmp_path / "u.raw", shape=1 << 20, dtype="float32", memory="60KiB")


def test_ba4_a_chunk_that_does_not_fit_is_refused_at_once(tmp_path: Path) -> None:
    octavo.create_array(tmp_path / "u.zarr", (512, 512), "float64", chunks=(512, 512), compressor="zstd").close()
    with pytest.raises(octavo.Refused, match="Give memory at least 2"):
        octavo.buffered(tmp_path / "u.zarr", memory="1MiB")


def test_a_compressed_array_has_one_writer(tmp_path: Path) -> None:
    octavo.create_array(tmp_path / "u.zarr", (64,), "int32", chunks=(32,), compressor="zstd").close()
    with octavo.buffered(tmp_path / "u.zarr", mode="r+") as u:
        u[0] = 1
        with pytest.raises(octavo.Refused, match=r"u\.zarr' is compressed, and open for writing elsewhere"):
            octavo.buffered(tmp_path / "u.zarr", mode="r+")
        octavo.buffered(tmp_path / "u.zarr").close()
    with octavo.buffered(tmp_path / "u.zarr", mode="r+") as u:
        assert u[0] == 1


def _write_rows(path: Path, first: int, rounds: int, barrier: Any) -> None:
    with octavo.buffered(path, mode="r+", memory="64KiB", **options(path)) as u:
        for number in range(1, rounds + 1):
            u[first::2] = number * 100 + first
            u.writeback()
            barrier.wait(60)
            u.invalidate()
            assert (u[1 - first :: 2] == number * 100 + 1 - first).all(), number
            barrier.wait(60)


@pytest.mark.parametrize("name", ["a.raw", "a.npy", "a.zarr", "a.octavo"])
def test_ba2_two_processes_that_write_interleaved_rows_lose_nothing(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    octavo.create_array(path, SHAPE, "float32", **FORMATS[name]).close()
    with_spawn = multiprocessing.get_context("spawn")
    barrier = with_spawn.Barrier(2)
    workers = [with_spawn.Process(target=_write_rows, args=(path, first, 20, barrier)) for first in (0, 1)]
    for each in workers:
        each.start()
    for each in workers:
        each.join(120)
    assert [each.exitcode for each in workers] == [0, 0]


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(octavo.UsageError, match="without shape"):
        octavo.buffered(None, dtype="int32")
    with pytest.raises(octavo.UsageError, match="mode 'a'"):
        octavo.buffered(tmp_path / "u.npy", mode="a")  # type: ignore[arg-type]
    with pytest.raises(octavo.UsageError, match="no option 'momery'"):
        octavo.buffered(tmp_path / "u.npy", momery=1)  # type: ignore[call-arg]
    np.save(tmp_path / "u.npy", np.zeros(5))
    with octavo.buffered(tmp_path / "u.npy") as u:
        with pytest.raises(octavo.UsageError, match=r"opened for reading.*octavo\.buffered\(path, mode='r\+'\)"):
            u[0] = 1
        with pytest.raises(octavo.UsageError, match=r"halo of .* Give a smaller one"):
            u.blocks(halo=6, boundary="periodic")
        with pytest.raises(octavo.UsageError, match="boundary 'mirror'"):
            u.blocks(halo=1, boundary="mirror")  # type: ignore[arg-type]
        assert repr(u).startswith("<octavo.BufferedArray '")
    with pytest.raises(octavo.UsageError, match=r"closed.*octavo\.buffered$"):
        u[0]
    with pytest.raises(octavo.UsageError, match=r"in memory.*numpy\.save it and give that path"):
        octavo.buffered(np.zeros(3))


def test_a_pickle_opens_it_again_with_what_was_written(tmp_path: Path) -> None:
    with octavo.buffered(tmp_path / "u.npy", mode="w", shape=8, dtype="int16") as u:
        u[3] = 9
        with pickle.loads(pickle.dumps(u)) as again:
            assert again[3] == 9 and isinstance(again, octavo.BufferedArray)
    with octavo.buffered(None, shape=8, dtype="int16") as scratch, pytest.raises(octavo.UsageError, match="scratch"):
        pickle.dumps(scratch)


def test_packed_values_are_read_as_by_open_array(tmp_path: Path) -> None:
    attributes = {"scale_factor": 0.5, "add_offset": 10.0}
    with octavo.create_array(tmp_path / "u.zarr", 100, "int16", chunks=10, attrs=attributes) as made:
        made[...] = np.arange(100)
    with octavo.buffered(tmp_path / "u.zarr", unpack=True) as u:
        np.testing.assert_array_equal(u[[5, 99, 0]], [12.5, 59.5, 10.0])
        assert u.mean() == 10 + 0.5 * 49.5
    with octavo.buffered(tmp_path / "u.zarr") as u:
        assert u[5] == 5
        with pytest.raises(octavo.UsageError, match="packed"):
            u.mean()
    with pytest.raises(octavo.UsageError, match="unpack"):
        octavo.buffered(tmp_path / "u.zarr", mode="r+", unpack=True)


def test_over_an_array_of_devices(tmp_path: Path) -> None:
    with octavo.Runtime(memory="32MiB"):
        devices = [octavo.process.make(octavo.devices.PageFile, str(tmp_path / f"p{i}"), 8, (4, 4), "int32") for i in range(2)]
        a = octavo.devices.array_of((16, 16), (4, 4), "int32", devices)
        a[...] = 0
        with octavo.buffered(a, mode="r+") as u:
            u[3:9, 2] = 5
            u.writeback()
            assert (a[3:9, 2] == 5).all()
