# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with buffered arrays: in place block by block; else on all of it in memory, where its memory holds that, as ``numpy.add(u, 1)`` has it.

>>> u *= 2
>>> v = u + 1          # a numpy.ndarray; Refused where u is larger than its memory, with the cure
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from octavo.array import Array
from octavo.buffered_arrays.blocks import blocks_of
from octavo.errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Self

    from octavo.buffered_arrays.array import BufferedArray


class Arithmetic:
    """The operators of octavo.BufferedArray."""

    def _in_place(self, operation: Callable[..., Any], other: Any) -> Self:
        array = cast("BufferedArray", self)
        if not isinstance(other, Array):
            other = np.broadcast_to(np.asarray(other), array.shape)
        elif other.shape != array.shape:
            raise UsageError(f"an array of shape {other.shape} into one of {array.shape}. Give one of that shape, or a NumPy array that broadcasts")
        for block in blocks_of(array, 0, "none", None):
            operation(block.data, other[block.box], out=block.out, casting="same_kind")
        return self

    def __iadd__(self, other: Any) -> Self:
        return self._in_place(np.add, other)

    def __isub__(self, other: Any) -> Self:
        return self._in_place(np.subtract, other)

    def __imul__(self, other: Any) -> Self:
        return self._in_place(np.multiply, other)

    def __itruediv__(self, other: Any) -> Self:
        return self._in_place(np.true_divide, other)

    def _in_memory(self) -> npt.NDArray[Any]:
        return np.asarray(self)

    def __add__(self, other: Any) -> Any:
        return self._in_memory() + other

    def __radd__(self, other: Any) -> Any:
        return other + self._in_memory()

    def __sub__(self, other: Any) -> Any:
        return self._in_memory() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self._in_memory()

    def __mul__(self, other: Any) -> Any:
        return self._in_memory() * other

    def __rmul__(self, other: Any) -> Any:
        return other * self._in_memory()

    def __truediv__(self, other: Any) -> Any:
        return self._in_memory() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self._in_memory()

    def __neg__(self) -> Any:
        return -self._in_memory()
