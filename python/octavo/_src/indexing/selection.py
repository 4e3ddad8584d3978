# SPDX-License-Identifier: Apache-2.0
"""What a NumPy basic index selects: a strided box of the array, and how the result's axes come from it. Pure.

>>> s = select((4, slice(9, 2, -3), None), (5, 10, 20))
>>> s.lo, s.step, s.counts, s.shape
((4, 3, 0), (1, 3, 1), (1, 3, 20), (3, 1, 20))
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:
    import numpy.typing as npt

Item: TypeAlias = SupportsIndex | slice | EllipsisType | None
Index: TypeAlias = Item | tuple[Item, ...]

MAX_RESULT_DIMS = 64  # NumPy's own bound


@dataclass(frozen=True)
class Selection:
    """``lo``, ``step`` (1 and up) and ``counts`` for each axis of the array; ``reversed``: the result runs along it backwards.

    ``axes``: for each axis of the result the array's axis that it is, None for a new one; an axis of the array that is not
    there was dropped by an integer. ``scalar``: NumPy gives a scalar, not an array of no axes.
    """

    lo: tuple[int, ...]
    step: tuple[int, ...]
    counts: tuple[int, ...]
    reversed: tuple[bool, ...]
    axes: tuple[int | None, ...]
    scalar: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The result's."""
        return tuple(1 if axis is None else self.counts[axis] for axis in self.axes)

    def transposed(self, axes: Sequence[int]) -> Selection:
        """The same elements with the result's axes permuted, as numpy.transpose does. UsageError if ``axes`` is no permutation."""
        dims = len(self.axes)
        wanted = [axis + dims if axis < 0 else axis for axis in map(operator.index, axes)]
        if sorted(wanted) != list(range(dims)):
            raise UsageError(f"axes {tuple(axes)} is no permutation of the {dims} axes of the selection. Name each of 0 to {dims - 1} once")
        return replace(self, axes=tuple(self.axes[axis] for axis in wanted))

    def of_base(self, axes: Sequence[int]) -> Selection:
        """The same elements of the array that this one is a transposition of: axis k of this one is ``axes[k]`` there."""
        at = [axes.index(axis) for axis in range(len(axes))]
        lo, step, counts = (tuple(numbers[k] for k in at) for numbers in (self.lo, self.step, self.counts))
        moved = tuple(None if axis is None else axes[axis] for axis in self.axes)
        return Selection(lo, step, counts, tuple(self.reversed[k] for k in at), moved, self.scalar)

    def view(self, result: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """An array of the result's shape seen with the array's axes, in the array's order: of shape ``counts``. Never copies."""
        kept = sorted((axis, at) for at, axis in enumerate(self.axes) if axis is not None)
        new = [at for at, axis in enumerate(self.axes) if axis is None]
        there = {axis for axis, _ in kept}
        index: list[slice | int | EllipsisType | None] = []
        for axis in range(len(self.counts)):
            index.append(slice(None, None, -1 if self.reversed[axis] else 1) if axis in there else None)
        index += [0] * len(new)
        index.append(...)  # or NumPy would make a scalar of an array without axes
        seen: npt.NDArray[Any] = result.transpose([at for _, at in kept] + new)[tuple(index)]
        return seen

    def part(self, start: Sequence[int], counts: Sequence[int]) -> Selection:
        """The box ``[start, start + counts)`` of the selected elements, counted along the array's axes."""
        lo = tuple(first + at * by for first, at, by in zip(self.lo, start, self.step, strict=True))
        return replace(self, lo=lo, counts=tuple(counts))

    def slices(self, start: Sequence[int], counts: Sequence[int]) -> tuple[slice, ...]:
        """Where that box lies in the result."""
        found = []
        for axis in self.axes:
            first = 0 if axis is None else self.counts[axis] - start[axis] - counts[axis] if self.reversed[axis] else start[axis]
            found.append(slice(first, first + (1 if axis is None else counts[axis])))
        return tuple(found)


def select(index: Index, shape: Sequence[int]) -> Selection:
    """Resolves ``index`` for an array of ``shape``.

    IndexError, ValueError and TypeError where NumPy raises them and in its words; NotSupported for boolean, list and array indices.
    """
    items = _complete(index if isinstance(index, tuple) else (index,), len(shape))
    boxes: list[tuple[int, int, int, bool]] = []
    axes: list[int | None] = []
    for item in items:
        if item is None:
            axes.append(None)
            continue
        axis = len(boxes)
        if isinstance(item, slice):
            axes.append(axis)
            boxes.append(_along(item, shape[axis]))
        else:
            boxes.append((_within(item, axis, shape[axis]), 1, 1, False))
    if len(axes) > MAX_RESULT_DIMS:
        raise IndexError(f"number of dimensions must be within [0, {MAX_RESULT_DIMS}], indexing result would have {len(axes)}")
    lo, step, counts, backwards = zip(*boxes, strict=True) if boxes else ((), (), (), ())
    ellipsis = index is Ellipsis or (isinstance(index, tuple) and any(item is Ellipsis for item in index))
    return Selection(lo, step, counts, backwards, tuple(axes), scalar=not axes and not ellipsis)


def _complete(items: tuple[Any, ...], dims: int) -> list[int | slice | None]:
    """The items checked, integers as int, with full slices for the ellipsis and for axes that are not named."""
    checked = [_item(item) for item in items]
    if sum(item is Ellipsis for item in checked) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    named = sum(item is not None and item is not Ellipsis for item in checked)
    if named > dims:
        raise IndexError(f"too many indices for array: array is {dims}-dimensional, but {named} were indexed")
    if not any(item is Ellipsis for item in checked):
        checked.append(Ellipsis)
    found: list[int | slice | None] = []
    for item in checked:
        if isinstance(item, EllipsisType):
            found += [slice(None)] * (dims - named)
        else:
            found.append(item)
    return found


def _item(item: Any) -> int | slice | EllipsisType | None:
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if not isinstance(item, bool):
        try:
            return operator.index(item)
        except TypeError:
            pass
    kind = "b" if isinstance(item, bool) else getattr(getattr(item, "dtype", None), "kind", None)
    is_many = isinstance(item, Iterable) and not isinstance(item, str | bytes)
    if kind in ("b", "i", "u") or (kind is None and (is_many or hasattr(item, "__array__"))):
        name = "boolean" if kind == "b" else type(item).__name__
        raise NotSupported(f"a {name} index of an array on disk. Read a slice, then index it: a[lo:hi][mask]")
    raise IndexError("only integers, slices (`:`), ellipsis (`...`) and numpy.newaxis (`None`) are valid indices of an array on disk")


def _within(at: int, axis: int, size: int) -> int:
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {size}")
    return at + size if at < 0 else at


def _along(item: slice, size: int) -> tuple[int, int, int, bool]:
    """lo, step, count, reversed of a slice. A step that is never taken is 1, so that all numbers lie within the axis."""
    taken = range(*item.indices(size))
    if len(taken) <= 1:
        return (taken[0] if taken else 0), 1, len(taken), False
    if taken.step < 0:
        return taken[-1], -taken.step, len(taken), True
    return taken[0], taken.step, len(taken), False
