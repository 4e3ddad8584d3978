# SPDX-License-Identifier: Apache-2.0
"""Memory that the threads and processes of a program on one machine write to in common."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo.errors import UsageError
from octavo.objects import current
from octavo.objects.arrays import extents_of


class Segment:
    """``heat = octavo.Segment("heat", (100, 100))``: opens the segment of this name on this machine, or makes it, of zeros. Without a name (None): a new one.

    ``heat.array`` is a NumPy array on it; ``heat[3, 4] += 1`` the same for short. As an argument or a result it is the same memory there, and it lives while
    anybody has it. Nothing but calls says who comes after whom: what two processes change at once is lost for one. The array alone is a value, which
    travels as a copy.

    Raises UsageError (the name has another type or size, no elements, or of Python objects), Refused (it does not fit the memory of the Runtime). Sent to
    another machine: NotSupported; ``heat.copy()`` goes anywhere. See clauses SEG-1 to SEG-5 in docs/contract.md.
    """

    __slots__ = ("_memory", "array")

    array: npt.NDArray[Any]

    def __init__(self, name: str | None, shape: int | tuple[int, ...], dtype: npt.DTypeLike = float) -> None:
        if name is not None and not isinstance(name, str):
            raise UsageError(f"the name of a segment is a str, or None, not {type(name).__name__}. Write octavo.Segment('heat', 100)")
        current.begin_for(name)
        kind = np.dtype(dtype)
        if kind.kind not in "biufc" or not kind.isnative:
            raise UsageError(f"a segment was to have elements of dtype {kind}. Use a native dtype of numbers")
        extents = extents_of(shape)
        if any(extent < 0 for extent in extents):
            raise UsageError(f"a segment was to have the shape {extents}")
        self._lie_on(_core.SegmentMemory(name, kind.name, kind.itemsize, math.prod(extents)), extents, kind)

    def _lie_on(self, memory: _core.SegmentMemory, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        self._memory = memory
        buffer: Any = memory
        self.array = np.frombuffer(buffer, dtype).reshape(shape)

    @property
    def name(self) -> str | None:
        return self._memory.name or None

    def copy(self) -> npt.NDArray[Any]:
        """An ordinary array of the elements as they are now."""
        copied: npt.NDArray[Any] = self.array.copy()
        return copied

    def __getitem__(self, index: Any) -> Any:
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[index] = value

    def __len__(self) -> int:
        return len(self.array)

    def __array__(self, *options: Any, **more: Any) -> npt.NDArray[Any]:
        return np.asarray(self.array, *options, **more)

    def __repr__(self) -> str:
        return f"<octavo.Segment {self.name or 'without a name'}, shape {self.array.shape}, {self.array.dtype}>"

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if protocol < 5:
            raise UsageError(f"{self!r} was to be copied or pickled, and it can only be sent. Take its copy()")
        memory: Any = self._memory
        return _arrived, (pickle.PickleBuffer(memory), self.array.shape, self.array.dtype.str)


def _arrived(memory: object, shape: tuple[int, ...], dtype: str) -> Segment:
    if not isinstance(memory, _core.SegmentMemory):
        raise UsageError("a segment was pickled by the program itself, and it can only be sent. Pickle its copy()")
    segment = Segment.__new__(Segment)
    segment._lie_on(memory, shape, dtype)
    return segment
