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
from octavo.objects.groups.results import all_into, check_array, check_fits, into, target
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

    def broadcast(self, value: T, root: int = 0, *, out: Any = None) -> T:
        """The root's value, at each. What the others give is not looked at.

        ``out``, here and in all others: a NumPy array of the result's shape and dtype, which the result is put into, and which is given; else UsageError.
        """
        check_array(out, "broadcast")
        return cast(T, into(out, self._in.broadcast(value, self._root(root)), "broadcast"))

    def scatter(self, values: Iterable[T] | None, root: int = 0, *, out: Any = None) -> T:
        """``values[i]`` of the root at member i. What the others give is not looked at."""
        check_array(out, "scatter")
        return cast(T, into(out, self._in.scatter(values, self._root(root)), "scatter"))

    def gather(self, value: T, root: int = 0, *, out: Any = None) -> list[T] | None:
        """All values by index at the root; None elsewhere. ``out[i]``: that of member i."""
        root = self._root(root)
        if self.index == root:
            check_array(out, "gather")
        all = self._in.gather(value, root)
        return cast("list[T] | None", all if all is None else all_into(out, all, "gather"))

    def all_gather(self, value: T, *, out: Any = None) -> list[T]:
        """All values by index, at each. ``out[i]``: that of member i."""
        check_array(out, "all_gather")
        return cast("list[T]", all_into(out, self._in.all_gather(value), "all_gather"))

    def reduce(self, value: T, op: Operation = "sum", root: int = 0, *, out: Any = None) -> T | None:
        """``op(...op(op(v0, v1), v2)..., vn)`` at the root; None elsewhere.

        ``op`` must be associative: numpy.add, operator.add, "sum", "prod", "min", "max", or any function of two values. Arrays are reduced element by
        element: of one shape and dtype at all.
        """
        root = self._root(root)
        is_root = self.index == root
        array = self._numbers(value, op)
        if is_root:
            check_array(out, "reduce") if array is None else check_fits(out, array, "reduce")
        if array is None:
            all = self._in.reduce(value, function_of(op, value), root)
            return cast("T | None", into(out, all, "reduce") if is_root else None)
        name = cast(str, name_of(op))
        result = target(out, array) if is_root else array.copy()
        return cast(T, into(out, result, "reduce")) if self._in.reduce_numbers(result, dtype_of(array), name, root) else None

    def all_reduce(self, value: T, op: Operation = "sum", *, out: Any = None) -> T:
        """The same at each. All get the same bits."""
        if out is None and (type(value) is float or type(value) is int) and type(op) is str and op in of_numbers:  # half of the time
            return cast(T, self._in.all_reduce(value, of_numbers[op], True))
        array = self._numbers(value, op)
        if array is None:
            check_array(out, "all_reduce")
            all = self._in.all_reduce(value, function_of(op, value), name_of(op) is not None)
            return cast(T, into(out, all, "all_reduce"))
        check_fits(out, array, "all_reduce")
        result = target(out, array)
        self._in.reduce_numbers(result, dtype_of(array), cast(str, name_of(op)), -1)
        return cast(T, into(out, result, "all_reduce"))

    def scan(self, value: T, op: Operation = "sum", *, out: Any = None) -> T:
        """Member i gets ``op(...op(v0, v1)..., vi)``."""
        check_array(out, "scan")
        return cast(T, into(out, self._in.scan(value, function_of(op, value)), "scan"))

    def exclusive_scan(self, value: T, init: T, op: Operation = "sum", *, out: Any = None) -> T:
        """Member i gets ``op(init, op(...op(v0, v1)..., v(i-1)))``; the first its ``init``."""
        check_array(out, "exclusive_scan")
        return cast(T, into(out, self._in.exclusive_scan(value, init, function_of(op, value)), "exclusive_scan"))

    def all_to_all(self, values: Iterable[T], *, out: Any = None) -> list[T]:
        """``values`` has one for each member; what each has for this one comes, by index. ``out[i]``: that of member i."""
        check_array(out, "all_to_all")
        return cast("list[T]", all_into(out, self._in.all_to_all(values), "all_to_all"))

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


def self(g: Group[Any] | None = None) -> Member:
    """The object whose method runs, in the group that was made last, or in ``g``. Raises UsageError where it is in none."""
    return Member(_core.member_of(0 if g is None else g._facts.id))
