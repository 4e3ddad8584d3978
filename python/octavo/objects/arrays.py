# SPDX-License-Identifier: Apache-2.0
"""Arrays in the pool that all processes of a machine share: they travel without a copy, and arrive read-only while another holds them."""

import math
from collections.abc import Iterable
from operator import index
from typing import Any, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo.errors import UsageError
from octavo.objects import current

T = TypeVar("T", bound=np.generic)


def extents_of(shape: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Of one axis or more, also where they are NumPy's integers."""
    return (index(shape),) if isinstance(shape, SupportsIndex) else tuple(index(each) for each in shape)


def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike = float) -> npt.NDArray[Any]:
    """A new array in the pool, of elements that are not set. As an argument or a result of a call it is shared, of 4 KiB or more; a smaller
    one is copied, and arrives writable.

    Waits while the pool is full; raises Refused where it could never hold the array.
    """
    extents = extents_of(shape)
    if any(extent < 0 for extent in extents):
        raise UsageError(f"an array was to have the shape {extents}. Give extents of 0 or more")
    kind = np.dtype(dtype)
    count = math.prod(extents)
    current.begin()
    if count == 0 or kind.hasobject:
        return np.empty(extents, kind)
    memory: Any = _core.Block(count * kind.itemsize)
    made: npt.NDArray[Any] = np.frombuffer(memory, kind)
    return made.reshape(extents)


def give(array: npt.NDArray[T]) -> npt.NDArray[T]:
    """``p.take(octavo.give(a))``: who receives the array may write to it.

    Here it is read-only from now on, shows what is written there, and once it was sent it cannot be sent again. It has to be an argument, or a result, by
    itself: UsageError where it is in something else. Also for an array that does not fill its memory in the pool (see empty()), or that another has shared.
    """
    _core.give(array)
    array.flags.writeable = False
    return array
