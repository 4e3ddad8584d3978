# SPDX-License-Identifier: Apache-2.0
"""The blocks of a buffered array one after the other, with what lies around them.

>>> for block in u.blocks(halo=1, boundary="periodic"):
...     block.out[...] = block.data[1:-1, 1:-1] - block.data[:-2, 1:-1]
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from octavo.errors import UsageError

if TYPE_CHECKING:
    from octavo.array import Array
    from octavo.buffered_arrays.array import BufferedArray

Halo: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Box: TypeAlias = tuple[slice, ...]
Boundary: TypeAlias = Literal["nearest", "reflect", "periodic", "none"] | complex
PADDED = {"nearest": "edge", "reflect": "symmetric"}  # numpy.pad's names


class Blocked(Protocol):
    """What has blocks: an array on disk, or of NumPy."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def __getitem__(self, index: Any, /) -> Any: ...


class BufferedBlock:
    """``box``: where it lies in the array, as slices. ``data``: its elements and the halo around them, a read-only copy. ``out``: an array of the block
    without the halo, written where blocks() says when the loop goes on, if it was asked for."""

    def __init__(self, box: tuple[slice, ...], data: npt.NDArray[Any], *, in_place: bool) -> None:
        """For BufferedArray.blocks. in_place: data is what ``out`` is written over."""
        self.box, self.data, self._in_place = box, data, in_place
        data.flags.writeable = False  # what was written there would be lost
        self.filled: npt.NDArray[Any] | None = None

    def __repr__(self) -> str:
        return f"<octavo.buffered_arrays.BufferedBlock [{', '.join(f'{each.start}:{each.stop}' for each in self.box)}]>"

    @property
    def out(self) -> npt.NDArray[Any]:
        if self.filled is None:
            # Where the loop ends by an exception the block is written as it is by then.
            self.filled = self.data.copy() if self._in_place else np.empty([each.stop - each.start for each in self.box], self.data.dtype)
        return self.filled

    @out.setter
    def out(self, value: npt.ArrayLike) -> None:
        """For ``block.out += 1`` and ``block.out = x``."""
        if value is not self.filled:
            self.out[...] = value


def blocks_of(array: BufferedArray, halo: Halo, boundary: Boundary, out: Array | None) -> Iterator[BufferedBlock]:
    """As BufferedArray.blocks has it."""
    widths = widths_of(array, halo, boundary)
    if out is not None and out.shape != array.shape:
        raise UsageError(f"out of shape {out.shape} for blocks of an array of {array.shape}. Give one of that shape")
    return _written(array, widths, boundary, out)


def widths_of(array: Blocked, halo: Halo, boundary: Boundary) -> tuple[int, ...]:
    """Of the halo, along each axis. Raises what makes no sense."""
    given = tuple(operator.index(each) for each in halo) if isinstance(halo, Sequence) else (operator.index(halo),) * array.ndim
    if len(given) != array.ndim or min(given, default=0) < 0:
        raise UsageError(f"a halo of {halo!r} around blocks of {array.ndim} axes. Give one number from 0 on, or one for each axis")
    if isinstance(boundary, str) and boundary not in (*PADDED, "periodic", "none"):
        raise UsageError(f"boundary {boundary!r}. It is 'nearest', 'reflect', 'periodic', 'none' or a value")
    if boundary in ("reflect", "periodic") and any(width > extent for width, extent in zip(given, array.shape, strict=True)):
        raise UsageError(f"a halo of {given} around an array of {array.shape}: what lies beyond it would lie beyond it again. Give a smaller one")
    return given


def _written(array: BufferedArray, widths: tuple[int, ...], boundary: Boundary, out: Array | None) -> Iterator[BufferedBlock]:
    """With a halo, what is written in place would be read by the next blocks: so it waits in a scratch file."""
    if out is not None or not any(widths):
        yield from _each(array, widths, boundary, array if out is None else out)
        return
    with array._scratch() as waiting:
        filled = []
        for block in _each(array, widths, boundary, waiting):
            yield block
            if block.filled is not None:
                filled.append(block.box)
        for box in filled:
            array[box] = waiting[box]


def boxes_of(shape: Sequence[int], block_shape: Sequence[int]) -> Iterator[Box]:
    """Blocks of this shape, in the order of their elements; those at the far edges may be smaller."""
    for corner in itertools.product(*(range(0, extent, step) for extent, step in zip(shape, block_shape, strict=True))):
        yield tuple(slice(lo, min(lo + step, extent)) for lo, step, extent in zip(corner, block_shape, shape, strict=True))


def _each(array: BufferedArray, widths: tuple[int, ...], boundary: Boundary, target: Array) -> Iterator[BufferedBlock]:
    for box in boxes_of(array.shape, array.block_shape):
        block = BufferedBlock(box, surrounded(array, box, widths, boundary), in_place=target is array and not any(widths))
        try:
            yield block
        finally:  # also where the loop is left
            if block.filled is not None:
                target[box] = block.filled


def surrounded(array: Blocked, box: Box, widths: tuple[int, ...], boundary: Boundary) -> npt.NDArray[Any]:
    """The elements of a box, and the halo around them."""
    if boundary == "periodic":
        return _wrapped(array, box, widths)
    wide = [slice(each.start - width, each.stop + width) for each, width in zip(box, widths, strict=True)]
    there = tuple(slice(max(0, each.start), min(each.stop, extent)) for each, extent in zip(wide, array.shape, strict=True))
    data: npt.NDArray[Any] = array[there] if there else np.asarray(array[...])
    missing = [(known.start - each.start, each.stop - known.stop) for each, known in zip(wide, there, strict=True)]
    if boundary == "none" or not any(itertools.chain(*missing)):
        return data
    if isinstance(boundary, str):
        return np.pad(data, missing, mode=PADDED[boundary])  # type: ignore[call-overload,no-any-return]
    return np.pad(data, missing, constant_values=boundary)


def _wrapped(array: Blocked, box: Box, widths: tuple[int, ...]) -> npt.NDArray[Any]:
    """The parts that lie on the other side are read there."""
    data = np.empty([each.stop - each.start + 2 * width for each, width in zip(box, widths, strict=True)], array.dtype)
    along = [list(_runs(each.start - width, each.stop + width, extent)) for each, width, extent in zip(box, widths, array.shape, strict=True)]
    for parts in itertools.product(*along):
        data[tuple(at for at, _ in parts)] = array[tuple(where for _, where in parts)]
    return data


def _runs(lo: int, hi: int, extent: int) -> Iterator[tuple[slice, slice]]:
    """Where the indices from lo to hi lie in the result, and in an axis that goes round."""
    at = lo
    while at < hi:
        first = at % extent
        count = min(hi - at, extent - first)
        yield slice(at - lo, at - lo + count), slice(first, first + count)
        at += count
