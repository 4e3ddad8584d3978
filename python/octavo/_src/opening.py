# SPDX-License-Identifier: Apache-2.0
"""Which call opens or makes an array of which format. What the caller gave has been checked and put into one form before (wanted.py)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from octavo import _core
from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:
    from octavo._core import ArrayHandle

ENDINGS = {".zarr": "zarr", ".npy": "npy", ".raw": "raw", ".octavo": "octavo", ".h5": "store"}


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


@dataclass(frozen=True)
class Creation:
    """An array to be made. ``chunks`` always has the length of ``shape``; ``compressor``, the attributes and the dimension names are JSON, "" for none."""

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
    zarr_format: int
    memory: int
    overwrite: bool


def format_of(path: str) -> str:
    """The format that a new array's path names by its ending. UsageError for others."""
    found = ENDINGS.get(PurePath(path).suffix.lower())
    if found is None:
        raise UsageError(f"'{path}' does not say which format it is to have. End it in {', '.join(ENDINGS)}")
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
    return _core.ArrayHandle(found, wanted.memory, wanted.writable)


def create_handle(wanted: Creation) -> ArrayHandle:
    """Makes an array of zeros and opens it for reading and writing."""
    target = Target(
        wanted.path, wanted.chunks, wanted.compressor or None, None, wanted.shards, wanted.devices, wanted.map, wanted.zarr_format
    )
    return _core.ArrayHandle(create(target, wanted), wanted.memory, True)
