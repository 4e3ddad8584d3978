# SPDX-License-Identifier: Apache-2.0
"""Values that the compact form of the binding (``bindings/objects/value/codec.hpp``) does not have: pickle protocol 5, buffers beside.

Classes and functions of ``__main__``, of a notebook or of a function travel by value (cloudpickle), all others by name.
"""

import pickle
from typing import Any

import cloudpickle
import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo.errors import UsageError
from octavo.objects.unpicklable import explain

least_beside = 4096  # bytes: smaller buffers stay within


def dumps(value: object, buffers: list[pickle.PickleBuffer] | None) -> bytes:
    """The pickle of a value; buffers that are large enough are appended to ``buffers`` instead. None: all stay within.

    Raises TypeError that names what cannot be pickled and where in the value it stands.
    """

    def keep_beside(buffer: pickle.PickleBuffer) -> bool:
        if _core.is_to_be_given(memoryview(buffer).obj):
            raise UsageError("octavo.give() has to be an argument or a result by itself, not a part of one. Give the array in a call of its own")
        if isinstance(memoryview(buffer).obj, _core.SegmentMemory):
            if buffers is None:
                raise UsageError("a segment is beside more than 255 arrays in one argument. Give it in a call of its own")
            buffers.append(buffer)
            return False
        if buffers is None or buffer.raw().nbytes < least_beside:
            return True  # within
        buffers.append(buffer)
        return False

    try:
        return cloudpickle.dumps(value, protocol=5, buffer_callback=keep_beside)  # type: ignore[no-any-return]
    except UsageError:
        raise
    except Exception as problem:
        raise TypeError(explain(value, problem)) from problem


def loads(data: memoryview, buffers: list[Any]) -> object:
    return pickle.loads(data, buffers=buffers)


def array_of(memory: Any, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """An array over memory that arrived."""
    return np.frombuffer(memory, np.dtype(dtype)).reshape(shape)
