# SPDX-License-Identifier: Apache-2.0
"""Values that the compact form of the binding (``bindings/objects/value/codec.hpp``) does not have: pickle protocol 5, buffers beside.

Classes and functions of ``__main__`` (also in a child of multiprocessing), of a notebook or of a function travel by value (cloudpickle), all others by name.
Their code keeps the name of its file, and takes its source along where that is in no file, so that tracebacks and ``breakpoint()`` show their lines there.
In a Runtime that was made with ``pickle=False`` they are the built-in values of ``plain`` instead, and nothing is unpickled.
"""

import io
import linecache
import pickle
import sys
from collections import ChainMap
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

import cloudpickle
import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo.errors import Refused, UsageError
from octavo.objects.plain import HEADER
from octavo.objects.trust import here
from octavo.objects.unpicklable import explain

least_beside = 4096  # bytes: smaller buffers stay within
file_name = 10  # which argument of CodeType(), in Python 3.10 and all after it


def reduce_code(code: CodeType) -> tuple[Any, ...]:
    """As cloudpickle's own, which since 3.1 puts ``<dynamic-code>`` for the file's name."""
    make, given = cloudpickle.Pickler.dispatch_table[CodeType](code)
    made = make, (*given[:file_name], code.co_filename, *given[file_name + 1 :])
    lines = source_in_no_file(code.co_filename)
    return (*made, lines, None, None, keep_source) if lines else made


def source_in_no_file(name: str) -> list[str] | None:
    """The lines of a cell of a notebook, of what was typed, and of other code whose source only this process has. The same list each time: sent once."""
    entry = linecache.cache.get(name)
    if entry is None or len(entry) != 4 or (entry[1] is not None and Path(name).exists()):
        return None
    return entry[2]


def keep_source(code: CodeType, lines: list[str]) -> None:
    """Where such code arrives."""
    entry = linecache.cache.get(code.co_filename)
    if entry is None or (len(entry) == 4 and entry[1] is None):
        linecache.cache[code.co_filename] = sum(map(len, lines)), None, lines, code.co_filename


class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    dispatch_table: ClassVar[ChainMap[type, Any]] = ChainMap({CodeType: reduce_code}, cloudpickle.Pickler.dispatch_table)


def cloud_dumps(value: object, keep_beside: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    script = sys.modules.get("__mp_main__")  # in a child that multiprocessing has spawned: the script, which no other process finds by this name
    if script is not None and script.__name__ == "__mp_main__":
        cloudpickle.register_pickle_by_value(script)
    with io.BytesIO() as file:
        Pickler(file, protocol=5, buffer_callback=keep_beside).dump(value)
        return file.getvalue()


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
        return cloud_dumps(value, keep_beside)
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
