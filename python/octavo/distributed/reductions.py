# SPDX-License-Identifier: Apache-2.0
"""Sums and the like of distributed arrays, of all elements or along axes.

>>> a.sum(); a.mean(axis=0, keepdims=True); numpy.max(a, axis=(0, 2)); a.std(ddof=1)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, cast

import numpy as np

from octavo import _core
from octavo.distributed.split import Split, at_a_time
from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:
    from octavo.distributed.array import DistributedArray

Axis: TypeAlias = "SupportsIndex | Sequence[SupportsIndex] | None"
NEED_ELEMENTS = ("min", "max", "mean", "var", "std")


def reduced(a: DistributedArray, name: str, axis: Axis, keepdims: bool, others: Mapping[str, Any]) -> Any:
    """``others``: what NumPy's has besides, and this has not."""
    check_others(name, others)
    axes = axes_of(a, name, axis)
    if name in NEED_ELEMENTS and math.prod(a.shape[each] for each in axes) == 0:
        there = "" if axis is None else " there"
        raise UsageError(f"{name} of {a!r}, which has no elements{there}. Ask for it of an array that has some")
    if not axes and a.ndim:
        raise NotSupported(f"{name} of {a!r} along no axis, which leaves it as it is. Use a, or numpy.positive(a) for a copy")
    return with_axes(a, axes, keepdims, _MEANINGS.get(name, lambda a, axes: _by_body(a, name, axes)))


def variance(a: DistributedArray, axis: Axis, ddof: int, keepdims: bool, others: Mapping[str, Any], root: bool) -> Any:
    """Or its square root."""
    name = "std" if root else "var"
    check_others(name, others)
    axes = axes_of(a, name, axis)
    count = math.prod(a.shape[each] for each in axes)
    if not 0 <= ddof < count:
        cure = "Give a ddof from 0 to fewer than there are elements" if count else "Ask for it of an array that has some"
        raise UsageError(f"{name} of {count} elements of {a!r} with ddof={ddof}. {cure}")
    kind = np.dtype(a.dtype.type(0).real.dtype if a.dtype.kind in "fc" else "f8")

    def compute(a: DistributedArray, axes: list[int]) -> Any:
        if len(axes) == a.ndim:
            value = np.frombuffer(a._body.reduce("squares")[1], "f8")[0] / (count - ddof)
            return kind.type(math.sqrt(value) if root else value)
        return _at_members(_variance_along, a, axes, count - ddof, root, kind)

    return with_axes(a, axes, keepdims, compute)


def check_others(name: str, others: Mapping[str, Any]) -> None:
    """NumPy gives out=None and dtype=None where nothing is said."""
    for each, value in others.items():
        if value is None or value is np._NoValue or (each == "where" and value is True):
            continue
        cures = {
            "dtype": "Leave it away, or make an array of that type first: a.astype(dtype)",
            "out": "Leave it away: the result is new",
            "where": "Use a.local in members, or a * mask with a distributed mask of the same split",
            "initial": "Leave it away, and add it to the result",
        }
        what = "in another type, with dtype=" if each == "dtype" else f"with {each}="
        raise NotSupported(f"{name} of a distributed array {what}. {cures.get(each, 'Leave it away')}")


def axes_of(a: DistributedArray, name: str, axis: Axis) -> list[int]:
    """From the first on."""
    if axis is None:
        return list(range(a.ndim))
    try:
        named = [each.__index__() for each in (axis if isinstance(axis, Sequence) else (axis,))]
    except (AttributeError, TypeError):
        raise UsageError(f"{name} along axis {axis!r} of {a!r}. An axis is an integer, or several are a tuple of them") from None
    axes = sorted(each + a.ndim if each < 0 else each for each in named)
    if any(each < 0 or each >= a.ndim for each in axes) or len(set(axes)) != len(axes):
        raise UsageError(f"{name} along axis {axis!r} of {a!r}. Name axes from {-a.ndim} to {a.ndim - 1}, each once")
    return axes


def with_axes(a: DistributedArray, axes: list[int], keepdims: bool, compute: Callable[[DistributedArray, list[int]], Any]) -> Any:
    """What is computed along the axes, which have the extent 1 then, if they are kept. A number is an array in memory then, the same at all members."""
    result = compute(a, axes)
    if not keepdims:
        return result
    return _at_members(_kept, a, axes, result) if len(axes) < a.ndim else np.asarray(result).reshape((1,) * a.ndim)


