# SPDX-License-Identifier: Apache-2.0
"""From bytes to a value: see the package. Whatever the bytes are, nothing is imported or called that they name; IoError for those that are no value."""

import struct
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from octavo.errors import IoError, RemoteError
from octavo.objects.plain import EXCEPTIONS, HEADER, SINGLE, most_depth
from octavo.objects.plain.records import RECORDS, names_of
from octavo.objects.pointers import Pointer, method_of


def refuse(what: str) -> NoReturn:
    raise IoError(f"a Python value that arrived {what}. Use the same version of Octavo on both sides")


def loads(data: memoryview, buffers: list[Any]) -> object:
    try:
        return Reader(data[len(HEADER) :], buffers).get(0)
    except IoError:
        raise
    except Exception as problem:  # of what is made of the bytes: a dtype that there is not, a dict as a key
        refuse(f"is none: {problem}")


class Reader:
    def __init__(self, data: memoryview, buffers: list[Any]) -> None:
        self._left, self._buffers = data, buffers
        self._numbered: list[object] = []

    def get(self, depth: int) -> Any:
        if depth > most_depth:
            refuse("is nested too deeply")
        kind = bytes(self._take(1))
        if kind in SINGLE:
            return SINGLE[kind]
        if kind == b"@":
            number = self._count()
            if number >= len(self._numbered):
                refuse("names one that did not come")
            return self._numbered[number]
        read = KINDS.get(kind) or refuse("has a kind that is not known here")
        return read(self, depth + 1)

    def _take(self, size: int) -> memoryview:
        if size > len(self._left):
            refuse("ends too early")
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def _count(self) -> int:
        count, shift = 0, 0
        while shift < 64:
            byte = self._take(1)[0]
            count |= (byte & 0x7F) << shift
            if byte < 0x80:
                return count
            shift += 7
        refuse("has a count of more than 64 bits")

    def _items(self) -> int:
        """How many values follow, each of which has a byte at least."""
        count = self._count()
        return count if count <= len(self._left) else refuse("announces more items than it has bytes")

    def _bytes(self) -> Any:
        """Of a part that came beside, which is the value's own; or within."""
        part = self._count()
        if part == 0:
            return self._take(self._count())
        if part > len(self._buffers):
            refuse("names a part that did not come")
        return self._buffers[part - 1]

    def _keep(self, value: Any) -> Any:
        self._numbered.append(value)
        return value

    def _text(self, depth: int) -> str:
        return str(self._bytes(), "utf-8", "surrogatepass")

    def _sequence(self, depth: int) -> list[Any]:
        return [self.get(depth) for _ in range(self._items())]

    def _list(self, depth: int) -> list[Any]:
        made: list[Any] = self._keep([])
        for _ in range(self._items()):
            made.append(self.get(depth))
        return made

    def _set(self, depth: int) -> set[Any]:
        made: set[Any] = self._keep(set())
        made.update(self._sequence(depth))
        return made

    def _dict(self, depth: int) -> dict[Any, Any]:
        made: dict[Any, Any] = self._keep({})
        for _ in range(self._items()):
            key = self.get(depth)
            made[key] = self.get(depth)
        return made

    def _typed(self, kind: type, depth: int) -> Any:
        value = self.get(depth)
        return value if type(value) is kind else refuse(f"has no {kind.__name__} where one belongs")

    def _range(self, depth: int) -> range:
        return range(*(self._typed(int, depth) for _ in range(3)))

    def _slice(self, depth: int) -> slice:
        return slice(*(self.get(depth) for _ in range(3)))

    def _dtype(self, depth: int) -> np.dtype[Any]:
        dtype = np.lib.format.descr_to_dtype(self.get(depth))
        return refuse("is an array of objects") if dtype.hasobject else dtype

    def _array(self, depth: int) -> Any:
        number = len(self._numbered)
        self._keep(None)
        self._numbered[number] = array = self._elements(depth)
        return array

    def _scalar(self, depth: int) -> Any:
        return self._elements(depth)[()]

    def _elements(self, depth: int) -> Any:
        dtype, turned = self._dtype(depth), bytes(self._take(1)) == b"F"
        shape = tuple(self._count() for _ in range(self._items()))
        memory = self._bytes()
        if isinstance(memory, memoryview):
            memory = bytearray(memory)  # its own, to write to
        if dtype.itemsize == 0 or 0 in shape:
            return np.ndarray(shape, dtype, buffer=b"", order="F" if turned else "C")
        return np.frombuffer(memory, dtype).reshape(shape, order="F" if turned else "C")

    def _facts(self, kinds: tuple[type, ...], depth: int) -> tuple[Any, ...]:
        facts: tuple[Any, ...] = self._typed(tuple, depth)
        return facts if tuple(map(type, facts)) == kinds else refuse("has other facts than its kind needs")

    def _pointer(self, depth: int) -> Pointer:
        agent, incarnation, number, title = self._facts((int, int, int, str), depth)
        return Pointer(agent, incarnation, number, title, None)

    def _method(self, depth: int) -> Any:
        return method_of(*self._facts((int, int, int, str, str, bool), depth))

    def _record(self, depth: int) -> Any:
        name, items = self._facts((str, tuple), depth)
        kind = RECORDS.get(name) or refuse(f"is a record that is not known here: {name!r}")
        return kind(*items) if len(items) == len(names_of(kind)) else refuse(f"is a {name} of {len(items)} items")

    def _exception(self, depth: int) -> BaseException:
        name, arguments = self._facts((str, tuple), depth)
        kind = EXCEPTIONS.get(name) or refuse(f"is an exception that is not known here: {name!r}")
        try:
            return kind(*arguments)
        except Exception:
            return RemoteError(f"{name}: {', '.join(map(str, arguments))}")

    def _exception_type(self, depth: int) -> type[BaseException]:
        name = self._typed(str, depth)
        return EXCEPTIONS.get(name) or refuse(f"is an exception that is not known here: {name!r}")


KINDS: dict[bytes, Callable[[Reader, int], Any]] = {
    b"i": lambda reader, _: int.from_bytes(reader._take(reader._count()), "little", signed=True),
    b"d": lambda reader, _: struct.unpack("<d", reader._take(8))[0],
    b"c": lambda reader, _: complex(*struct.unpack("<dd", reader._take(16))),
    b"s": Reader._text,
    b"b": lambda reader, _: bytes(reader._bytes()),
    b"B": lambda reader, _: reader._keep(bytearray(reader._bytes())),
    b"(": lambda reader, depth: tuple(reader._sequence(depth)),
    b"[": Reader._list,
    b"<": Reader._set,
    b">": lambda reader, depth: frozenset(reader._sequence(depth)),
    b"{": Reader._dict,
    b":": Reader._slice,
    b"r": Reader._range,
    b"a": Reader._array,
    b"g": Reader._scalar,
    b"t": Reader._dtype,
    b"p": Reader._pointer,
    b"m": Reader._method,
    b"n": Reader._record,
    b"e": Reader._exception,
    b"E": Reader._exception_type,
}
