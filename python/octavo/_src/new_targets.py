# SPDX-License-Identifier: Apache-2.0
"""How a new array is made, by a job or by create_array: its format and chunks, and which library makes it."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from octavo import _core
from octavo._src import sources
from octavo._src.coordinates import Coordinate
from octavo._src.groups.membership import check_group, is_member
from octavo._src.paths import is_array_name, is_directory
from octavo._src.validation import TargetSpec
from octavo.errors import Error, NotSupported, UsageError

Ints = Sequence[int]
_ONE_BLOCK = tuple(ending for each in _core.formats() if each.one_block for ending in each.endings)
# Path, shape, chunk, dtype, attributes, dimension names and fill value as JSON.
Make = Callable[[str, list[int], list[int], str, str, str, str], _core.Storage]


@dataclass(frozen=True)
class Contents:
    """What the new array is to hold. ``source_chunk``: what its chunks may be taken over from. ``filled``: elements that nobody writes are to be
    read, too: it is no job that makes it. ``coordinates``: what an HDF5 file holds beside the array. ``typed``: attributes as an
    HDF5 source has them, with their types."""

    shape: Ints
    dtype: str
    source_chunk: Ints
    filled: bool = False
    coordinates: Sequence[Coordinate] = ()
    typed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Making:
    """How a target is made: ``file`` is the file or directory; ``unit_bytes`` what its library takes to write a chunk."""

    file: str
    format: str | None = None
    chunks: Ints | None = None
    unit_bytes: int = 0
    creates_zarr: bool = False
    make: Make | None = None
    encoded: bool = False  # by Octavo itself

    def options(self, target: TargetSpec) -> _core.TargetOptions:
        """For a job."""
        made = _core.TargetOptions()
        if self.format is not None:
            made.format = self.format
        if self.chunks is not None:
            made.chunks = list(self.chunks)
        made.devices, made.map = list(target.devices), target.map
        made.zarr_version = target.zarr_format
        if self.encoded:
            encode(made, target)
        made.unit_bytes, made.creates_zarr, made.create = self.unit_bytes, self.creates_zarr, self.make
        return made


def making(target: TargetSpec, contents: Contents, memory: int, overwrite: bool) -> Making:
    """Decides it; raises what cannot be made. ``memory``: what chunks are chosen by. ``overwrite``: what is there is to be replaced. An array with a
    name is there already, and is written where it is."""
    if is_array_name(target.path):
        _check_nothing_wanted(target)
        return Making(target.path)
    hdf5 = hdf5_target(target.path)
    member = hdf5 is None and is_member(target.path)
    check_group(target.path)
    if hdf5 is not None:
        return _in_hdf5(*hdf5, target, contents, memory, overwrite)
    if not target.encoded:
        return Making(target.path, "zarr" if member else None, target.chunks)
    if not member and not target.path.rstrip("/").lower().endswith(".zarr"):
        raise UsageError(f"'{target.path}': a compressor and shards are for Zarr and HDF5. Leave them out, or end the target in .zarr or .h5")
    if is_native(target):
        chunks = _chunks_for(target, contents, memory)
        return Making(target.path, "zarr" if member else None, chunks, encoded=True)
    made = _by_library("zarr", target.path, target, contents, memory, {"zarr_format": target.zarr_format, "shards": target.shards})
    why = f"Octavo does not encode {target.compressor} itself in Zarr v{target.zarr_format}"
    _core.log_once(why, f"'{target.path}' and others like it are written by zarr-python: {why}")
    return made


def is_native(target: TargetSpec) -> bool:
    """Whether Octavo encodes such a Zarr array itself."""
    named = "numcodecs.lz4" if target.compressor == "lz4" and target.zarr_format == 2 else target.compressor or "none"
    return named in ("none", *_core.native_codecs())


def encode(made: _core.TargetOptions | _core.CreateOptions, target: TargetSpec) -> None:
    """Tells how Octavo is to encode it."""
    made.compressor, made.level = target.compressor or "none", target.level
    if target.shards is not None:
        made.shard = list(target.shards)


def _check_nothing_wanted(target: TargetSpec) -> None:
    told = {"chunks": target.chunks, "compressor": target.compressor, "shards": target.shards, "devices": target.devices or None}
    if idle := [name for name, value in told.items() if value is not None]:
        raise UsageError(f"'{target.path}' is an array of processes that is there already: {' and '.join(idle)} cannot be chosen. Leave that out")


def _in_hdf5(file: str, name: str, target: TargetSpec, contents: Contents, memory: int, overwrite: bool) -> Making:
    """By h5py if it is chunked; else Octavo writes its elements itself."""
    if overwrite and Path(file).exists():
        _check_alone(file, name, contents.coordinates)
    if target.shards is not None:
        raise NotSupported(f"'{target.path}': HDF5 has no shards. Leave them out")
    if target.encoded or target.chunks is not None:
        return _by_library("hdf5", file, target, contents, memory, {"dataset": name, "coordinates": contents.coordinates})

    def make(path: str, extents: list[int], chunk: list[int], kind: str, attributes: str, names: str, fill: str) -> _core.Storage:
        from octavo._src import stores
        from octavo._src.stores.new_array import NewDataset

        more = {**_about(attributes, names, fill, contents.typed), "dataset": name, "coordinates": contents.coordinates}
        new = NewDataset(shape=tuple(extents), chunks=None, dtype=kind, **more)
        return _core.raw_storage(path, extents, kind, stores.library("hdf5", "hdf5.create").create_flat(path, new, contents.filled))

    return Making(file, "raw", make=make)


def hdf5_target(path: str) -> tuple[str, str] | None:
    """File and dataset, where the path, or a part of it, ends as HDF5 files do. The dataset is called data if it has no name."""
    if is_array_name(path):
        return None
    from octavo._src.stores.hdf5.path import ENDINGS

    parts = path.rstrip("/").split("/")
    for count in range(len(parts), 0, -1):
        if parts[count - 1].lower().endswith(ENDINGS) and not is_directory("/".join(parts[:count])):
            return "/".join(parts[:count]), "/".join(parts[count:]) or "data"
    return None


def has_json_attributes(path: str) -> bool:
    """Whether a new array there has attributes, and in JSON."""
    return not is_array_name(path) and hdf5_target(path) is None and not path.lower().endswith(_ONE_BLOCK)


def _check_alone(file: str, name: str, coordinates: Sequence[Coordinate]) -> None:
    """A target is a file of its own: replacing it must not take other datasets with it, but for those that the new one has as well."""
    from octavo._src import stores

    group, _, last = name.strip("/").rpartition("/")
    again = {last, *(each.name for each in coordinates)}
    others = [other for other in stores.library("hdf5", "hdf5.path").datasets_of(file) if _parted(other) not in {(group, each) for each in again}]
    if others:
        raise UsageError(f"replacing '{file}' would remove {', '.join(file + other for other in others[:10])} too. Give another file")


def _parted(name: str) -> tuple[str, str]:
    group, _, last = name.strip("/").rpartition("/")
    return group, last


def _by_library(kind: str, file: str, target: TargetSpec, contents: Contents, memory: int, more: dict[str, Any]) -> Making:
    shape = contents.shape
    chunks = _chunks_for(target, contents, memory)
    if kind == "hdf5":
        chunks = tuple(min(chunk, extent) for chunk, extent in zip(chunks, shape, strict=True))
    given = {"chunks": chunks, "compressor": target.compressor or "none", "level": target.level, **more}
    if kind == "hdf5" and 0 in shape:  # HDF5 has no chunks for it
        given.update(chunks=None, compressor="none", level=None)

    def make(path: str, extents: list[int], chunk: list[int], element: str, attributes: str, names: str, fill: str) -> _core.Storage:
        from octavo._src import stores

        about = _about(attributes, names, fill, contents.typed if kind == "hdf5" else {})
        return sources.storage_of(stores.create_store(kind, path, shape=tuple(extents), dtype=element, **given, **about), True)

    # Made once for nothing: what its library declares to need is then known, and what it refuses is refused now.
    with tempfile.TemporaryDirectory(prefix="octavo-") as folder:
        from octavo._src import stores

        ending = "probe.h5" if kind == "hdf5" else "probe.zarr"
        try:
            probe = {**given, "coordinates": ()} if kind == "hdf5" else given
            unit = stores.create_store(kind, f"{folder}/{ending}", shape=tuple(shape), dtype=contents.dtype, **probe).write_bytes
        except Error as refusal:  # nobody knows the probe: it is about the target
            raise type(refusal)(str(refusal).replace(f"{folder}/{ending}", file)) from None
    return Making(file, "store", target.shards if target.shards is not None else chunks, unit, kind == "zarr", make)


def _chunks_for(target: TargetSpec, contents: Contents, memory: int) -> Ints:
    shape, chunks = contents.shape, target.chunks
    if chunks is None:
        chunks = chosen_chunks(shape, contents.source_chunk, np.dtype(contents.dtype).itemsize, memory)
    if len(chunks) != len(shape):
        raise UsageError(f"chunks {chunks} of '{target.path}' of shape {tuple(shape)}. Give one extent for each of the {len(shape)} axes")
    return chunks


def _about(attributes: str, names: str, fill: str, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Of JSON; "" is none."""
    from octavo._src.stores.elements import with_types

    return {"attributes": with_types(json.loads(attributes or "{}"), typed), "dimension_names": json.loads(names or "null"), "fill": json.loads(fill or "null")}


def chosen_chunks(shape: Ints, source_chunk: Ints, itemsize: int, memory: int) -> tuple[int, ...]:
    """The source's chunk if it is of a sensible size, else about 4 MiB with edges alike; at most a 64th of the budget."""
    most = max(64 << 10, min(16 << 20, memory // 64))
    if tuple(source_chunk) != tuple(shape) and 256 << 10 <= math.prod(source_chunk) * itemsize <= most:
        return tuple(source_chunk)
    return tuple(_core.default_chunk(list(shape), itemsize, min(most, _core.default_chunk_bytes)))
