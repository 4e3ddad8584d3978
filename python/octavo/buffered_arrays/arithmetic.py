# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with buffered arrays: in place block by block; else on all of it in memory, where its memory holds that, as ``numpy.add(u, 1)`` has it.

>>> u *= 2
>>> v = u + 1          # a numpy.ndarray; Refused where u is larger than its memory, with the cure
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from octavo.array import Array
from octavo.buffered_arrays.blocks import blocks_of
from octavo.errors import UsageError

if TYPE_CHECKING:
    from octavo.buffered_arrays.array import BufferedArray


class Arithmetic(NDArrayOperatorsMixin):
    """The operators of octavo.BufferedArray, which NumPy's mixin makes of this one function."""

    __hash__ = object.__hash__  # the mixin compares elements

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] = (), **keywords: Any) -> Any:
        if method == "at" and isinstance(inputs[0], Arithmetic):
            cure = "u[i] += x where no index is there twice; else x = u[...], that into x, and u[...] = x (of counts numpy.bincount)"
            raise UsageError(f"numpy.{ufunc.__name__}.at into a buffered array. Write {cure}")
        into = [each for each in out if isinstance(each, Arithmetic)]
        if not into:
            in_memory = [np.asarray(each) if isinstance(each, Array) else each for each in inputs]
            if isinstance(where := keywords.get("where"), Array):
                keywords["where"] = np.asarray(where)
            return getattr(ufunc, method)(*in_memory, **keywords, **({"out": out} if out else {}))
        if len(out) != 1 or method != "__call__":
            called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
            raise UsageError(f"numpy.{called} into a buffered array. Give it an out= in memory, and assign that: u[...] = x")
        return cast(Any, into[0])._in_place(ufunc, inputs, keywords)

    def _in_place(self, ufunc: np.ufunc, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if ufunc.signature is not None:  # of more than one element: of a block it would be another
            raise UsageError(f"numpy.{ufunc.__name__} into a buffered array. Assign what it gives in memory: u[...] = u @ x, or u[lo:hi] = u[lo:hi] @ x")
        array = cast("BufferedArray", self)
        whole = [_as_whole(each, array.shape) for each in inputs]
        where = _as_whole(keywords.pop("where", True), array.shape)
        for block in blocks_of(array, 0, "none", None):
            block.data.flags.writeable = True
            parts = [block.data if each is array else _part(each, block.box) for each in whole]
            ufunc(*parts, out=block.data, where=_part(where, block.box), **keywords)
            block.filled = block.data
        return self


def _as_whole(given: Any, shape: tuple[int, ...]) -> Any:
    """A number stays as it is: its type follows that of the array."""
    if isinstance(given, Array):
        if given.shape != shape:
            raise UsageError(f"an array of shape {given.shape} into one of {shape}. Give one of that shape, or a NumPy array that broadcasts")
        return given
    return given if np.ndim(given) == 0 else np.broadcast_to(np.asarray(given), shape)


def _part(whole: Any, box: Any) -> Any:
    return whole if np.ndim(whole) == 0 else whole[box]
