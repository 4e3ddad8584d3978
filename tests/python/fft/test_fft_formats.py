# SPDX-License-Identifier: Apache-2.0
"""Arrays whose form is out of the ordinary: many dimensions, other chunk keys, odd names, values at the limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
import scipy.fft
from kit import assert_equal, noise, read, run, write_zarr

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(60)


@pytest.mark.parametrize("shape", [(4, 3, 2, 5, 7), (3, 2, 4, 1, 5, 6), (2, 3, 2, 3, 2, 3, 5), (2, 3, 4, 1, 2, 3, 2, 5), (1,) * 8, (1,), (2,), (65537,)])
def test_dimensions(tmp_path: Path, shape: tuple[int, ...]) -> None:
    array = noise(shape)
    write_zarr(tmp_path / "a.zarr", array, tuple(-(-extent // 2) for extent in shape))
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.zarr", memory="32MiB"))
    run(octavo.Job(tmp_path / "b.zarr", tmp_path / "c.npy", "ifft", memory="32MiB"))
    assert_equal(read(tmp_path / "b.zarr"), scipy.fft.fftn(array))
    assert_equal(read(tmp_path / "c.npy"), array)


def test_nine_dimensions_are_not_supported(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2,) * 9))
    with pytest.raises(octavo.NotSupported, match=r"8 dimensions.*reshape"):
        octavo.Job(tmp_path / "a.npy", tmp_path / "b.npy")


@pytest.mark.parametrize("keys", [{"name": "v2", "separator": "."}, {"name": "v2", "separator": "/"}, {"name": "default", "separator": "."}])
def test_chunk_keys(tmp_path: Path, keys: dict[str, Any]) -> None:
    array = noise((20, 30))
    write_zarr(tmp_path / "a.zarr", array, (8, 9), chunk_key_encoding=keys)
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.zarr"))
    assert_equal(read(tmp_path / "b.zarr"), scipy.fft.fftn(array))


def encoded(**options: Any) -> dict[str, Any]:
    """For zarr.create_array: nothing but what is named."""
    return {"shape": (30, 21), "chunks": (7, 8), "dtype": "f8", "compressors": None, "filters": None, **options}


# By Octavo itself, but for one that zarr-python reads for it.
ENCODED: dict[str, Callable[[], dict[str, Any]]] = {
    "zstd": lambda: encoded(compressors=zarr.codecs.ZstdCodec()),
    "gzip": lambda: encoded(compressors=zarr.codecs.GzipCodec()),
    "blosc, float32": lambda: encoded(compressors=zarr.codecs.BloscCodec(), dtype="f4"),
    "what zarr-python chooses": lambda: {"shape": (30, 21), "chunks": (7, 8), "dtype": "c16"},
    "sharding": lambda: encoded(shards=(14, 24)),
    "sharding and gzip, int16": lambda: encoded(shards=(14, 24), compressors=zarr.codecs.GzipCodec(), dtype="i2"),
    "transpose": lambda: encoded(filters=[zarr.codecs.TransposeCodec(order=(1, 0))]),
    "checksum": lambda: encoded(compressors=zarr.codecs.Crc32cCodec()),
    "version 2, zstd": lambda: {"shape": (30, 21), "chunks": (7, 8), "dtype": "f8", "zarr_format": 2},
    "version 2, zstd, big-endian": lambda: {"shape": (30, 21), "chunks": (7, 8), "dtype": ">f8", "zarr_format": 2},
}


@pytest.mark.parametrize("name", ENCODED)
def test_encoded_zarr(tmp_path: Path, name: str) -> None:
    stored = zarr.create_array(str(tmp_path / "a.zarr"), **ENCODED[name]())
    array = noise(stored.shape, stored.dtype.name)
    stored[:20] = array[:20]  # the last chunks are not there
    array[20:] = 0
    assert octavo.info(tmp_path / "a.zarr").native
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.npy", memory="64MiB"))
    assert_equal(read(tmp_path / "b.npy"), scipy.fft.fftn(array.astype(complex)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zarr", "b.npy"]


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [("complex128", 2 - 3j), ("complex64", 1e30 + 1j), ("float32", -1.5), ("int64", -(2**62)), ("uint64", 2**63), ("uint8", 255), ("int8", -128)],
)
@pytest.mark.parametrize("big", [False, True], ids=["little", "big"])
def test_fill_values(tmp_path: Path, dtype: str, fill: complex, big: bool) -> None:
    array = write_zarr(tmp_path / "a.zarr", noise((30, 21), dtype), (7, 8), fill=fill, missing=0.5, big=big)
    assert (array == np.dtype(dtype).type(fill)).any()
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.npy", norm="forward"))
    assert_equal(read(tmp_path / "b.npy"), scipy.fft.fftn(array.astype(complex), norm="forward"))


def test_values_that_are_not_numbers_come_through(tmp_path: Path) -> None:
    array = noise((6, 64))
    array[2, 5], array[4, 7] = np.nan, np.inf
    np.save(tmp_path / "a.npy", array)
    run(octavo.Job(tmp_path / "a.npy", tmp_path / "b.npy", axes=[1]))
    got = read(tmp_path / "b.npy")
    good = [0, 1, 3, 5]
    assert not np.isfinite(got[[2, 4]]).any()
    assert_equal(got[good], scipy.fft.fft(array[good]))


@pytest.mark.parametrize("axes", [(1.0,), ("y",), "y", (0, None), [[0]], 2**40, (0, -(2**31) - 1)])
@pytest.mark.parametrize("norm", ["backward", "ortho"])
def test_axes_that_are_no_axes_are_named(tmp_path: Path, axes: Any, norm: str) -> None:
    np.save(tmp_path / "a.npy", noise((3, 4)))
    for work in (octavo.fft.fftn, octavo.fft.ifftn):
        with pytest.raises(octavo.UsageError, match=r"axes .* of '.*a.npy' is (not made of integers|out of range)\. Give"):
            work(tmp_path / "a.npy", axes=axes, norm=norm, out=tmp_path / "b.npy")
    assert not (tmp_path / "b.npy").exists()


def test_s_without_extents_and_one_axis_are_taken_as_numpy_and_scipy_do(tmp_path: Path) -> None:
    array = noise((3, 4), "float32")
    np.save(tmp_path / "a.npy", array)
    none = octavo.fft.ifftn(tmp_path / "a.npy", s=(), norm="ortho", out=tmp_path / "b.zarr")[...]
    np.testing.assert_array_equal(none, array.astype("complex64"), strict=True)
    assert_equal(octavo.fft.fftn(tmp_path / "a.npy", axes=-1, out=tmp_path / "c.zarr")[...], scipy.fft.fft(array.astype(complex)))


def test_odd_names_and_links(tmp_path: Path) -> None:
    folder = tmp_path / "été 'quoted' \"twice\" %s\n"
    folder.mkdir()
    array = noise((12, 10))
    np.save(folder / "a b.npy", array)
    (tmp_path / "link.npy").symlink_to(folder / "a b.npy")
    (tmp_path / "place").symlink_to(folder)
    run(octavo.Job(tmp_path / "link.npy", tmp_path / "place" / "ω.zarr"))
    assert_equal(read(folder / "ω.zarr"), scipy.fft.fftn(array))
    assert sorted(path.name for path in folder.iterdir()) == ["a b.npy", "ω.zarr"]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_npy(tmp_path: Path, version: tuple[int, int]) -> None:
    array = noise((9, 14), "float32")
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, array, version=version)
    run(octavo.Job(tmp_path / "a.npy", tmp_path / "b.npy"))
    got = read(tmp_path / "b.npy")
    assert got.dtype == np.complex64
    assert_equal(got, scipy.fft.fftn(array.astype(complex)))


def test_extents_with_large_primes(tmp_path: Path) -> None:
    array = noise((1009, 521))
    write_zarr(tmp_path / "a.zarr", array, (100, 521))
    job = octavo.Job(tmp_path / "a.zarr", tmp_path / "b.npy", memory="2MiB")
    assert job.passes >= 2
    run(job)
    assert_equal(read(tmp_path / "b.npy"), scipy.fft.fftn(array))
