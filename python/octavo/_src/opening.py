# SPDX-License-Identifier: Apache-2.0
"""Which call opens or makes an array of which format. What the caller gave has been checked and put into one form before (wanted.py)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from octavo import _core
from octavo._src import consolidated
from octavo._src.groups import is_member
from octavo._src.sources import describe, open_source
from octavo._src.targets import Making, Target, hdf5_target, making
from octavo.errors import Error, Refused, UsageError

if TYPE_CHECKING:
    from octavo._core import ArrayHandle

ENDINGS = {".zarr": "zarr", ".npy": "npy", ".raw": "raw", ".octavo": "octavo", ".h5": "hdf5", ".hdf5": "hdf5"}
LEAST_MEMORY = 4 << 20  # that an ArrayHandle takes (python/bindings/array.cpp)


@dataclass(frozen=True)
class Opening:
    """An array that is there. ``memory`` in bytes; ``shape`` and ``dtype`` (NumPy's name) are given together, or neither; ``offset`` in bytes."""

    path: str
    writable: bool
    memory: int
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    offset: int = 0
    big_endian: bool = False
    part: bool = False  # of a raw file: more may follow the array


@dataclass(frozen=True)
class Creation:
    """An array to be made. ``chunks`` always has the length of ``shape``; ``compressor``, attributes, dimension names and fill value are JSON, "" for none."""

    path: str
    format: str
    shape: tuple[int, ...]
    dtype: str
    chunks: tuple[int, ...]
    devices: tuple[str, ...]
    map: str
    compressor: str
    shards: tuple[int, ...] | None
    attributes_json: str
    dimension_names_json: str
    fill_json: str
    zarr_format: int
    memory: int
    overwrite: bool


def format_of(path: str) -> str:
    """The format that a new array's path names by its ending, or by the Zarr group that it lies in. UsageError for others."""
    if hdf5_target(path) is not None:  # also a dataset within the file
        return "hdf5"
    found = "zarr" if is_member(path) else ENDINGS.get(PurePath(path).suffix.lower())
    if found is None:
        raise UsageError(f"'{path}' does not say which format it is to have. End it in {', '.join(ENDINGS)}, or name an array of a Zarr group that is there")
    return found


def open_handle(wanted: Opening) -> ArrayHandle:
    """Opens an array; raises what the format's reader raises. Its processes begin with the first read or write."""
    found = open_source(
        wanted.path,
        shape=wanted.shape,
        dtype=wanted.dtype,
        offset=wanted.offset,
        big_endian=wanted.big_endian,
        part=wanted.part,
        writable=wanted.writable,
    )
    return _core.ArrayHandle(found, describe(found).format, wanted.memory, wanted.writable)


def create_handle(wanted: Creation) -> ArrayHandle:
    """Makes an array of its fill value, or zeros, and opens it for reading and writing."""
    if wanted.memory < LEAST_MEMORY:  # before anything is made or replaced
        raise Refused(f"'{wanted.path}' within {_core.format_bytes(wanted.memory)}. Give memory at least {_core.format_bytes(LEAST_MEMORY)}")
    told = json.loads(wanted.compressor) if wanted.compressor else None
    name, level = (told.get("name"), told.get("level")) if isinstance(told, dict) else (told, None)
    target = Target(wanted.path, wanted.chunks, name, level, wanted.shards, wanted.devices, wanted.map, wanted.zarr_format)
    how = making(target, wanted.shape, wanted.shape, wanted.dtype, wanted.memory, wanted.overwrite, filled=True)
    # Nobody else makes it meanwhile; what is there stays until the new one is whole.
    begun = _core.NewTarget(how.file, wanted.format, wanted.overwrite)
    try:
        try:
            make(wanted, how, begun.place)
        except Error as refusal:  # nobody knows the place: it is about the target
            raise type(refusal)(str(refusal).replace(begun.place, how.file)) from None
        begun.made()
        begun.finish()
    finally:
        begun.end()
    consolidated.renew(how.file)
    layout = (wanted.shape, wanted.dtype) if wanted.format == "raw" else (None, None)
    return open_handle(Opening(wanted.path, True, wanted.memory, *layout))


def make(wanted: Creation, how: Making, path: str) -> None:
    """By Octavo itself, or by the format's library."""
    shape, chunks, about = list(wanted.shape), list(wanted.chunks), (wanted.attributes_json, wanted.dimension_names_json)
    if how.make is not None:
        how.make(path, shape, chunks, wanted.dtype, *about, wanted.fill_json)
    else:
        devices = list(wanted.devices)
        _core.create_storage(path, wanted.format, shape, wanted.dtype, chunks, devices, wanted.map, *about, wanted.zarr_format, wanted.fill_json)
