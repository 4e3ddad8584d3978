# SPDX-License-Identifier: Apache-2.0
"""Sums and the like of distributed arrays, of all elements or along axes.

>>> a.sum(); a.mean(axis=0); numpy.max(a, axis=(0, 2))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, cast

import numpy as np

from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:
    from octavo.distributed.array import DistributedArray

Axis: TypeAlias = "SupportsIndex | Sequence[SupportsIndex] | None"


def reduced(a: DistributedArray, name: str, axis: Axis, dtype: object = None, out: object = None) -> Any:
    if dtype is not None or out is not None:
        raise NotSupported(f"{name} of a distributed array in another type, or into out. Leave dtype and out away")
    axes = _axes_of(a, name, axis)
    if len(axes) == a.ndim:
        kind, value = a._body.reduce(name)
        return np.frombuffer(value, kind)[0]
    made = a
    for each in reversed(axes):
        made = type(a)(made._body.reduce_axis(name, each))
    return made


def mean(a: DistributedArray, axis: Axis, dtype: object, out: object) -> Any:
    count = math.prod(a.shape[each] for each in _axes_of(a, "mean", axis))
    if count == 0:
        raise UsageError(f"mean of {a!r}, which has no elements. Ask for it of an array that has some")
    if a.dtype.kind in "iub":  # NumPy's mean adds up in float64, and its sum in 64 bits
        a = cast("DistributedArray", np.multiply(a, 1.0))
    total = reduced(a, "sum", axis, dtype, out)
    return np.true_divide(total, count) if isinstance(total, type(a)) else total.dtype.type(total / count)


def _axes_of(a: DistributedArray, name: str, axis: Axis) -> list[int]:
    """From the first on."""
    if axis is None:
        return list(range(a.ndim))
    named = [each.__index__() for each in (axis if isinstance(axis, Sequence) else (axis,))]
    axes = sorted(each + a.ndim if each < 0 else each for each in named)
    if any(each < 0 or each >= a.ndim for each in axes) or len(set(axes)) != len(axes):
        raise UsageError(f"{name} along axis {axis!r} of {a!r}. Name axes from 0 to {a.ndim - 1}, each once")
    return axes
