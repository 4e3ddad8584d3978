# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes and spreads of arrays on disk, in one pass over the array.

>>> a = octavo.open_array("density.zarr")
>>> a.mean(), a.max(axis=0), a.std(axis=(1, 2), ddof=1), a.nanmean(axis=0)

Where not all axes are reduced, the result lies in memory. numpy.mean(a) and the like come here, too; numpy.nanmean(a) does not, it reads all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

from octavo._src.keywords import known_options
from octavo._src.reductions.reducing import Asked, reduced

if TYPE_CHECKING:
    from octavo.views import ArrayView

Axis: TypeAlias = int | Sequence[int] | None


class Reductions(ABC):
    """The reductions of octavo.Array and its views. The result is what NumPy gives for ``a[...]``: shape, dtype, NaN and errors, but for the
    rounding: single precision is added up in double precision, and double precision with what each addition lost.

    axis: one, several, or None for all; keepdims: the reduced axes stay, with one element. dtype: what is added up, and the result.
    They take up to a quarter of the memory that the array was opened with, at most 64 MiB, and the result.
    Refused: a result larger than that memory. NotSupported: ``out``. UsageError: the array is closed or packed, opened without ``unpack``, or an option that
    there is not.
    """

    @abstractmethod
    def _view(self) -> ArrayView: ...

    @known_options("sum")
    def sum(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, *, keepdims: bool = False) -> Any:
        """The sum along ``axis``: of integers int64 or uint64, which wraps around, else of the array's type."""
        return reduced(self._view(), Asked("sum", axis, keepdims, dtype), out)

    @known_options("mean")
    def mean(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, *, keepdims: bool = False) -> Any:
        """The mean along ``axis``: of integers float64, else of the array's type. NaN and a RuntimeWarning where there are no elements."""
        return reduced(self._view(), Asked("mean", axis, keepdims, dtype), out)

    @known_options("min")
    def min(self, axis: Axis = None, out: None = None, *, keepdims: bool = False) -> Any:
        """The smallest element along ``axis``; NaN if there is one. ValueError where there are no elements."""
        return reduced(self._view(), Asked("min", axis, keepdims), out)

    @known_options("max")
    def max(self, axis: Axis = None, out: None = None, *, keepdims: bool = False) -> Any:
        """The largest element along ``axis``; NaN if there is one. ValueError where there are no elements."""
        return reduced(self._view(), Asked("max", axis, keepdims), out)

    @known_options("nansum")
    def nansum(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, *, keepdims: bool = False) -> Any:
        """As sum, of the elements that are not NaN: 0 where all are."""
        return reduced(self._view(), Asked("nansum", axis, keepdims, dtype), out)

    @known_options("nanmean")
    def nanmean(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, *, keepdims: bool = False) -> Any:
        """As mean, of the elements that are not NaN; NaN and a RuntimeWarning where all are."""
        return reduced(self._view(), Asked("nanmean", axis, keepdims, dtype), out)

    @known_options("nanmin")
    def nanmin(self, axis: Axis = None, out: None = None, *, keepdims: bool = False) -> Any:
        """The smallest of the elements that are not NaN; NaN and a RuntimeWarning where all are."""
        return reduced(self._view(), Asked("nanmin", axis, keepdims), out)

    @known_options("nanmax")
    def nanmax(self, axis: Axis = None, out: None = None, *, keepdims: bool = False) -> Any:
        """The largest of the elements that are not NaN; NaN and a RuntimeWarning where all are."""
        return reduced(self._view(), Asked("nanmax", axis, keepdims), out)

    @known_options("var")
    def var(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, ddof: float = 0, *, keepdims: bool = False) -> Any:
        """The mean of the squared distance from the mean along ``axis``, divided by the number of elements less ``ddof``; real and floating."""
        return reduced(self._view(), Asked("var", axis, keepdims, dtype, ddof), out)

    @known_options("std")
    def std(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, ddof: float = 0, *, keepdims: bool = False) -> Any:
        """The square root of ``var``."""
        return reduced(self._view(), Asked("std", axis, keepdims, dtype, ddof), out)

    @known_options("nanvar")
    def nanvar(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, ddof: float = 0, *, keepdims: bool = False) -> Any:
        """As var, of the elements that are not NaN; NaN and a RuntimeWarning where these are no more than ``ddof``."""
        return reduced(self._view(), Asked("nanvar", axis, keepdims, dtype, ddof), out)

    @known_options("nanstd")
    def nanstd(self, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: None = None, ddof: float = 0, *, keepdims: bool = False) -> Any:
        """The square root of ``nanvar``."""
        return reduced(self._view(), Asked("nanstd", axis, keepdims, dtype, ddof), out)
