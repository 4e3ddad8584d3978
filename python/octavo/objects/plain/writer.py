# SPDX-License-Identifier: Apache-2.0
"""From a value to bytes: see the package. What is no built-in value is refused, with its place."""

import pickle  # for its buffers alone
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from octavo import _core
from octavo.errors import UsageError, text_of, type_name
from octavo.objects.plain import EXCEPTIONS, HEADER, SINGLE, most_depth
from octavo.objects.plain.records import RECORDS, names_of
from octavo.objects.pointers import Pointer
from octavo.objects.unpicklable import Stays

SINGLE_KINDS = [(value, kind) for kind, value in SINGLE.items()]
SEQUENCES: dict[type, bytes] = {tuple: b"(", list: b"[", set: b"<", frozenset: b">"}


class NotPlain(Exception):
    """Of a value that does not travel; ``where`` is filled on the way out of what it stands in."""

    def __init__(self, value: object, why: str = "") -> None:
        self.value, self.why, self.where = value, why, ""

    def __str__(self) -> str:
        return self.at("", f" (it is {self.where.lstrip('.')} of what was to be sent)" if self.where else "")

    def at(self, before: str, after: str = "") -> str:
        kind = type(self.value)
        what = f"{kind.__module__}.{kind.__qualname__}{', ' + self.why + ',' if self.why else ''} cannot be sent to another process{after}"
        return f"{before}{what}: this Runtime was made with pickle=False. Send built-in values and arrays, and make it there"


