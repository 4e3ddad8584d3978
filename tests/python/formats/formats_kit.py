# SPDX-License-Identifier: Apache-2.0
"""Every kind of array that Octavo reads (made by the format's own library, as its users make them) and every kind that it writes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from kit import MIB, Array, least_memory
from octavo import _core

Shape = tuple[int, ...]
MAPS = ("circulant", "block_cyclic")


@dataclass(frozen=True)
class Stored:
    """An array on disk. ``layout``: what has to be said of a raw file."""

    path: Path
    layout: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """``write(folder, array, chunks)`` stores the array. ``library``: whether Octavo reads it through another library."""

    name: str
    write: Callable[[Path, Array, Shape], Stored]
    library: bool = False


@dataclass(frozen=True)
class Target:
    """``name`` of the file or directory, and what octavo.Job needs besides; ``chunked``: whether it may be told the chunks."""

    name: str
    file: str
    options: dict[str, Any] = field(default_factory=dict)
    devices: int = 0
    sharded: bool = False
    chunked: bool = True
    library: bool = False

    def asked(self, folder: Path, chunks: Shape) -> dict[str, Any]:
        """Arguments of octavo.Job: these chunks, devices in ``folder``."""
        found = dict(self.options)
        if self.chunked:
            found["chunks"] = chunks
        if self.sharded:
            found["shards"] = tuple(2 * chunk for chunk in chunks)
        if self.devices:
            found["devices"] = directories(folder, self.devices)
        return found


def directories(folder: Path, count: int) -> list[Path]:
    """That many, as if each were a disk."""
    made = [folder / f"disk{i}" for i in range(count)]
    for each in made:
        each.mkdir(parents=True, exist_ok=True)
    return made


def _zarr(name: str, sharded: bool = False, library: bool = True, **how: Any) -> Source:
    """``how``: arguments of zarr.create_array; functions get the array."""

    def write(folder: Path, array: Array, chunks: Shape) -> Stored:
        zarr = pytest.importorskip("zarr")
        options = {key: value(array) if callable(value) else value for key, value in how.items()}
        if sharded:
            options["shards"] = tuple(2 * chunk for chunk in chunks)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = zarr.create_array(str(folder / "source.zarr"), shape=array.shape, chunks=chunks, **{"dtype": array.dtype, **options})
        made[...] = array
        return Stored(folder / "source.zarr")

    return Source(name, write, library)


def _codec(name: str, **options: Any) -> Callable[[Array], Any]:
    return lambda _: getattr(pytest.importorskip("zarr").codecs, name)(**options)


def _numcodec(name: str, **options: Any) -> Callable[[Array], Any]:
    return lambda _: getattr(pytest.importorskip("numcodecs"), name)(**options)


def _transpose(array: Array) -> Any:
    return [pytest.importorskip("zarr").codecs.TransposeCodec(order=tuple(reversed(range(array.ndim))))]


def _shuffle(array: Array) -> Any:
    return [pytest.importorskip("numcodecs").Shuffle(elementsize=array.dtype.itemsize)]


def _big_bytes(array: Array) -> Any:
    return pytest.importorskip("zarr").codecs.BytesCodec(endian="big" if array.dtype.itemsize > 1 else None)


def _big_type(array: Array) -> Any:
    return array.dtype.newbyteorder(">")


def _hdf5(name: str, chunked: bool, big: bool = False, **how: Any) -> Source:
    """``how``: arguments of h5py's create_dataset."""

    def write(folder: Path, array: Array, chunks: Shape) -> Stored:
        h5py = pytest.importorskip("h5py")
        cut = tuple(map(min, chunks, array.shape)) if chunked else None
        with h5py.File(folder / "source.h5", "w") as file:
            file.create_dataset("gas/density", data=array, dtype=_big_type(array) if big else array.dtype, chunks=cut, **how)
        return Stored(folder / "source.h5" / "gas" / "density")

    return Source(name, write, how.get("compression") == "lzf")


def _npy(big: bool) -> Source:
    def write(folder: Path, array: Array, _: Shape) -> Stored:
        np.save(folder / "source.npy", array.astype(_big_type(array)) if big else array)
        return Stored(folder / "source.npy")

    return Source("npy-big" if big else "npy", write)


def _raw(folder: Path, array: Array, _: Shape) -> Stored:
    path = folder / "source.dat"
    path.write_bytes(b"a header" * 5 + b"odd" + array.astype(_big_type(array)).tobytes())
    return Stored(path, {"shape": array.shape, "dtype": array.dtype.name, "offset": 43, "big_endian": True})


def _octavo(devices: int, map: str) -> Source:
    def write(folder: Path, array: Array, chunks: Shape) -> Stored:
        path = folder / "source.octavo"
        with octavo.create_array(path, array.shape, array.dtype, chunks=chunks, devices=directories(folder, devices), map=map) as made:
            made[...] = array
        return Stored(path)

    return Source(f"octavo-{devices}-{map}", write)


