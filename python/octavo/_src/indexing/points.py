# SPDX-License-Identifier: Apache-2.0
"""Elements of an array on disk by boolean and integer indices, as NumPy selects them; read and written in the order of their blocks.

>>> a[mask], a[[3, 1, 4], 5], a[rows[:, None], columns]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from octavo._src import transfer
from octavo.errors import NotSupported

if TYPE_CHECKING:
    from octavo.array import Array

Item: TypeAlias = "range | npt.NDArray[np.int64] | EllipsisType | None"
MOST_BYTES = 16 << 20  # that are read together


def is_one(index: Any) -> bool:
    """Whether NumPy takes it for one of these: a list, an array that is no single element, or a tuple with one of them."""
    return any(isinstance(each, list) or (isinstance(each, np.ndarray) and each.ndim > 0) for each in (index if isinstance(index, tuple) else (index,)))


def _coordinates(array: Array, index: Any) -> npt.NDArray[np.int64]:
    """Of all that is selected: along each axis in turn, in the shape that NumPy gives the result. Takes memory for the selection alone."""
    shape = np.broadcast_to(np.False_, array.shape)[index].shape  # raises what NumPy raises
    items = _along_axes(index if isinstance(index, tuple) else (index,), array.shape)
    together = np.broadcast(*(each for each in items if isinstance(each, np.ndarray))).ndim
    place = _place_of_arrays(items, together)
    found = np.empty((array.ndim, *shape), "int64")
    axis = at = 0  # of the array, and of the result
    for each in items:
        if at == place:
            at += together
        if isinstance(each, np.ndarray):
            found[axis] = each.reshape(each.shape + (1,) * (len(shape) - place - together))
        elif isinstance(each, range):
            found[axis] = np.arange(each.start, each.stop, each.step).reshape((-1,) + (1,) * (len(shape) - at - 1))
        at += not isinstance(each, np.ndarray | EllipsisType)
        axis += not (each is None or each is Ellipsis)
    return found


def _place_of_arrays(items: Sequence[Item], together: int) -> int:
    """Which axis of the result is the first of those that the arrays in the index give it: NumPy tells by a small array."""
    position = np.zeros((2,) + (1,) * (together - 1), int)
    small = tuple(position if isinstance(each, np.ndarray) else slice(None) if isinstance(each, range) else each for each in items)
    extents = [1 for each in items if not (each is None or each is Ellipsis)]
    return [*np.zeros(extents, bool)[small].shape, 2].index(2)


def _is_mask(item: object) -> bool:
    return isinstance(item, np.ndarray) and item.dtype.kind == "b"


def _along_axes(items: tuple[Any, ...], shape: tuple[int, ...]) -> list[Item]:
    """For each axis what the index has for it, None for a new one, and the ellipsis, before what it stands for; booleans as the numbers of what is true."""
    whole = [np.asarray(each) if isinstance(each, list) else each for each in items]
    named = sum(0 if each is None or each is Ellipsis else each.ndim if _is_mask(each) else 1 for each in whole)
    if not any(each is Ellipsis for each in whole):
        whole.append(Ellipsis)
    if any(isinstance(each, bool | np.bool_) or (_is_mask(each) and each.ndim == 0) for each in whole):
        raise NotSupported("an index of arrays with a single boolean in it. Leave out what is True; where one is False nothing is selected")
    found: list[Item] = []
    axis = 0
    for each in whole:
        if each is None:
            found.append(None)
            continue
        if each is Ellipsis:
            found.append(Ellipsis)
            new: list[Any] = [range(extent) for extent in shape[axis : axis + len(shape) - named]]
        elif isinstance(each, slice):
            new = [range(*each.indices(shape[axis]))]
        elif _is_mask(each):
            new = list(np.nonzero(each))
        else:
            numbers = np.asarray(each, "int64")
            new = [np.where(numbers < 0, numbers + shape[axis], numbers)]
        found += new
        axis += len(new)
    return found


def read(array: Array, index: Any) -> npt.NDArray[Any]:
    """``array[index]``."""
    array._open("read")
    found = _coordinates(array, index)
    result = np.empty(found.shape[1:], array.dtype)
    if result.size:
        array._gather(np.ascontiguousarray(found.reshape(array.ndim, -1)), result.reshape(-1))
    return result


def write(array: Array, index: Any, value: Any) -> None:
    """``array[index] = value``: of an element that is named twice the last value stays."""
    what = f"writing to '{array.path}'"
    found = _coordinates(array, index)
    elements = transfer.elements_of(value, array.dtype, what)
    transfer.check_kinds(elements.dtype, array.dtype, what)
    transfer.check_range(elements, array.dtype, what)
    given = np.broadcast_to(elements.astype(array.dtype), found.shape[1:])
    if given.size:
        array._scatter(np.ascontiguousarray(found.reshape(array.ndim, -1)), np.ascontiguousarray(given).reshape(-1))


def by_page(at: npt.NDArray[np.int64], page: tuple[int, ...]) -> Iterator[npt.NDArray[np.int64]]:
    """``at``: a row of coordinates for each axis. Which of the elements lie in a page, page after page; those of one page in the order they were given."""
    pages = at // np.array(page, "int64")[:, None]
    order = np.lexsort(pages[::-1])
    new = (np.diff(pages[:, order]) != 0).any(axis=0)
    yield from np.split(order, np.flatnonzero(new) + 1)


def in_boxes(at: npt.NDArray[np.int64], page: tuple[int, ...], most: int) -> Iterator[npt.NDArray[np.int64]]:
    """As by_page, of pages side by side together, where their boxes leave no more between them than they have: one read has several pages under way."""
    taken: list[npt.NDArray[np.int64]] = []
    volume, lo, hi = 0, at[:, 0], at[:, 0]
    for those in by_page(at, page):
        low, high = at[:, those].min(axis=1), at[:, those].max(axis=1) + 1
        own = math.prod((high - low).tolist())
        around_lo, around_hi = np.minimum(lo, low), np.maximum(hi, high)
        around = math.prod((around_hi - around_lo).tolist())
        if taken and around <= min(most, 2 * (volume + own)):
            taken, volume, lo, hi = [*taken, those], volume + own, around_lo, around_hi
            continue
        if taken:
            yield np.concatenate(taken)
        taken, volume, lo, hi = [those], own, low, high
    yield np.concatenate(taken)


def gather(array: Array, at: npt.NDArray[np.int64], out: npt.NDArray[Any]) -> None:
    """Of pages the box around what is wanted of them."""
    for those in in_boxes(at, tuple(array._open("read").page), MOST_BYTES // array.dtype.itemsize):
        lo, hi = at[:, those].min(axis=1), at[:, those].max(axis=1) + 1
        piece = np.asarray(array.read(tuple(map(slice, lo, hi))))
        out[those] = piece[tuple(at[:, those] - lo[:, None])]


def scatter(array: Array, at: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> None:
    """Those elements and no other, by runs along the last axis."""
    for those in by_page(at, tuple(array._open("write to").page)):
        last = those[np.lexsort(at[::-1, those])]
        same_row, step = (np.diff(at[:-1, last]) == 0).all(axis=0), np.diff(at[-1, last])
        last = last[np.append(~(same_row & (step == 0)), True)]  # of those named twice, the last
        same_row, step = (np.diff(at[:-1, last]) == 0).all(axis=0), np.diff(at[-1, last])
        for run in np.split(last, np.flatnonzero(~(same_row & (step == 1))) + 1):
            lo, hi = at[:, run[0]], at[:, run[-1]] + 1
            array.write(tuple(map(slice, lo, hi)), values[run].reshape(hi - lo))
