# SPDX-License-Identifier: Apache-2.0
"""Arrays on disk seen with their axes permuted or their elements converted. Nothing is read before an element is asked for.

>>> a = octavo.open_array("density.zarr")
>>> a.T[0], a.transpose(1, 0, 2)[:10], a.astype("float32")[:10]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src.indexing.selection import Index, select
from octavo._src.inputs import View
from octavo.errors import NotSupported, Refused, UsageError
from octavo.reductions import Reductions

if TYPE_CHECKING:
    from octavo.array import Array

NUMBERS = "biufc"  # kinds of NumPy's types


class Lazy(Reductions):
    """What octavo.Array and its views have in common."""

    @property
    def T(self) -> ArrayView:  # noqa: N802  (NumPy's name)
        """With the axes in reverse order; read-only, reads nothing."""
        return self.transpose()

    def transpose(self, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> ArrayView:
        """With the axes permuted as by ndarray.transpose: all reversed if none are given; read-only, reads nothing. ValueError as in NumPy."""
        view = self._view()
        order: Any = axes
        np.empty((0,) * view.ndim).transpose(*order)  # raises what NumPy raises
        if len(axes) == 1 and (isinstance(axes[0], np.ndarray) or not isinstance(axes[0], SupportsIndex)):
            order = () if axes[0] is None else tuple(axes[0])
        chosen = [int(axis) % view.ndim for axis in order] if order else range(view.ndim)[::-1]
        return view.with_axes(chosen)

    def astype(self, dtype: npt.DTypeLike) -> ArrayView:
        """With the elements converted as by ndarray.astype, whatever is lost, when they are read; read-only, reads nothing.

        NotSupported: a dtype that is neither bool nor of numbers.
        """
        wanted = np.dtype(dtype)
        if wanted.kind not in NUMBERS:
            raise NotSupported(f"an array on disk as {wanted}. Give a dtype of numbers; of what is in memory NumPy makes others: a[lo:hi].astype(...)")
        return self._view().with_dtype(wanted)

    def __iter__(self) -> Iterator[Any]:
        """The rows (of one axis: the elements), read one by one."""
        view = self._view()
        if not view.shape:
            raise TypeError("iteration over a 0-d array")
        return (view[i] for i in range(view.shape[0]))


class ArrayView(Lazy, View):
    """An octavo.Array, ``base``, with other axes or another dtype: what a.T, a.transpose and a.astype give. Read-only: it has no elements of its own.

    ``view[index]`` and numpy.asarray read as those of the array do; so do the reductions. It can be written into another array: ``b[...] = a.T``.
    """

    def __init__(self, base: Array, axes: Sequence[int] | None = None, casts: tuple[np.dtype[Any], ...] = ()) -> None:
        """For octavo.Array. Axis k is the array's ``axes[k]``. ``casts``: what the elements are converted to, one after the other."""
        self.base = base
        self.axes = tuple(range(base.ndim)) if axes is None else tuple(axes)
        self._casts = casts

    def __repr__(self) -> str:
        return f"<octavo.ArrayView of '{self.base.path}' {self.shape} {self.dtype}, axes {self.axes}>"

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return tuple(self.base.shape[axis] for axis in self.axes)

    @property
    def dtype(self) -> np.dtype[Any]:
        """What its elements are read as."""
        return self._casts[-1] if self._casts else self.base.dtype

    @property
    def chunks(self) -> tuple[int, ...]:
        """The shape of a page."""
        return tuple(self.base.chunks[axis] for axis in self.axes)

    @property
    def dims(self) -> tuple[str | None, ...] | None:
        """The names of the axes."""
        return None if self.base.dims is None else tuple(self.base.dims[axis] for axis in self.axes)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.axes)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.base.size

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, as they are read."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __getitem__(self, index: Index) -> Any:
        selection = select(index, self.shape)
        found = self.base._read(selection.of_base(self.axes), None, self._casts[0] if self._casts else None, lossy=True)
        for cast in self._casts[1:]:
            found = found.astype(cast)
        return found

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """All of it; as octavo.Array.__array__."""
        path, memory = self.base.path, self.base.opening.memory
        if copy is False:
            raise UsageError(f"'{path}' as a NumPy array without a copy: it is on disk. Leave out copy=False")
        seen = self if dtype is None else self.with_dtype(np.dtype(dtype))
        wanted = math.prod(self.shape) * max([seen.dtype.itemsize, *(cast.itemsize for cast in seen._casts)])
        if wanted > memory:
            refusal = Refused(
                f"'{path}' as a NumPy array takes {_core.format_bytes(wanted)}, more than the memory it was opened with, "
                f"{_core.format_bytes(memory)}. Read a part, a[lo:hi], or all of it, a[...]; or open it with more memory"
            )
            raise refusal._about(path, wanted)
        result: npt.NDArray[Any] = seen[...]
        return result

    def with_axes(self, axes: Sequence[int]) -> ArrayView:
        """Axis k is this one's ``axes[k]``."""
        return ArrayView(self.base, [self.axes[axis] for axis in axes], self._casts)

    def with_dtype(self, dtype: np.dtype[Any]) -> ArrayView:
        """Its elements converted once more."""
        return ArrayView(self.base, self.axes, self._casts if dtype == self.dtype else (*self._casts, dtype))

    def _view(self) -> ArrayView:
        return self