def _by_body(a: DistributedArray, name: str, axes: list[int]) -> Any:
    if len(axes) == a.ndim:
        kind, value = a._body.reduce(name)
        return np.frombuffer(value, kind)[0]
    made = a
    for each in reversed(axes):
        made = type(a)(made._body.reduce_axis(name, each))
    return made


def _mean(a: DistributedArray, axes: list[int]) -> Any:
    count = math.prod(a.shape[each] for each in axes)
    if a.dtype.kind in "iub":  # NumPy's mean adds up in float64, and its sum in 64 bits
        a = cast("DistributedArray", np.multiply(a, 1.0))
    total = _by_body(a, "sum", axes)
    return np.true_divide(total, count) if isinstance(total, type(a)) else total.dtype.type(total / count)


_MEANINGS: Mapping[str, Callable[[DistributedArray, list[int]], Any]] = {
    "mean": _mean,
    "any": lambda a, axes: _truth(_by_body(a, "any", axes)),
    "all": lambda a, axes: _truth(_by_body(a, "all", axes)),
}


def _truth(found: Any) -> Any:
    """An array has 1 and 0: there are no elements of type bool."""
    return np.bool_(found) if isinstance(found, np.generic) else found


# --- what members do together, and the program has them do ---


def _at_members(work: Callable[..., DistributedArray], a: DistributedArray, axes: list[int], *arguments: Any) -> DistributedArray:
    if a._body.in_member:
        return work(None, a, axes, *arguments)
    from octavo.objects.calling import call

    made: DistributedArray = call(a.group, work, a, axes, *arguments)[0]
    made._body.own()
    return made


def _together(a: DistributedArray, axes: list[int]) -> Split:
    """As ``a`` is split, but that who is first along the axes has all of them."""
    cells = itertools.product(*(range(1 if axis in axes else extent) for axis, extent in enumerate(a.split.grid)))
    numbers = [int(np.ravel_multi_index(cell, a.split.grid)) for cell in cells]
    members = tuple(a.split.members[each] for each in numbers) if a.split.members else tuple(numbers)
    grid = tuple(1 if axis in axes else extent for axis, extent in enumerate(a.split.grid))
    return Split(grid, dist=a.split.dists, members=members)


def _made(a: DistributedArray, extents: Mapping[int, int], kind: np.dtype[Any], split: Split) -> DistributedArray:
    shape = [extents.get(axis, extent) for axis, extent in enumerate(a.shape)]
    return type(a)(_core.make_distributed(a.group._facts, shape, kind.name, split.made(), b""))


def _kept(_object: object, a: DistributedArray, axes: list[int], result: DistributedArray) -> DistributedArray:
    made = _made(a, dict.fromkeys(axes, 1), result.dtype, _together(a, axes))
    made.local[...] = result.local.reshape(made.local.shape)
    return made


def _variance_along(_object: object, a: DistributedArray, axes: list[int], divisor: int, root: bool, kind: np.dtype[Any]) -> DistributedArray:
    """Each member adds up the squares of what it has, around the means that those send who are first along the axes."""
    wide = np.dtype("c16" if a.dtype.kind == "c" else "f8")
    along = {axis: _members_along(a, axis) for axis in axes}
    each_once = Split(a.split.grid, dist=tuple("block" if axis in axes else dist for axis, dist in enumerate(a.split.dists)), members=a.split.members)

    def summed(partial: Callable[[Any], Any], kind: np.dtype[Any]) -> DistributedArray:
        slab = _made(a, along, kind, each_once)
        if slab.local.size:
            slab.local[...] = partial(a.local)
        return cast("DistributedArray", _by_body(slab, "sum", axes))

    over = tuple(axes)
    totals = summed(lambda own: own.sum(axis=over, keepdims=True, dtype=wide), wide)
    sent = _made(a, along, wide, _together(a, axes))
    count = math.prod(a.shape[each] for each in axes)
    if sent.local.size:
        sent.local[...] = np.expand_dims(totals.local, over) / count
    means = sent.resplit(each_once).local
    squares = summed(lambda own: (np.abs(own - means) ** 2).sum(axis=over, keepdims=True), np.dtype("f8"))
    made = type(a)(squares._body.like(kind.name))
    found = squares.local / divisor
    made.local[...] = np.sqrt(found) if root else found
    return made


def _members_along(a: DistributedArray, axis: int) -> int:
    """So many have something along it: the first ones."""
    return min(a.split.grid[axis], -(-a.shape[axis] // max(1, at_a_time(a.split.dists[axis]))))