SOURCES: Sequence[Source] = (
    _zarr("v3-plain", library=False, compressors=None, filters=None),
    _zarr("v3-zstd", library=False, compressors=_codec("ZstdCodec")),
    _zarr("v3-gzip", library=False, compressors=_codec("GzipCodec", level=1)),
    _zarr("v3-blosc", library=False, compressors=_codec("BloscCodec", cname="lz4")),
    _zarr("v3-sharded", sharded=True, library=False, compressors=None),
    _zarr("v3-sharded-zstd", sharded=True, library=False, compressors=_codec("ZstdCodec")),
    _zarr("v3-transpose", library=False, filters=_transpose, compressors=None),
    _zarr("v3-big", library=False, serializer=_big_bytes, compressors=None, filters=None),
    _zarr("v2-plain", library=False, zarr_format=2, compressors=None, filters=None),
    _zarr("v2-blosc", library=False, zarr_format=2, compressors=_numcodec("Blosc")),
    _zarr("v2-zlib-shuffle", zarr_format=2, filters=_shuffle, compressors=_numcodec("Zlib", level=1)),
    _zarr("v2-F", library=False, zarr_format=2, order="F", compressors=None, filters=None),
    _zarr("v2-big-zstd", library=False, zarr_format=2, dtype=_big_type, compressors=_numcodec("Zstd")),
    _hdf5("h5-contiguous", False),
    _hdf5("h5-chunked", True),
    _hdf5("h5-gzip-shuffle", True, compression="gzip", compression_opts=1, shuffle=True),
    _hdf5("h5-lzf", True, compression="lzf"),
    _hdf5("h5-big", False, big=True),
    _hdf5("h5-big-chunked", True, big=True),
    _npy(False),
    _npy(True),
    Source("raw-offset", _raw),
    *(_octavo(devices, map) for devices in (1, 3) for map in MAPS),
)

TARGETS: Sequence[Target] = (
    Target("v3", "t.zarr"),
    Target("v2", "t.zarr", {"zarr_format": 2}),
    Target("v3-zstd", "t.zarr", {"compressor": "zstd"}),
    Target("v3-blosc", "t.zarr", {"compressor": "blosc", "level": 1}),
    Target("v2-gzip", "t.zarr", {"compressor": "gzip", "level": 1, "zarr_format": 2}),
    Target("v2-lz4", "t.zarr", {"compressor": "lz4", "zarr_format": 2}),
    Target("v3-sharded", "t.zarr", {}, sharded=True),
    Target("v3-sharded-zstd", "t.zarr", {"compressor": "zstd"}, sharded=True),
    Target("h5", "t.h5", chunked=False),
    Target("h5-chunked", "t.h5/gas/density", library=True),
    Target("h5-gzip", "t.h5", {"compressor": "gzip", "level": 1}, library=True),
    Target("npy", "t.npy", chunked=False),
    Target("raw", "t.raw", chunked=False),
    *(Target(f"octavo-{devices}-{map}", "t.octavo", {"map": map}, devices) for devices in (1, 3) for map in MAPS),
)


def read_by_library(path: Path, shape: Shape, dtype: str) -> Array | None:
    """All of it by the format's own library; None for an Octavo array, which only Octavo reads."""
    whole = str(path)
    if ".h5" in whole:
        file, _, name = whole.partition(".h5")
        with pytest.importorskip("h5py").File(file + ".h5", "r") as opened:
            return np.asarray(opened[name.strip("/") or "data"][...])
    if path.suffix == ".zarr":
        return np.asarray(pytest.importorskip("zarr").open_array(whole, mode="r")[...])
    if path.suffix == ".npy":
        return np.asarray(np.load(path))
    return np.fromfile(path, dtype).reshape(shape) if path.suffix == ".raw" else None


def layout_of(path: Path, shape: Shape, dtype: str) -> dict[str, Any]:
    """What octavo.open_array has to be told of a target: all, if it is raw."""
    return {"shape": shape, "dtype": dtype} if path.suffix == ".raw" else {}


def is_built(codec: str) -> bool:
    """Whether this build has the codec that octavo.info calls so; what it has not is read through zarr-python."""
    name = codec.split()[0]
    return not {name, f"numcodecs.{name}"}.isdisjoint(_core.native_codecs())


def accepted(memory: int, make: Callable[[int], octavo.Job]) -> tuple[octavo.Job, int]:
    """The job with this budget, or with the least that it says would do. Chunks may be chosen by the budget, so the least can move."""
    for _ in range(12):
        try:
            return make(memory), memory
        except octavo.Refused as refusal:
            if "a chunk of the" in str(refusal):  # this one does not say how much would do
                memory = max(2 * memory, 4 * MIB)
                continue
            least = least_memory(str(refusal))
            assert least > memory, f"{memory} bytes are refused, and {least} would do: {refusal}"
            memory = least
    raise AssertionError(f"the least that would do is refused again and again, at last {memory}")


def least_accepted(make: Callable[[int], octavo.Job]) -> int:
    """The least budget, to a 16th of it where a chunk is in the way, which does not say how much would do."""
    least, refused = accepted(1, make)[1], 1
    while least - refused > least // 16:
        tried = accepted((least + refused) // 2, make)[1]
        if tried >= least:
            break
        if tried > (least + refused) // 2:
            return tried
        least = tried
    return least


def cut(shape: Shape, parts: Sequence[int]) -> Shape:
    """Chunks that cut each axis in about so many parts."""
    return tuple(max(1, math.ceil(extent / count)) for extent, count in zip(shape, parts, strict=True))
