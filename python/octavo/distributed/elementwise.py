# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions of elements on distributed arrays of one split: each member computes with its own; nothing is moved.

>>> c = a + 2 * b; numpy.sqrt(c, out=c); a += b
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:
    from octavo.distributed.array import DistributedArray


class Elementwise(NDArrayOperatorsMixin):
    """What octavo.distributed.DistributedArray has of NumPy's functions and operators."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] = (), **keywords: Any) -> Any:
        """Element by element, of arrays of one split and of numbers."""
        return _apply(ufunc, method, inputs, out, keywords)


def is_distributed(a: object) -> TypeGuard[DistributedArray]:
    return isinstance(a, Elementwise)


def _apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], out: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if method != "__call__" or ufunc.signature is not None:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise NotSupported(f"numpy.{name} of distributed arrays. Use a.sum() and the like, or a.local in members")
    if not isinstance(keywords.get("where", True), bool | np.bool_):
        raise NotSupported(f"numpy.{ufunc.__name__} of distributed arrays with where=. Use a.local in members")
    first = _checked(ufunc, inputs, out)
    if first._body.in_member:
        made = _at_member(None, ufunc, inputs, out, keywords)
    else:
        made = _outside(first, ufunc, inputs, out, keywords)
    return made[0] if len(made) == 1 else made


def _checked(ufunc: np.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...]) -> DistributedArray:
    """Raises UsageError where something would have to be moved."""
    arrays = [each for each in (*inputs, *out) if is_distributed(each)]
    first = arrays[0]
    for each in (*inputs, *out):
        if not is_distributed(each) and (np.ndim(each) != 0 or any(each is one for one in out)):
            cure = "Make it one: octavo.distributed.from_array(x, group=a.group, split=a.split); or use a.local in members"
            raise UsageError(f"numpy.{ufunc.__name__} of {first!r} and an array that is none. {cure}")
    for other in arrays[1:]:
        if other.group != first.group or other.shape != first.shape:
            raise UsageError(f"numpy.{ufunc.__name__} of {first!r} and {other!r}, of another shape or group. Give arrays of one")
        if (other.split.grid, other.split.made().blocks, other.split.members) != (first.split.grid, first.split.made().blocks, first.split.members):
            raise UsageError(f"numpy.{ufunc.__name__} of {first!r} and {other!r}: nothing is moved without a word. Split it the same way: b.resplit(a.split)")
    return first


def _at_member(_object: object, ufunc: np.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[DistributedArray, ...]:
    first = next(each for each in (*inputs, *out) if is_distributed(each))
    elements = [each.local if is_distributed(each) else each for each in inputs]
    if not out:
        none_of_them = [np.empty(0, each.dtype) if isinstance(each, np.ndarray) and each.ndim else each for each in elements]
        kinds = ufunc(*none_of_them, **keywords)
        out = tuple(first._like(each.dtype) for each in (kinds if isinstance(kinds, tuple) else (kinds,)))
    ufunc(*elements, out=tuple(each.local for each in out), **keywords)
    return out


def _outside(first: DistributedArray, ufunc: np.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[DistributedArray, ...]:
    from octavo.objects.calling import call

    made: tuple[DistributedArray, ...] = call(first.group, _at_member, ufunc, inputs, out, keywords)[0]
    if out:
        return out
    for each in made:
        each._body.own()
    return made
