# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions of elements on distributed arrays of one split: each member computes with its own; nothing is moved.

>>> c = a + 2 * b; numpy.sqrt(c, out=c); a += b
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from octavo._src.validation import element_type
from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:
    from octavo.distributed.array import DistributedArray

_OWN = "Use a.local in members, or a.gather()"


class Elementwise(NDArrayOperatorsMixin):
    """What octavo.distributed.DistributedArray has of NumPy's functions and operators."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] = (), **keywords: Any) -> Any:
        """Element by element, of arrays of one split and of numbers."""
        return _apply(ufunc, method, inputs, out, keywords)

    def astype(self, dtype: npt.DTypeLike) -> DistributedArray:
        """A new one of the same elements, in another type."""
        first: Any = self
        kind = element_type(dtype).newbyteorder("=")
        if first._body.in_member:
            return _converted(None, first, kind)
        from octavo.objects.calling import call

        made: DistributedArray = call(first.group, _converted, first, kind)[0]
        made._body.own()
        return made

    def __bool__(self) -> bool:
        raise UsageError(f"the truth of {self!r}: it has many elements. Use a.any() or a.all()")

    def __getitem__(self, index: object) -> Any:
        raise NotSupported(f"{self!r} by indices: its elements are in several processes. {_OWN}")

    def __setitem__(self, index: object, value: object) -> None:
        raise NotSupported(f"{self!r} by indices: its elements are in several processes. {_OWN}")

    if not TYPE_CHECKING:  # or it would be taken for whatever has some method

        def __getattr__(self, name: str) -> Any:
            """What NumPy's arrays have besides: the error says what to use instead."""
            if name.startswith("_") or not hasattr(np.ndarray, name):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            raise AttributeError(f"a distributed array has no {name!r}. {_OWN}", name=name, obj=self)


def is_distributed(a: object) -> TypeGuard[DistributedArray]:
    return isinstance(a, Elementwise)


def _apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], out: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if method != "__call__" or ufunc.signature is not None:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise NotSupported(f"numpy.{name} of distributed arrays. Use a.sum() and the like, or a.local in members")
    if not isinstance(keywords.get("where", True), bool | np.bool_):
        raise NotSupported(f"numpy.{ufunc.__name__} of distributed arrays with where=. Use a.local in members")
    first = _checked(ufunc, inputs, out)
    if not out and np.dtype(bool) in _kinds(ufunc, inputs, keywords):
        into = "octavo.distributed.zeros(a.shape, 'u1', group=a.group, split=a.split)"
        raise NotSupported(
            f"numpy.{ufunc.__name__} of {first!r} has elements of type bool. Give it an array of 1 and 0: numpy.{ufunc.__name__}(..., out={into})"
        )
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


def _kinds(ufunc: np.ufunc, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> list[np.dtype[Any]]:
    """The types of its results."""
    made = ufunc(*(np.empty(0, each.dtype) if is_distributed(each) else each for each in inputs), **keywords)
    return [each.dtype for each in (made if isinstance(made, tuple) else (made,))]


def _converted(_object: object, a: DistributedArray, kind: np.dtype[Any]) -> DistributedArray:
    made = a._like(kind)
    made.local[...] = a.local
    return made


def _at_member(_object: object, ufunc: np.ufunc, inputs: tuple[Any, ...], out: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[DistributedArray, ...]:
    first = next(each for each in (*inputs, *out) if is_distributed(each))
    elements = [each.local if is_distributed(each) else each for each in inputs]
    if not out:
        out = tuple(first._like(each) for each in _kinds(ufunc, inputs, keywords))
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
