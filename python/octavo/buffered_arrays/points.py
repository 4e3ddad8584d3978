# SPDX-License-Identifier: Apache-2.0
"""Elements of a buffered array by boolean and integer indices, as NumPy selects them; read and written in the order of their blocks.

>>> u[mask], u[[3, 1, 4], 5], u[rows[:, None], columns]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from octavo._src import transfer

if TYPE_CHECKING:
    from octavo.buffered_arrays.array import BufferedArray


def is_one(index: Any) -> bool:
    """Whether NumPy takes it for one of these: a boolean, a list, an array that is no single integer, or a tuple with one of them."""
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(each, bool | np.bool_ | list) or (isinstance(each, np.ndarray) and (each.ndim > 0 or each.dtype.kind == "b")) for each in items)


def _coordinates(array: BufferedArray, index: Any) -> npt.NDArray[np.int64]:
    """Of all that is selected: along each axis in turn, in the shape that NumPy gives the result, and with the errors that it raises."""
    shape = array.shape
    along = [np.arange(extent).reshape([-1 if k == axis else 1 for k in range(len(shape))]) for axis, extent in enumerate(shape)]
    return np.stack([np.broadcast_to(each, shape)[index] for each in along])


def read(array: BufferedArray, index: Any) -> npt.NDArray[Any]:
    """``array[index]``."""
    found = _coordinates(array, index)
    result = np.empty(found.shape[1:], array.dtype)
    if result.size:
        array._buffers("read").gather(np.ascontiguousarray(found.reshape(array.ndim, -1)), result.reshape(-1))
    return result


def write(array: BufferedArray, index: Any, value: Any) -> None:
    """``array[index] = value``: of an element that is named twice the last value stays."""
    what = f"writing to '{array.path}'"
    found = _coordinates(array, index)
    elements = transfer.elements_of(value, array.dtype, what)
    transfer.check_kinds(elements.dtype, array.dtype, what)
    transfer.check_range(elements, array.dtype, what)
    given = np.broadcast_to(elements.astype(array.dtype), found.shape[1:])
    if given.size:
        array._buffers("write to").scatter(np.ascontiguousarray(found.reshape(array.ndim, -1)), np.ascontiguousarray(given).reshape(-1))
