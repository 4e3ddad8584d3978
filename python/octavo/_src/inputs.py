# SPDX-License-Identifier: Apache-2.0
"""What a user may hand over as an array on disk: a path, an octavo.Array, a numpy.memmap; and what a raw file needs besides."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from octavo._src.keywords import raw_of, said
from octavo._src.paths import AnyPath, absolute, name_of
from octavo.errors import NotSupported, UsageError
from octavo.options import RawLayout

if TYPE_CHECKING:
    from octavo.array import Array


@dataclass(frozen=True)
class Input:
    """``raw``: None for a file that says itself what is in it."""

    path: str
    raw: RawLayout | None = None


def input_of(a: AnyPath | Array | npt.NDArray[Any], raw: RawLayout | None, keywords: Mapping[str, Any]) -> Input:
    """``raw``, or its fields among the keywords: what the user says of a raw file. UsageError where something is said of an array that says it itself, and
    for what lies in memory only."""
    from octavo.array import Array

    if isinstance(a, Array | np.memmap):
        if raw is not None or said(RawLayout, keywords):
            raise UsageError("shape, dtype, offset and big_endian are those of the array given. Leave them out")
        return Input(a.opening.path, a.opening.raw) if isinstance(a, Array) else input_of_memmap(a)
    if isinstance(a, np.ndarray):
        raise UsageError(f"an array of shape {a.shape} in memory. Octavo works on arrays on disk: numpy.save it, or use numpy.fft or scipy.fft")
    return Input(name_of(a), raw_of(raw, keywords))


def input_of_memmap(mapped: np.memmap[Any, Any]) -> Input:
    """The file behind a numpy.memmap, or behind a slice of one whose elements lie one after the other."""
    base: Any = mapped
    while isinstance(base, np.ndarray):
        base = base.base
    if mapped.filename is None or not isinstance(base, mmap.mmap):
        raise UsageError("a numpy.memmap that is not the memory of a named file. Open the file by its path, with shape and dtype")
    if not mapped.flags.c_contiguous:
        raise NotSupported(f"a numpy.memmap of '{mapped.filename}' that is not in C order. Open the whole one, or m.T of one in Fortran order, and index it")
    mapped.flush()
    begin = mapped.offset - mapped.offset % mmap.ALLOCATIONGRANULARITY
    offset = begin + mapped.ctypes.data - np.frombuffer(base, np.uint8).ctypes.data
    layout = RawLayout(mapped.shape, mapped.dtype, offset, part=True)  # it may be a slice: more may follow
    return Input(absolute(mapped.filename), layout)
