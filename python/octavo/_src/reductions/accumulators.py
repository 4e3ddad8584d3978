# SPDX-License-Identifier: Apache-2.0
"""What is kept of the boxes that were seen while an array is reduced. Pure NumPy."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]


class Accumulator(Protocol):
    """Takes boxes of one shape along the axes that stay, and may write to them. ``gone``: which of the elements count for nothing, if any may. ``count``: of
    those that do, over all boxes; one number, or one for each element of the result."""

    def add(self, box: Values, gone: Values | None) -> None: ...
    def result(self, count: int | Values, ddof: float) -> Values: ...


def counted(gone: Values, axes: tuple[int, ...]) -> Values:
    """How many are not gone."""
    return np.asarray(np.add.reduce(~gone, axis=axes, dtype=np.int64, keepdims=True))


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """At least double precision, of what is floating or complex."""
    return np.result_type(dtype, np.float64) if dtype.kind in "fc" else dtype


class Sum:
    """The sum, or the mean. Floating ones with the rest that each addition lost (Knuth's TwoSum), so that the number of boxes does not matter."""

    def __init__(self, axes: tuple[int, ...], dtype: np.dtype[Any], mean: bool) -> None:
        self._axes, self._dtype, self._mean = axes, dtype, mean
        self._sum: Values | None = None
        self._lost: Values | None = None

    def add(self, box: Values, gone: Values | None) -> None:
        if gone is not None:
            np.copyto(box, 0, where=gone)
        part = np.asarray(np.add.reduce(box, axis=self._axes, dtype=self._dtype, keepdims=True))
        before = self._sum
        if before is None:
            self._sum = part
            return
        self._sum = before + part
        if self._dtype.kind in "fc":
            back = self._sum - before
            lost = (before - (self._sum - back)) + (part - back)
            self._lost = lost if self._lost is None else self._lost + lost

    def result(self, count: int | Values, ddof: float) -> Values:
        assert self._sum is not None
        found = self._sum
        if self._lost is not None:  # of infinite sums it is NaN
            found = np.where(np.isfinite(self._lost), found + self._lost, found)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.true_divide(found, count) if self._mean else found


class Extreme:
    """The smallest or largest, by numpy.minimum or numpy.maximum; by numpy.fmin or numpy.fmax of those that are no NaN."""

    def __init__(self, axes: tuple[int, ...], function: np.ufunc) -> None:
        self._axes, self._function = axes, function
        self._found: Values | None = None

    def add(self, box: Values, gone: Values | None) -> None:
        part = np.asarray(self._function.reduce(box, axis=self._axes, keepdims=True))
        self._found = part if self._found is None else self._function(self._found, part)

    def result(self, count: int | Values, ddof: float) -> Values:
        assert self._found is not None
        return self._found


class Spread:
    """Variance, or its root: mean and squared distances of each box, put together as Chan, Golub and LeVeque do."""

    def __init__(self, axes: tuple[int, ...], dtype: np.dtype[Any], root: bool) -> None:
        self._axes, self._dtype, self._root = axes, dtype, root
        self._count: Values = np.zeros((), np.int64)
        self._mean: Values = np.zeros((), dtype)
        self._squares: Values = np.zeros((), np.real(np.zeros((), dtype)).dtype)

    def add(self, box: Values, gone: Values | None) -> None:
        values = box.astype(self._dtype)
        if gone is None:
            new = np.asarray(np.prod([box.shape[axis] for axis in self._axes], dtype=np.int64))
        else:
            new = counted(gone, self._axes)
            np.copyto(values, 0, where=gone)
        mean = np.asarray(np.add.reduce(values, axis=self._axes, keepdims=True) / np.maximum(new, 1))
        values -= mean
        if gone is not None:
            np.copyto(values, 0, where=gone)
        squares = np.asarray(_squared(values).sum(axis=self._axes, keepdims=True))
        if not self._count.any():
            self._count, self._mean, self._squares = new, mean, squares
            return
        both = self._count + new
        whole = np.maximum(both, 1)
        apart = np.asarray(mean - self._mean)
        self._squares = self._squares + squares + _squared(apart.copy()) * (self._count / whole * new)
        self._mean = self._mean + apart * (new / whole)
        self._count = both

    def result(self, count: int | Values, ddof: float) -> Values:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.true_divide(self._squares, np.maximum(np.asarray(count) - ddof, 0))
            return np.sqrt(found) if self._root else found


def _squared(values: Values) -> Values:
    """|x|^2, in place where they are real."""
    if values.dtype.kind != "c":
        return np.multiply(values, values, out=values)
    found: Values = np.square(values.real)
    found += np.square(values.imag)
    return found
