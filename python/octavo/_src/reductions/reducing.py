# SPDX-License-Identifier: Apache-2.0
"""Reductions box by box: each box of the result is made from the boxes of the array above it, so that only these are in memory beside the result."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src import transfer
from octavo._src.indexing.blocks import cuts
from octavo._src.indexing.selection import select
from octavo._src.packed import check_meant
from octavo._src.reductions.accumulators import Accumulator, Extreme, Spread, Sum, counted, wide
from octavo.errors import NotSupported, Refused, UsageError

if TYPE_CHECKING:
    from octavo.views import ArrayView

Box = tuple[slice | EllipsisType, ...]
ACCUMULATED = 6  # arrays of the result's box that an accumulator has while it adds one


@dataclass(frozen=True)
class Asked:
    """``name``: of the method, as NumPy has it; ``what`` it does, whether it passes NaN over or not. The others as there; ``dtype`` and ``ddof`` only for the
    methods that have them."""

    name: str
    axis: int | Sequence[int] | None
    keepdims: bool
    dtype: npt.DTypeLike | None = None
    ddof: float = 0

    @property
    def what(self) -> str:
        return self.name.removeprefix("nan")

    def gaps_in(self, dtype: np.dtype[Any]) -> bool:
        """Whether elements of this type may be passed over."""
        return self.name != self.what and dtype.kind in "fc"

    def by_numpy(self, array: npt.NDArray[Any]) -> Any:
        """Of an array in memory."""
        more: dict[str, Any] = {} if self.dtype is None else {"dtype": self.dtype}
        if self.what in ("var", "std"):
            more["ddof"] = self.ddof
        axis = tuple(self.axis) if isinstance(self.axis, Sequence) else self.axis
        function = getattr(array, self.name) if self.name == self.what else functools.partial(getattr(np, self.name), array)
        return function(axis=axis, keepdims=self.keepdims, **more)


def _refuse_names(view: ArrayView, asked: Asked) -> None:
    """As NumPy does; and says which number is meant."""
    axes = asked.axis if isinstance(asked.axis, Sequence) and not isinstance(asked.axis, str) else [asked.axis]
    for name in axes:
        if isinstance(name, str):
            dims = view.dims or ()
            cure = f"It is axis {dims.index(name)}" if name in dims else "Give an integer"
            raise TypeError(f"{asked.name} of '{view.base.path}' along {name!r}: axes are numbers here, not names. {cure}")


def reduced(view: ArrayView, asked: Asked, out: object) -> Any:
    """The method ``asked.name`` of the array, as NumPy has it. NotSupported for ``out``; Refused for a result that does not fit into the array's memory."""
    if out is not None:
        raise NotSupported(f"{asked.name} of '{view.base.path}' into an out. Take what it gives: out[...] = a.{asked.name}(...)")
    _refuse_names(view, asked)
    view.base._open("read")
    check_meant(view.base.packed, view.base.opening.unpack, f"{asked.name} of '{view.base.path}'", "Open it with")
    dtype = _type_of_result(view, asked)
    axes = _axes(asked.axis, view.ndim)
    shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(view.shape))
    _check_room(view, asked, math.prod(shape) * dtype.itemsize)
    if view.size == 0:
        return asked.by_numpy(np.zeros(view.shape, view.dtype))
    count = math.prod(view.shape[axis] for axis in axes)
    gaps, least = asked.gaps_in(view.dtype), count
    result = np.empty(shape, dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        for where, boxes in _boxes(view, asked, axes, wide(dtype).itemsize):
            accumulator = _accumulator(asked, axes, view.dtype, dtype)
            there = sum(_count_added(accumulator, view[box], axes) for box in boxes) if gaps else _add_all(accumulator, view, boxes, count)
            np.copyto(result[where], accumulator.result(there, asked.ddof), casting="unsafe")
            least = min(least, int(np.min(there)))
            if gaps and asked.what in ("var", "std"):  # numpy.var has infinity where distances are left
                np.copyto(result[where], np.nan, where=np.asarray(there) <= asked.ddof)
    _warn(asked, gaps, least)
    if not asked.keepdims:
        result = result.reshape([extent for axis, extent in enumerate(shape) if axis not in axes])
    return result if result.ndim else result[()]


def _count_added(accumulator: Accumulator, values: npt.NDArray[Any], axes: tuple[int, ...]) -> npt.NDArray[Any]:
    """Without those that are NaN; how many the others are."""
    gone = np.isnan(values)
    accumulator.add(values, gone)
    return counted(gone, axes)


def _add_all(accumulator: Accumulator, view: ArrayView, boxes: Iterator[Box], count: int) -> int:
    for box in boxes:
        accumulator.add(view[box], None)
    return count


def _type_of_result(view: ArrayView, asked: Asked) -> np.dtype[Any]:
    """What NumPy makes of one element; it also raises what is wrong with the axes."""
    kinds = "fc" if asked.what in ("var", "std") else "biufc"
    if asked.dtype is not None and np.dtype(asked.dtype).kind not in kinds:
        cure = "Give a floating one, or none" if kinds == "fc" else "Give one of numbers, or none"
        raise UsageError(f"{asked.name} of '{view.base.path}' with dtype {asked.dtype}. {cure}")
    if asked.dtype is not None and kinds == "fc" and view.dtype.kind == "c" != np.dtype(asked.dtype).kind:
        raise UsageError(
            f"{asked.name} of '{view.base.path}', which is {view.dtype}, with dtype {asked.dtype}, which has no imaginary part. Give a complex one"
        )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found: np.dtype[Any] = np.dtype(asked.by_numpy(np.zeros((1,) * view.ndim, view.dtype)).dtype)
    return found


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Those that are reduced, counted from 0, after NumPy has found nothing wrong with them."""
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, Sequence) else (axis,)
    return tuple(operator.index(each) % ndim for each in given) if ndim else ()


def _check_room(view: ArrayView, asked: Asked, wanted: int) -> None:
    memory = view.base.opening.memory
    if wanted > memory:
        refusal = Refused(
            f"{asked.name} of '{view.base.path}' along {asked.axis} takes {_core.format_bytes(wanted)}, more than the memory it was opened with, "
            f"{_core.format_bytes(memory)}. Reduce more axes, or a part at a time; or open it with more memory"
        )
        raise refusal._about(view.base.path, wanted)


def _warn(asked: Asked, gaps: bool, least: int) -> None:
    """As NumPy does. ``least``: the fewest elements that anything of the result was made of."""
    text = ""
    if asked.what in ("var", "std") and least <= asked.ddof:
        text = "Degrees of freedom <= 0 for slice"
    elif gaps and least == 0 and asked.what != "sum":
        text = "Mean of empty slice" if asked.what == "mean" else "All-NaN slice encountered"
    if text:
        warnings.warn(text, RuntimeWarning, stacklevel=5)


def _accumulator(asked: Asked, axes: tuple[int, ...], stored: np.dtype[Any], dtype: np.dtype[Any]) -> Accumulator:
    if asked.what in ("min", "max"):
        ufunc = {"min": np.minimum, "max": np.maximum, "nanmin": np.fmin, "nanmax": np.fmax}[asked.name]
        return Extreme(axes, ufunc)
    if asked.what in ("sum", "mean"):
        return Sum(axes, wide(dtype), mean=asked.what == "mean")
    told = np.dtype(asked.dtype) if asked.dtype is not None else stored if stored.kind in "fc" else np.dtype(np.float64)
    return Spread(axes, wide(told), root=asked.what == "std")


def _boxes(view: ArrayView, asked: Asked, axes: tuple[int, ...], wide: int) -> Iterator[tuple[Box, Iterator[Box]]]:
    """Boxes of the result, with the reduced axes of extent 1, and for each those of the array that it is made of. ``wide``: bytes of what is added up."""
    parts = _parts(view, asked, axes, wide)
    for above in itertools.product(*([(0, 1)] if axis in axes else part for axis, part in enumerate(parts))):
        within = [part if axis in axes else [above[axis]] for axis, part in enumerate(parts)]
        yield _box(above), map(_box, itertools.product(*within))


def _parts(view: ArrayView, asked: Asked, axes: tuple[int, ...], wide: int) -> list[list[tuple[int, int]]]:
    """Where the view's axes are cut: at pages, into boxes that take at most the limit while they are reduced: as they are read, as they are converted, and
    what they become."""
    limit = min(transfer.BLOCK_BYTES, view.base.opening.memory // 4)
    itemsize = view.base.dtype.itemsize + (view.dtype.itemsize if view.dtype != view.base.dtype else 0) + (2 * wide if asked.what in ("var", "std") else 0)
    itemsize += 2 if asked.gaps_in(view.dtype) else 0  # which are NaN, and which are not
    assumed = itemsize
    while True:
        found = cuts(select(..., view.base.shape), view.base.chunks, assumed, limit)
        parts = [found[axis] for axis in view.axes]
        counts = [max(count for _, count in part) for part in parts]
        above = math.prod(count for axis, count in enumerate(counts) if axis not in axes)
        if math.prod(counts) * itemsize + above * ACCUMULATED * wide <= limit or math.prod(counts) == 1:
            return parts
        assumed *= 2


def _box(parts: tuple[tuple[int, int], ...]) -> Box:
    return (*(slice(start, start + count) for start, count in parts), ...)  # or an array without axes would give a scalar
