# SPDX-License-Identifier: Apache-2.0
"""An object as a member of its groups, and the collectives: what each member calls in its own method, and all complete together."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, TypeVar, cast

import numpy as np

from octavo import _core
from octavo.errors import UsageError
from octavo.objects.groups.group import Group, known
from octavo.objects.groups.operations import Operation, function_of, name_of, of_numbers
from octavo.objects.pointers import Pointer

T = TypeVar("T")


class Member:
    """What ``octavo.self()`` gives in a method: this object in one of its groups.

    All members call the same collectives in the same order, with the same root. Where they differ, each gets a UsageError that names both; where one raises
    within a collective, or answers its call without it, all that are in it get that error; where one dies, ProcessDied. Clauses G-4 to G-17 of
    docs/contract.md.
    """

    __slots__ = ("_group", "_in")

    def __init__(self, of: _core.Member) -> None:
        self._in = of
        self._group: Group[Any] | None = None

    def __repr__(self) -> str:
        return f"<member {self.index} of {self.size} of an octavo group>"

    @property
    def index(self) -> int:
        return self._in.index

    @property
    def size(self) -> int:
        return self._in.size

    @property
    def group(self) -> Group[Any]:
        """The group, as a value."""
        if self._group is None:
            id, class_name, addresses, lives = self._in.group.facts()
            self._group = known(id, class_name, addresses, lives, tuple(Pointer(*address, class_name, None) for address in addresses))
        return self._group

    @property
    def peers(self) -> tuple[Any, ...]:
        """Pointers to all members by index, this one among them."""
        return self.group.members

    def barrier(self) -> None:
        """Nobody leaves before all have come."""
        self._in.barrier()

    def broadcast(self, value: T, root: int = 0) -> T:
        """The root's value, at each. What the others give is not looked at."""
        return cast(T, self._in.broadcast(value, self._root(root)))

    def scatter(self, values: Iterable[T] | None, root: int = 0) -> T:
        """``values[i]`` of the root at member i. What the others give is not looked at."""
        return cast(T, self._in.scatter(values, self._root(root)))

    def gather(self, value: T, root: int = 0) -> list[T] | None:
        """All values by index at the root; None elsewhere."""
        return cast("list[T] | None", self._in.gather(value, self._root(root)))

    def all_gather(self, value: T) -> list[T]:
        """All values by index, at each."""
        return cast("list[T]", self._in.all_gather(value))

    def reduce(self, value: T, op: Operation = "sum", root: int = 0, *, out: Any = None) -> T | None:
        """``op(...op(op(v0, v1), v2)..., vn)`` at the root; None elsewhere.

        ``op`` must be associative: numpy.add, operator.add, "sum", "prod", "min", "max", or any function of two values. Arrays are reduced element by
        element: of one shape and dtype at all. ``out``: at the root, an array that the result is put into.
        """
        root = self._root(root)
        if self.index == root:
            check_out(out, value)
        array = self._numbers(value, op)
        if array is None:
            return cast("T | None", into(out, self._in.reduce(value, function_of(op, value), root)))
        name = cast(str, name_of(op))
        mine = self.index == root
        result = target(out, array) if mine else array.copy()
        return cast(T, into(out, result)) if self._in.reduce_numbers(result, dtype_of(array), name, root) else None

    def all_reduce(self, value: T, op: Operation = "sum", *, out: Any = None) -> T:
        """The same at each. All get the same bits."""
        if out is None and (type(value) is float or type(value) is int) and type(op) is str and op in of_numbers:  # half of the time
            return cast(T, self._in.all_reduce(value, of_numbers[op], True))
        check_out(out, value)
        array = self._numbers(value, op)
        if array is None:
            return cast(T, into(out, self._in.all_reduce(value, function_of(op, value), name_of(op) is not None)))
        result = target(out, array)
        self._in.reduce_numbers(result, dtype_of(array), cast(str, name_of(op)), -1)
        return cast(T, into(out, result))

    def scan(self, value: T, op: Operation = "sum") -> T:
        """Member i gets ``op(...op(v0, v1)..., vi)``."""
        return cast(T, self._in.scan(value, function_of(op, value)))

    def exclusive_scan(self, value: T, init: T, op: Operation = "sum") -> T:
        """Member i gets ``op(init, op(...op(v0, v1)..., v(i-1)))``; the first its ``init``."""
        return cast(T, self._in.exclusive_scan(value, init, function_of(op, value)))

    def all_to_all(self, values: Iterable[T]) -> list[T]:
        """``values`` has one for each member; what each has for this one comes, by index."""
        return cast("list[T]", self._in.all_to_all(values))

    def split(self, color: int, key: int = 0) -> Member:
        """The part of the group that gave the same colour, ordered by key, then by index here. It lasts as long as what this gives is kept."""
        return Member(self._in.split(integer(color, "a colour"), integer(key, "a key")))

    def _root(self, root: int) -> int:
        number = integer(root, "a root")
        if not 0 <= number < self.size:
            raise UsageError(f"root {root} of a group of {self.size}. Name a member by its index, from 0 to {self.size - 1}")
        return number

    def _numbers(self, value: object, op: Operation) -> np.ndarray[Any, Any] | None:
        """An array that is reduced without Python; None: it is none, or the operation is none of those."""
        name = name_of(op)
        if name is None or type(value) is not np.ndarray or not _core.reduces_numbers(dtype_of(value), name):
            return None
        return value


def dtype_of(array: np.ndarray[Any, Any]) -> str:
    """Of numbers in another byte order it is no name of a reduction."""
    return str(array.dtype.name if array.dtype.isnative else array.dtype.str)


def integer(value: object, what: str) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{what} is an int, not {value!r}") from None
    if not -(2**63) <= number < 2**63:
        raise UsageError(f"{what} is an int of 64 bits, not {number}")
    return number


def target(out: Any, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of its own to reduce in, with the values of ``array``; ``out`` itself where that is one."""
    check_out(out, array)
    if out is None or not (isinstance(out, np.ndarray) and out.flags.c_contiguous and out.dtype == array.dtype):
        return np.array(array, order="C", copy=True)
    if out is not array:
        out[...] = array
    return out


def check_out(out: Any, result: Any) -> None:
    """Raises UsageError where it is no array that the result fits into, as NumPy does."""
    if out is None:
        return
    made = np.asarray(result)
    if not isinstance(out, np.ndarray) or out.shape != made.shape:
        raise UsageError(f"out has the shape {getattr(out, 'shape', None)}, and what is reduced {made.shape}. Give an array of the same shape")
    if not np.can_cast(made.dtype, out.dtype, "same_kind"):
        raise UsageError(f"out is of {out.dtype}, and what is reduced of {made.dtype}, which does not fit into it. Give an array of the same dtype")
    if not out.flags.writeable:
        raise UsageError("out is read-only. Give an array that can be written to")


def into(out: Any, result: Any) -> Any:
    """``out``, which has the result then; the result itself where there is no ``out``, or it is that already."""
    if out is None or result is None or out is result:
        return result
    out[...] = result
    return out


def self(g: Group[Any] | None = None) -> Member:
    """The object whose method runs, in the group that was made last, or in ``g``. Raises UsageError where it is in none."""
    return Member(_core.member_of(0 if g is None else g._facts.id))
