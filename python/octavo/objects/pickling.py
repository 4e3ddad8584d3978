# SPDX-License-Identifier: Apache-2.0
"""Values that the compact form of the binding (``bindings/objects/value/codec.hpp``) does not have: pickle protocol 5, buffers beside.

Classes and functions of ``__main__``, of a notebook or of a function travel by value (cloudpickle), all others by name.
In a Runtime that was made with ``pickle=False`` they are the built-in values of ``plain`` instead, and nothing is unpickled.
"""

import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo.errors import Refused, UsageError
from octavo.objects.plain import HEADER
from octavo.objects.trust import here
from octavo.objects.unpicklable import explain

least_beside = 4096  # bytes: smaller buffers stay within


def dumps(value: object, buffers: list[pickle.PickleBuffer] | None) -> bytes:
    """The bytes of a value; buffers that are large enough are appended to ``buffers`` instead. None: all stay within.

    Raises TypeError that names what cannot be sent and where in the value it stands.
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

    if not here.pickle:
        return plain_dumps(value, keep_beside)
    try:
        return cloudpickle.dumps(value, protocol=5, buffer_callback=keep_beside)  # type: ignore[no-any-return]
    except UsageError:
        raise
    except Exception as problem:
        raise TypeError(explain(value, problem)) from problem


def loads(data: memoryview, buffers: list[Any]) -> object:
    if data[: len(HEADER)] == HEADER:
        from octavo.objects.plain import reader

        return reader.loads(data, buffers)
    if not here.pickle:
        raise Refused("a pickle arrived from another process, and this Runtime was made with pickle=False: it was not read. Send built-in values")
    return pickle.loads(data, buffers=buffers)


def plain_dumps(value: object, beside: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    from octavo.objects.plain import writer

    return writer.dumps(value, beside)


def array_of(memory: Any, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """An array over memory that arrived."""
    return np.frombuffer(memory, np.dtype(dtype)).reshape(shape)