def dumps(value: object, beside: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    """``beside(buffer)`` says whether the bytes of a buffer are to stand within; none: all do. Raises TypeError for what does not travel."""
    writer = Writer(beside or (lambda _: True))
    try:
        writer.put(value, 0)
    except NotPlain as problem:
        raise TypeError(str(problem)) from None
    return bytes(writer.out)


def refusal(value: object, place: str) -> str | None:
    """Of a value that stands at this place: what in it does not travel, and where it is. None: all does."""
    try:
        Writer(lambda _: True).put(value, 0)
    except NotPlain as problem:
        return problem.at(f"{place}{problem.where}: ")
    return None


class Writer:
    def __init__(self, beside: Callable[[pickle.PickleBuffer], bool]) -> None:
        self.out = bytearray(HEADER)
        self._beside, self._parts = beside, 0
        self._numbers: dict[int, int] = {}  # by id
        self._kept: list[object] = []  # so that none of these ids is of another

    def put(self, value: Any, depth: int) -> None:
        if depth > most_depth:
            raise NotPlain(value, f"in more than {most_depth} others")
        for single, kind in SINGLE_KINDS:
            if value is single:
                self.out += kind
                return
        write = KINDS.get(type(value)) or self._other(value)
        if type(value) in NUMBERED:
            if id(value) in self._numbers:
                self.out += b"@"
                self._count(self._numbers[id(value)])
                return
            self._numbers[id(value)] = len(self._kept)
            self._kept.append(value)
        write(self, value, depth + 1)

    def _other(self, value: Any) -> "Callable[[Writer, Any, int], None]":
        if isinstance(value, np.generic) and np.asarray(value).dtype.type is type(value):
            return Writer._scalar
        if isinstance(value, np.dtype):
            return Writer._dtype_value
        if isinstance(value, BaseException):
            return Writer._exception
        if isinstance(value, type) and issubclass(value, BaseException):
            return Writer._exception_type
        if isinstance(value, Stays):
            raise UsageError(value.cannot_travel)
        raise NotPlain(value)

    def _count(self, count: int) -> None:
        while count > 0x7F:
            self.out.append(count & 0x7F | 0x80)
            count >>= 7
        self.out.append(count)

    def _bytes(self, data: Any) -> None:
        buffer = pickle.PickleBuffer(data)
        if self._beside(buffer):
            self._count(0)
            self._count(buffer.raw().nbytes)
            self.out += buffer.raw()
        else:
            self._parts += 1
            self._count(self._parts)

    def _part(self, value: object, where: str, depth: int) -> None:
        try:
            self.put(value, depth)
        except NotPlain as problem:
            problem.where = where + problem.where
            raise

    def _integer(self, value: int, depth: int) -> None:
        self.out += b"i"
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        self._count(len(data))
        self.out += data

    def _real(self, value: float, depth: int) -> None:
        self.out += b"d" + struct.pack("<d", value)

    def _complex(self, value: complex, depth: int) -> None:
        self.out += b"c" + struct.pack("<dd", value.real, value.imag)

    def _text(self, value: str, depth: int) -> None:
        self.out += b"s"
        self._bytes(value.encode("utf-8", "surrogatepass"))

    def _bytes_value(self, value: bytes | bytearray, depth: int) -> None:
        self.out += b"b" if type(value) is bytes else b"B"
        self._bytes(value)

    def _sequence(self, value: Any, depth: int) -> None:
        self.out += SEQUENCES[type(value)]
        items = list(value)
        self._count(len(items))
        for index, item in enumerate(items):
            self._part(item, f"[{index}]", depth)

    def _dict(self, value: dict[Any, Any], depth: int) -> None:
        self.out += b"{"
        items = list(value.items())
        self._count(len(items))
        for key, item in items:
            self._part(key, f".<key {key!r}>", depth)
            self._part(item, f"[{key!r}]", depth)

    def _slice(self, value: slice | range, depth: int) -> None:
        self.out += b":" if type(value) is slice else b"r"
        for name in ("start", "stop", "step"):
            self._part(getattr(value, name), f".{name}", depth)

    def _array(self, value: Any, depth: int) -> None:
        self.out += b"a"
        self._elements(value, depth)

    def _scalar(self, value: np.generic, depth: int) -> None:
        self.out += b"g"
        self._elements(np.asarray(value), depth)

    def _elements(self, array: np.ndarray[Any, Any], depth: int) -> None:
        self._dtype(array.dtype, depth)
        turned = array.flags.f_contiguous and not array.flags.c_contiguous
        self.out += b"F" if turned else b"C"
        self._count(array.ndim)
        for extent in array.shape:
            self._count(extent)
        flat = np.ascontiguousarray(array.T if turned else array).reshape(-1)
        self._bytes(flat.view(np.uint8) if array.dtype.itemsize else b"")

    def _dtype(self, dtype: np.dtype[Any], depth: int) -> None:
        described = None if dtype.hasobject else np.lib.format.dtype_to_descr(dtype)
        if described is None or np.lib.format.descr_to_dtype(described) != dtype:
            raise NotPlain(dtype, f"the dtype {dtype}")
        self.put(described, depth)

    def _dtype_value(self, value: np.dtype[Any], depth: int) -> None:
        self.out += b"t"
        self._dtype(value, depth)

    def _pointer(self, value: Pointer, depth: int) -> None:
        self.out += b"p"
        self.put(_core.pointer_facts(value), depth)

    def _method(self, value: _core.Method, depth: int) -> None:
        self.out += b"m"
        self.put(value.__reduce__()[1], depth)

    def _record(self, value: Any, depth: int) -> None:
        self.out += b"n"
        self.put((type(value).__name__, tuple(getattr(value, name) for name in names_of(type(value)))), depth)

    def _exception(self, value: BaseException, depth: int) -> None:
        """By its type and what made it, where that is a type that both have; else as text."""
        self.out += b"e"
        name = type(value).__name__
        if EXCEPTIONS.get(name) is not type(value):
            self.put(("RemoteError", (f"{type_name(value)}: {text_of(value)}",)), depth)
            return
        made_of = value.__reduce__()[1]
        try:
            Writer(lambda _: True).put(made_of, depth)
        except NotPlain:
            made_of = (text_of(value),)
        self.put((name, made_of), depth)

    def _exception_type(self, value: type[BaseException], depth: int) -> None:
        """The nearest that both have."""
        self.out += b"E"
        self.put(next(each.__name__ for each in value.__mro__ if EXCEPTIONS.get(each.__name__) is each), depth)


KINDS: dict[type, Callable[[Writer, Any, int], None]] = {
    int: Writer._integer,
    float: Writer._real,
    complex: Writer._complex,
    str: Writer._text,
    bytes: Writer._bytes_value,
    bytearray: Writer._bytes_value,
    **dict.fromkeys(SEQUENCES, Writer._sequence),
    dict: Writer._dict,
    slice: Writer._slice,
    range: Writer._slice,
    np.ndarray: Writer._array,
    np.memmap: Writer._array,
    Pointer: Writer._pointer,
    _core.Method: Writer._method,
    **dict.fromkeys(RECORDS.values(), Writer._record),
}
NUMBERED = (list, dict, set, bytearray, np.ndarray, np.memmap)
