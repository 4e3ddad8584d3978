# SPDX-License-Identifier: Apache-2.0
"""What the target of a job is to be: its format, chunks, disks, compression; and who makes it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from octavo import _core
from octavo._src import sources
from octavo.errors import NotSupported, UsageError

Make = Callable[[str, list[int], list[int], str, str, str], _core.Storage]


@dataclass(frozen=True)
class Target:
    """``path`` with its ending says the format. ``chunks``: of Zarr, of compressed HDF5, the pages of an Octavo array; None: chosen.

    ``compressor`` (zstd, gzip, blosc, lz4), ``level`` and ``shards``: written by zarr-python or h5py. ``devices``: a directory on each disk,
    for an Octavo array. ``map``: circulant or block_cyclic. ``zarr_format``: 3 or 2.
    """

    path: str
    chunks: Sequence[int] | None = None
    compressor: str | None = None
    level: int | None = None
    shards: Sequence[int] | None = None
    devices: Sequence[str | os.PathLike[str]] = field(default_factory=tuple)
    map: str = "circulant"
    zarr_format: int = 3

    @property
    def encoded(self) -> bool:
        """Whether another library must write it."""
        return (self.compressor or "none") != "none" or self.shards is not None


def job_target(target: Target, source: _core.Storage, dtype: str, memory: int) -> tuple[str, _core.TargetOptions]:
    """The file or directory that the job makes, and how."""
    if target.zarr_format not in (2, 3):
        raise UsageError(f"'{target.path}': Zarr of version {target.zarr_format}. Choose 2 or 3")
    hdf5 = hdf5_target(target.path)
    if hdf5 is not None:
        return hdf5[0], _hdf5(target, hdf5[1], source, dtype, memory)
    if target.encoded:
        return target.path, _encoded(target, source, dtype, memory)
    return target.path, _options(target)


def hdf5_target(path: str) -> tuple[str, str] | None:
    """File and dataset, where the path, or a part of it, ends as HDF5 files do."""
    from octavo._src.stores.hdf5_path import ENDINGS

    parts = path.rstrip("/").split("/")
    for count in range(len(parts), 0, -1):
        if parts[count - 1].endswith(ENDINGS) and not Path("/".join(parts[:count])).is_dir():
            return "/".join(parts[:count]), "/".join(parts[count:]) or "data"
    return None


def _options(target: Target, format: str | None = None, chunks: Sequence[int] | None = None, unit: int = 0, make: Make | None = None) -> _core.TargetOptions:
    given = target.chunks if chunks is None else chunks
    return _core.target_options(
        format, None if given is None else list(given), [os.fspath(each) for each in target.devices], target.map, 1, target.zarr_format, unit, make
    )


def _hdf5(target: Target, name: str, source: _core.Storage, dtype: str, memory: int) -> _core.TargetOptions:
    if target.shards is not None:
        raise NotSupported(f"'{target.path}': HDF5 has no shards. Leave them out")
    if not target.encoded and target.chunks is None:

        def make(path: str, shape: list[int], chunk: list[int], kind: str, attributes: str, names: str) -> _core.Storage:
            from octavo._src import stores
            from octavo._src.stores.hdf5_flat import create_flat

            stores.require("hdf5")
            offset = create_flat(path, name, shape, kind, json.loads(attributes or "{}"), json.loads(names or "null"))
            return _core.open_storage(path, shape, kind, offset, False, True)

        return _options(target, "raw", make=make)
    return _by_library("hdf5", target, source, dtype, memory, name)


def _encoded(target: Target, source: _core.Storage, dtype: str, memory: int) -> _core.TargetOptions:
    if not target.path.rstrip("/").endswith(".zarr"):
        raise UsageError(f"'{target.path}': a compressor and shards are for Zarr and HDF5. Leave them out, or end the target in .zarr or .h5")
    return _by_library("zarr", target, source, dtype, memory, "")


def _by_library(kind: str, target: Target, source: _core.Storage, dtype: str, memory: int, name: str) -> _core.TargetOptions:
    chunks = list(target.chunks) if target.chunks is not None else chosen_chunks(source, dtype, memory)
    whole = list(target.shards) if target.shards is not None else chunks

    def make(path: str, shape: list[int], chunk: list[int], element: str, attributes: str, names: str) -> _core.Storage:
        from octavo._src import stores

        options: dict[str, Any] = {"compressor": target.compressor or "none", "level": target.level}
        if kind == "zarr":
            options.update(zarr_format=target.zarr_format, shards=target.shards)
        else:
            options["dataset"] = name
        about = {"attributes": json.loads(attributes or "{}"), "dimension_names": json.loads(names or "null")}
        return sources.storage_of(stores.create_store(kind, path, shape=shape, chunks=chunks, dtype=element, **options, **about), True)

    return _options(target, "store", chunks=whole, unit=_unit_bytes(kind, whole, dtype), make=make)


def _unit_bytes(kind: str, whole: Sequence[int], dtype: str) -> int:
    """What a store takes to write one unit: as the stores declare it when they are made (contract.py, S-6)."""
    from octavo._src.stores.contract import declared_write_bytes

    return declared_write_bytes(kind, math.prod(whole) * np.dtype(dtype).itemsize)


def chosen_chunks(source: _core.Storage, dtype: str, memory: int) -> list[int]:
    """The source's chunk if it is of a sensible size, else about 4 MiB with edges alike; small enough for the budget."""
    item = np.dtype(dtype).itemsize
    most = max(64 << 10, min(16 << 20, memory // 64))
    if source.chunk != source.shape and 256 << 10 <= math.prod(source.chunk) * item <= most:
        return list(source.chunk)
    chunk = [min(extent, 2 ** max(0, (most // item).bit_length() // len(source.shape))) for extent in source.shape]
    while math.prod(chunk) * item > most:
        widest = chunk.index(max(chunk))
        chunk[widest] = -(-chunk[widest] // 2)
    return chunk
