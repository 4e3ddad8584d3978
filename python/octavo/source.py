# SPDX-License-Identifier: Apache-2.0
"""What is known of an array on disk without reading it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from octavo._src.options import known_options
from octavo._src.paths import AnyPath, name_of
from octavo._src.sources import describe, open_source


@dataclass(frozen=True)
class Source:
    """An array on disk: ``format`` is zarr, hdf5, npy, raw or octavo; ``chunk`` its stored blocks; ``nbytes`` its elements' bytes.

    ``native``: whether Octavo reads it itself, or through the library of its format. ``devices``: the page files of an Octavo array.
    """

    path: str
    format: str
    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    dtype: str
    big_endian: bool
    nbytes: int
    native: bool
    devices: tuple[str, ...]
    attrs: dict[str, Any]
    dims: tuple[str | None, ...] | None


@known_options("info")
def info(path: AnyPath, *, shape: Sequence[int] | None = None, dtype: str | None = None, offset: int = 0, big_endian: bool = False) -> Source:
    """Opens ``path`` (Zarr, HDF5, .npy, an Octavo array, or a raw file with ``shape`` and ``dtype``) and says what it is.

    Raises IoError, NotSupported or UsageError naming what is wrong with it.
    """
    found = open_source(path, shape=shape, dtype=dtype, offset=offset, big_endian=big_endian)
    facts = describe(found)
    return Source(
        name_of(path),
        facts.format,
        tuple(found.shape),
        tuple(found.chunk),
        found.dtype,
        found.big_endian,
        found.nbytes,
        found.format != "store",
        tuple(found.files),
        facts.attributes,
        facts.names,
    )
