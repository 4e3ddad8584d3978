# SPDX-License-Identifier: Apache-2.0
"""The arrays that the tests of stores are run on: made by the libraries themselves, as their users make them."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from octavo._src.stores import open_store
from octavo._src.stores.contract import Store

Array = npt.NDArray[Any]
SHAPE, CHUNK, SHARD = (13, 10, 7), (4, 3, 5), (8, 6, 5)


@dataclass(frozen=True)
class Kind:
    """One way to store an array. `make` returns the spec of an array of SHAPE; `direct` reads it without Octavo."""

    name: str
    make: Callable[[Path, str], dict[str, Any]]
    write_chunk: tuple[int, ...] = CHUNK
    read_chunk: tuple[int, ...] = CHUNK


def zarr_kind(name: str, shards: tuple[int, ...] | None = None, **how: Any) -> Kind:
    """`how`: arguments of zarr.create_array, called when the array is made."""

    def make(folder: Path, dtype: str) -> dict[str, Any]:
        zarr = pytest.importorskip("zarr")
        path = str(folder / f"{name}.zarr")
        options = {key: value() if callable(value) else value for key, value in how.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zarr.create_array(path, shape=SHAPE, chunks=CHUNK, dtype=dtype, shards=shards, **options)
        return {"kind": "zarr", "path": path}

    return Kind(name, make, shards or CHUNK)


def hdf5_kind(name: str, chunks: tuple[int, ...] | None = CHUNK, **how: Any) -> Kind:
    """`how`: arguments of h5py's create_dataset."""

    def make(folder: Path, dtype: str) -> dict[str, Any]:
        h5py = pytest.importorskip("h5py")
        path = folder / f"{name}.h5"
        with h5py.File(path, "w") as file:
            file.create_dataset("group/data", SHAPE, dtype, chunks=chunks, **how)
        return {"kind": "hdf5", "path": f"{path}/group/data"}

    return Kind(name, make, chunks or SHAPE, chunks or SHAPE)


def memory_kind(name: str, shards: tuple[int, ...] | None = None) -> Kind:
    return Kind(name, lambda _, dtype: {"kind": "memory", "shape": SHAPE, "chunk": CHUNK, "shard": shards, "dtype": dtype}, shards or CHUNK)


def codec(name: str, **options: Any) -> Callable[[], Any]:
    """A codec of zarr-python, made when it is needed."""
    return lambda: getattr(pytest.importorskip("zarr").codecs, name)(**options)


def filter_v2(name: str, **options: Any) -> Callable[[], Any]:
    """A codec of numcodecs, for v2."""
    return lambda: getattr(pytest.importorskip("numcodecs"), name)(**options)


def several(*makers: Callable[[], Any]) -> Callable[[], list[Any]]:
    return lambda: [maker() for maker in makers]


KINDS = [
    *(zarr_kind(f"v2-{name.lower()}", zarr_format=2, compressors=filter_v2(name)) for name in ("Zstd", "GZip", "Blosc", "LZ4", "Zlib", "BZ2", "LZMA")),
    zarr_kind("v2-none", zarr_format=2, compressors=None),
    zarr_kind("v2-F", zarr_format=2, order="F", compressors=filter_v2("Zstd")),
    zarr_kind("v2-F-none-big", zarr_format=2, order="F", compressors=None),
    zarr_kind("v2-shuffle", zarr_format=2, filters=several(filter_v2("Shuffle", elementsize=8)), compressors=filter_v2("Zlib")),
    zarr_kind("v3-zstd", compressors=codec("ZstdCodec")),
    zarr_kind("v3-gzip", compressors=codec("GzipCodec")),
    zarr_kind("v3-blosc", compressors=codec("BloscCodec", cname="lz4")),
    zarr_kind("v3-crc", compressors=several(codec("ZstdCodec"), codec("Crc32cCodec"))),
    zarr_kind("v3-big", serializer=codec("BytesCodec", endian="big"), compressors=codec("ZstdCodec")),
    zarr_kind("v3-transpose", filters=several(codec("TransposeCodec", order=(2, 0, 1))), compressors=codec("ZstdCodec")),
    zarr_kind("v3-shards", SHARD, compressors=codec("ZstdCodec")),
    zarr_kind("v3-shards-none", SHARD, compressors=None),
    zarr_kind("v3-shards-transpose", SHARD, filters=several(codec("TransposeCodec", order=(2, 0, 1))), compressors=codec("GzipCodec")),
    hdf5_kind("h5-contiguous", None),
    hdf5_kind("h5-chunked"),
    hdf5_kind("h5-gzip", compression="gzip", shuffle=True, fletcher32=True),
    hdf5_kind("h5-lzf", compression="lzf"),
    memory_kind("memory"),
    memory_kind("memory-shards", SHARD),
]


def direct(spec: dict[str, Any]) -> Array | None:
    """The whole array by the library itself; None if there is no library."""
    if spec["kind"] == "zarr":
        return np.asarray(pytest.importorskip("zarr").open_array(spec["path"], mode="r")[...])
    if spec["kind"] == "hdf5":
        file, _, name = spec["path"].partition(".h5/")
        with pytest.importorskip("h5py").File(file + ".h5", "r") as opened:
            return np.asarray(opened[name][...])
    return None


@contextlib.contextmanager
def opened(spec: dict[str, Any], writable: bool = True) -> Iterator[Store]:
    """The store, closed at the end."""
    store = open_store(spec, writable)
    try:
        yield store
    finally:
        store.close()


def values(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Array:
    """Numbers that all of Octavo's types hold exactly, and complex ones."""
    random = np.random.default_rng(seed)
    found = random.integers(0, 100, shape).astype(dtype)
    if found.dtype.kind == "c":
        found += 1j * random.integers(0, 100, shape)
    return found
