# SPDX-License-Identifier: Apache-2.0
"""Values that the compact form of the binding (``bindings/objects/value/codec.hpp``) does not have: pickle protocol 5, buffers beside.

Classes and functions of ``__main__`` (also in a child of multiprocessing), of a notebook or of a function travel by value (``by_value``), all others by name.
In a Runtime that was made with ``pickle=False`` they are the built-in values of ``plain`` instead, and nothing is unpickled.
"""

import io
import pickle
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo.errors import Error, Refused, UsageError
from octavo.objects.by_value.peers import Key, dump_for
from octavo.objects.by_value.pickler import FirstPickler, Pickler
from octavo.objects.plain import HEADER
from octavo.objects.trust import here
from octavo.objects.unpicklable import Place, Stays, explain, find, places_in_request

NOT_MADE = "A value that was sent could not be made again where it arrived (pickle.loads(pickle.dumps(value)) shows whether its class can)"
least_beside = 4096  # bytes: smaller buffers stay within


def cloud_dumps(value: object, keep_beside: Callable[[pickle.PickleBuffer], bool] | None = None, kind: type[Pickler] = Pickler) -> bytes:
    with io.BytesIO() as file:
        kind(file, keep_beside).dump(value)
        return file.getvalue()


def dumps_first(value: object) -> tuple[bytes, tuple[pickle.PickleBuffer, ...]]:
    """Of what makes an object, whose process knows nothing yet; and the segments, and ends of channels, in it."""
    handles: list[pickle.PickleBuffer] = []
    return dumps(value, None, None, FirstPickler, handles), tuple(handles)


def dumps(
    value: object,
    buffers: list[pickle.PickleBuffer] | None,
    to: Key | None = None,
    kind: type[Pickler] = Pickler,
    handles: list[pickle.PickleBuffer] | None = None,
) -> bytes:
    """The bytes of a value; buffers that are large enough are appended to ``buffers`` instead. None: all stay within, but for what is no bytes, which goes to
    ``handles``. ``to``: the address of who gets it, where that is an object: it is taught what definitions it does not know.

    Raises TypeError that names what cannot be sent and where in the value it stands.
    """

    def keep_beside(buffer: pickle.PickleBuffer) -> bool:
        if _core.is_to_be_given(memoryview(buffer).obj):
            raise UsageError("octavo.give() has to be an argument or a result by itself, not a part of one. Give the array in a call of its own")
        if isinstance(memoryview(buffer).obj, _core.SegmentMemory | _core.ChannelEnd):
            into = handles if buffers is None else buffers
            if into is None:
                raise UsageError("a segment, or an end of a channel, is beside more than 255 arrays in one argument. Give it in a call of its own")
            into.append(buffer)
            return False
        if buffers is None or buffer.raw().nbytes < least_beside:
            return True  # within
        buffers.append(buffer)
        return False

    if not here.pickle:
        return plain_dumps(value, keep_beside)
    before: Callable[[], None] | None = None
    try:
        if to is None:
            data = cloud_dumps(value, keep_beside, kind)
        else:
            data, before = dump_for(to, value, keep_beside)
        if before is not None:
            before()
    except Error:
        raise
    except Exception as problem:
        raise TypeError(explain(value, problem, travels)) from problem
    return data


def loads(data: memoryview, buffers: list[Any]) -> object:
    if data[: len(HEADER)] == HEADER:
        from octavo.objects.plain import reader

        return reader.loads(data, buffers)
    if not here.pickle:
        raise Refused("a pickle arrived from another process, and this Runtime was made with pickle=False: it was not read. Send built-in values")
    try:
        return pickle.loads(data, buffers=buffers)
    except Exception as problem:
        if hasattr(problem, "add_note"):
            problem.add_note(NOT_MADE)
        raise


def plain_dumps(value: object, beside: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    from octavo.objects.plain import writer

    return writer.dumps(value, beside)


def raise_with_place(problem: BaseException, place: str, value: object) -> NoReturn:
    """The same error, of a value that stands at ``place``."""
    if isinstance(problem, UsageError):
        where, what = find(value, travels)
        raise UsageError(f"{place}{where if isinstance(what, Stays) else ''}: {problem}") from problem
    if not isinstance(problem, TypeError):
        raise problem
    if here.pickle:
        raise TypeError(explain(value, problem.__cause__ or problem, travels, place)) from problem
    from octavo.objects.plain import writer  # which only a Runtime without pickles needs

    raise TypeError(writer.refusal(value, place) or f"{place}: {problem}") from problem


def raise_at(problem: BaseException, places: Iterable[Place]) -> NoReturn:
    """The same error, of the first of these values that cannot be sent."""
    for place, value in places:
        if not travels(value):
            raise_with_place(problem, place, value)
    raise problem


def raise_in_request(problem: BaseException, name: str, arguments: tuple[Any, ...]) -> NoReturn:
    """Of what another process was to perform (``hosting.Host``)."""
    raise_at(problem, places_in_request(name, arguments))


def travels(value: object) -> bool:
    try:
        if here.pickle:
            cloud_dumps(value)
        else:
            from octavo.objects.plain import writer

            writer.dumps(value)
    except Exception:
        return False
    return True


def array_of(memory: Any, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """An array over memory that arrived."""
    return np.frombuffer(memory, np.dtype(dtype)).reshape(shape)


def number_of(memory: bytes, dtype: str) -> Any:
    """A number of NumPy that arrived."""
    return np.frombuffer(memory, np.dtype(dtype))[0]
