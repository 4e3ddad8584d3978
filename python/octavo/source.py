# SPDX-License-Identifier: Apache-2.0
"""What is known of an array on disk without reading it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from octavo import _core


@dataclass(frozen=True)
class Source:
    """An array on disk: ``format`` is zarr, npy or raw; ``chunk`` its stored blocks; ``nbytes`` its elements' bytes."""

    path: str
    format: str
    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    dtype: str
    big_endian: bool
    nbytes: int


def info(path: str | os.PathLike[str], *, shape: Sequence[int] | None = None, dtype: str | None = None) -> Source:
    """Opens ``path`` (a Zarr v3 directory, an .npy file, or a raw one with ``shape`` and ``dtype``) and says what it is.

    Raises IoError, NotSupported or UsageError naming what is wrong with it.
    """
    found = _core.open_storage(os.fspath(path), None if shape is None else list(shape), dtype)
    return Source(found.path, found.format, tuple(found.shape), tuple(found.chunk), found.dtype, found.big_endian, found.nbytes)
