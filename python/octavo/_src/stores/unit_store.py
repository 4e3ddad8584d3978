# SPDX-License-Identifier: Apache-2.0
"""What all stores share: checking of boxes, going through them unit by unit, and writes that cover a part of a unit.

Contract: a class derived from UnitStore sets the attributes and has `_read_units` and `_write_units`, which get boxes of few bytes:
one unit, or several small ones. `_write_units` gets whole units only (cut off at the upper edges), unless `_writes_parts` is true.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from types import EllipsisType, MappingProxyType
from typing import Any

import numpy as np

from octavo._src.stores.contract import GROUP_BYTES, GROUP_UNITS, Array, Shape
from octavo._src.stores.elements import check_conversion
from octavo.errors import UsageError


def nbytes(shape: Shape, dtype: np.dtype[Any]) -> int:
    """Bytes of a dense block."""
    return math.prod(shape) * dtype.itemsize


def grouped(unit: Shape, shape: Shape, itemsize: int, group_bytes: int = GROUP_BYTES) -> Shape:
    """Whole units, as many along the last axes as ``group_bytes`` and GROUP_UNITS allow; one if that is larger."""
    step = list(unit)
    most = min(group_bytes, GROUP_UNITS * math.prod(unit) * itemsize)
    for axis in reversed(range(len(unit))):
        fit = most // max(1, math.prod(step) * itemsize)
        needed = -(-shape[axis] // unit[axis])
        step[axis] *= max(1, min(fit, needed))
        if fit < needed:
            break
    return tuple(step)


def parts(lo: Shape, hi: Shape, step: Shape) -> Iterator[tuple[Shape, Shape]]:
    """The box from lo to hi, cut where the grid of `step` has its lines, in C order."""
    if any(begin >= end for begin, end in zip(lo, hi, strict=True)):
        return
    cells = [range(begin // size, (end - 1) // size + 1) for begin, end, size in zip(lo, hi, step, strict=True)]
    for index in product(*cells):
        yield (
            tuple(max(begin, i * size) for begin, i, size in zip(lo, index, step, strict=True)),
            tuple(min(end, (i + 1) * size) for end, i, size in zip(hi, index, step, strict=True)),
        )


def rows_of(shape: Shape, itemsize: int, most: int) -> Shape:
    """Whole rows of at most so many bytes, or a part of one: the unit of what has no chunks."""
    unit = [1] * len(shape)
    for axis in reversed(range(len(shape))):
        fit = max(1, most // (math.prod(unit) * itemsize))
        unit[axis] = max(1, min(fit, shape[axis]))
        if fit < shape[axis]:
            break
    return tuple(unit)


def index_of(lo: Shape, hi: Shape, origin: Shape) -> tuple[slice | EllipsisType, ...]:
    """The box as an index into an array that begins at `origin`. The ellipsis makes it a view where there are no dimensions."""
    return (*(slice(begin - at, end - at) for begin, end, at in zip(lo, hi, origin, strict=True)), ...)


class UnitStore:
    """See the head of this file, and contract.Store."""

    shape: Shape
    dtype: np.dtype[Any]
    read_chunk: Shape
    write_chunk: Shape
    attributes: dict[str, Any]
    dimension_names: tuple[str | None, ...] | None
    packing: Mapping[str, Any] = MappingProxyType({})
    read_bytes: int
    write_bytes: int

    _where: str  # the file and what is in it, for messages
    _writable: bool
    _closed = False
    _writes_parts = False
    _write_group_bytes = GROUP_BYTES

    def _read_units(self, lo: Shape, hi: Shape, out: Array) -> None:
        raise NotImplementedError

    def _write_units(self, lo: Shape, hi: Shape, block: Array) -> None:
        raise NotImplementedError

    def read(self, lo: Shape, out: Array) -> None:
        """S-3."""
        lo, hi = self._checked(lo, out, "reading")
        check_conversion(self.dtype, out.dtype, self._where)
        if not out.flags.writeable:
            raise UsageError(f"reading {self._where} into an array that is read-only. Give one that can be written to")
        for begin, end in parts(lo, hi, grouped(self.read_chunk, self.shape, self.dtype.itemsize)):
            self._read_units(begin, end, out[index_of(begin, end, lo)])

    def write(self, lo: Shape, block: Array) -> None:
        """S-4."""
        lo, hi = self._checked(lo, block, "writing")
        check_conversion(block.dtype, self.dtype, self._where)
        if not self._writable:
            raise UsageError(f"writing to {self._where}, which was opened for reading. Open it with writable=True")
        for begin, end in parts(lo, hi, grouped(self.write_chunk, self.shape, self.dtype.itemsize, self._write_group_bytes)):
            self._write_part(begin, end, block[index_of(begin, end, lo)])

    def _write_part(self, lo: Shape, hi: Shape, part: Array) -> None:
        """Only the units that the box touches are read: others may be in another writer's hands."""
        begin = tuple(at // unit * unit for at, unit in zip(lo, self.write_chunk, strict=True))
        end = tuple(min(-(-at // unit) * unit, extent) for at, unit, extent in zip(hi, self.write_chunk, self.shape, strict=True))
        if self._writes_parts or (begin, end) == (lo, hi):
            self._write_units(lo, hi, part)
            return
        for unit_lo, unit_hi in parts(begin, end, self.write_chunk):
            from_lo = tuple(max(a, b) for a, b in zip(lo, unit_lo, strict=True))
            to_hi = tuple(min(a, b) for a, b in zip(hi, unit_hi, strict=True))
            given = part[index_of(from_lo, to_hi, lo)]
            if (from_lo, to_hi) != (unit_lo, unit_hi):
                whole = np.empty([top - bottom for bottom, top in zip(unit_lo, unit_hi, strict=True)], self.dtype)
                UnitStore.read(self, unit_lo, whole)
                whole[index_of(from_lo, to_hi, unit_lo)] = given
                given = whole
            self._write_units(unit_lo, unit_hi, given)

    def flush(self) -> None:
        """S-7."""
        self._check_open("flushing")

    def close(self) -> None:
        """S-8."""
        self._closed = True

    def _check_open(self, doing: str) -> None:
        if self._closed:
            raise UsageError(f"{doing} {self._where}, which was closed. Open it again")

    def _checked(self, lo: Shape, block: Array, doing: str) -> tuple[Shape, Shape]:
        """S-10: the box, if it lies within the array."""
        self._check_open(doing)
        lo = tuple(int(at) for at in lo)
        hi = tuple(at + extent for at, extent in zip(lo, block.shape, strict=False))
        if not len(lo) == block.ndim == len(self.shape) or any(at < 0 or end > extent for at, end, extent in zip(lo, hi, self.shape, strict=True)):
            raise UsageError(f"{doing} a box of {block.shape} at {lo} of {self._where}, whose shape is {self.shape}. Give a box within the array")
        if not block.flags.c_contiguous:
            raise UsageError(f"{doing} {self._where}: the memory of the box is not contiguous. Give a C-contiguous array")
        return lo, hi
