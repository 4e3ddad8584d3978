# SPDX-License-Identifier: Apache-2.0
"""Elements in a process of their own: ``data = place.make(octavo.RemoteArray[float], 1024)``, ``data[7] = 3.14``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, Union, cast, final, overload

import numpy as np
import numpy.typing as npt

from octavo.errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # no dependency of the package: for mypy alone

    T = TypeVar("T", default=float)
    N = TypeVar("N", bound=np.generic)
else:
    from typing import TypeVar

    T = TypeVar("T")

kinds: dict[Any, type[np.generic]] = {float: np.float64, int: np.int64, complex: np.complex128, bool: np.bool_}
ranks = {"O": 0, "b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # of a dtype's kind: one of a lower rank would lose a part of the value


@final
class RemoteArray(Generic[T]):
    """``size`` elements of one kind, or those of an iterable: ``place.make(octavo.RemoteArray[float], 1024)``. Without a kind: of float.

    Elements of float, int (64 bits), complex, bool and NumPy's scalar types lie in a NumPy array, zero at first; all others (remote pointers, too) in
    a list, None at first. The size does not change. An index counts from the end when negative, as everywhere in Python; IndexError beyond the ends.
    """

    def __init__(self, elements: int | Iterable[T], /, kind: Any = float) -> None:
        self._kind = kind
        self._values: Any  # an array of one dimension, or a list
        dtype = dtype_of(kind)
        size = size_of(elements)
        if size is None:
            given = cast(Iterable[T], elements)
            self._values = list(given) if dtype is None else array_of(given, dtype, kind)
        elif size < 0:
            raise UsageError(f"a remote array of {size} elements. Give a size of 0 or more, or the elements")
        else:
            self._values = [None] * size if dtype is None else np.zeros(size, dtype)

    if not TYPE_CHECKING:

        def __class_getitem__(cls, kind: Any) -> Any:
            return super().__class_getitem__(kind) if isinstance(kind, TypeVar) else ArrayOf(kind)

    def __repr__(self) -> str:
        return f"<RemoteArray[{name_of(self._kind)}] of {len(self)} elements>"

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[T]:
        return iter(self._values.tolist() if self._kind in kinds else self._values)

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> T: ...
    @overload
    def __getitem__(self: RemoteArray[bool], index: slice, /) -> npt.NDArray[np.bool_]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self: RemoteArray[int], index: slice, /) -> npt.NDArray[np.int64]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self: RemoteArray[float], index: slice, /) -> npt.NDArray[np.float64]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self: RemoteArray[complex], index: slice, /) -> npt.NDArray[np.complex128]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self: RemoteArray[N], index: slice, /) -> npt.NDArray[N]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, index: slice, /) -> list[T]: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> Any:
        """An element, or those of a slice: an array, or a list. Through a pointer a copy; where the elements are, an array is a view of them."""
        if isinstance(index, slice):
            return self._values[index]
        value = self._values[self._place(index)]
        return value.item() if self._kind in kinds else value

    def __setitem__(self, index: SupportsIndex | slice, value: Any, /) -> None:
        """Sets an element, or those of a slice: to as many values, or, in an array, all to one. ValueError if there are more or fewer.

        TypeError where a part of a value would be lost: of a float in an array of int.
        """
        where = index if isinstance(index, slice) else self._place(index)
        if isinstance(self._values, list):
            if isinstance(where, slice):
                value = list(value)
                count = len(range(*where.indices(len(self))))
                if len(value) != count:
                    raise ValueError(f"{len(value)} values for {count} elements of a remote array, whose size does not change")
        else:
            refuse_loss(np.asarray(value), self._values.dtype, self._kind)
        self._values[where] = value

    def add(self, index: SupportsIndex, value: Any, /) -> T:
        """Adds to an element where it is, and gives what was there before, as in C++. Nothing is lost, whoever does the same meanwhile.

        ``data[2] += 0.5`` through a pointer is three steps: what another sets between the first and the last is lost.
        """
        place = self._place(index)
        before = self[place]
        self[place] = cast(Any, before) + value
        return before

    def _place(self, index: SupportsIndex) -> int:
        try:
            number, size = operator.index(index), len(self)
        except TypeError:
            cure = "Give an integer or a slice; what needs others goes to the data as a function: octavo.call(p, f)"
            raise UsageError(f"a remote array has one dimension, and no element at {index!r}. {cure}") from None
        if not -size <= number < size:
            raise IndexError(f"index {number} of a remote array of {size} elements")
        return number


@dataclass(frozen=True)
class ArrayOf:
    """``RemoteArray[kind]`` at run time: makes arrays of this kind."""

    kind: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "__qualname__", f"RemoteArray[{name_of(self.kind)}]")  # the title of what place.make() makes of it

    def __call__(self, elements: int | Iterable[Any], /) -> RemoteArray[Any]:
        make = cast(Callable[..., RemoteArray[Any]], RemoteArray)
        return make(elements, kind=self.kind)

    def __repr__(self) -> str:
        return f"octavo.RemoteArray[{name_of(self.kind)}]"

    def __or__(self, other: Any) -> Any:  # in annotations
        return Union[self, other]  # noqa: UP007

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007


def name_of(kind: Any) -> str:
    return kind.__qualname__ if isinstance(kind, type) and type(kind) is type else repr(kind)


def dtype_of(kind: Any) -> np.dtype[Any] | None:
    """None: elements of this kind lie in a list."""
    if kind in kinds:
        return np.dtype(kinds[kind])
    is_sized = isinstance(kind, type) and issubclass(kind, np.generic) and np.dtype(kind).itemsize > 0
    return np.dtype(kind) if is_sized and not np.dtype(kind).hasobject else None


def size_of(elements: object) -> int | None:
    """None: these are the elements themselves."""
    try:
        return operator.index(cast(SupportsIndex, elements))
    except TypeError:
        return None


def array_of(elements: Iterable[Any], dtype: np.dtype[Any], kind: Any) -> npt.NDArray[Any]:
    given = np.asarray(elements if isinstance(elements, np.ndarray) else list(elements))
    if given.ndim != 1:
        raise UsageError(f"a remote array has one dimension, and these elements have {given.ndim}")
    refuse_loss(given, dtype, kind)
    return given.astype(dtype)


def refuse_loss(given: npt.NDArray[Any], dtype: np.dtype[Any], kind: Any) -> None:
    """Raises TypeError where an array of this dtype would keep no more than a part of what is given."""
    if given.size and ranks.get(given.dtype.kind, len(ranks)) > ranks.get(dtype.kind, len(ranks)):
        raise TypeError(f"a remote array of {name_of(kind)} takes no {given.dtype.name}")
    if given.size and given.dtype.kind in "iu" and dtype.kind in "iu":
        room = np.iinfo(dtype)
        for value in (int(given.min()), int(given.max())):
            if not room.min <= value <= room.max:
                raise OverflowError(f"a remote array of {name_of(kind)} takes integers from {room.min} to {room.max}, not {value}")
