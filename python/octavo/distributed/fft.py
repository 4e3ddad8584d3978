# SPDX-License-Identifier: Apache-2.0
"""octavo.fft.fftn of a distributed array: each member transforms along the axes that it has whole, then the array is split otherwise for the rest.

>>> spectrum = octavo.fft.fftn(a, axes=(0, 1))         # a distributed array, of the split of a
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from octavo._src.validation import integers
from octavo.distributed.split import Split
from octavo.errors import NotSupported, UsageError

if TYPE_CHECKING:
    from octavo.distributed.array import DistributedArray

SINGLE = ("float32", "complex64")  # whose transforms are of single precision


def transform(a: DistributedArray, operation: str, s: object, axes: SupportsIndex | Sequence[SupportsIndex] | None, norm: str | None) -> DistributedArray:
    """operation: "fftn" or "ifftn", as numpy.fft has them."""
    if s is not None:
        raise NotSupported(f"{operation} of a distributed array with s: padding and cropping are not done. Make the array in the wanted shape first")
    chosen = _axes(a, axes)
    if a._body.in_member:
        return _at_member(None, a, operation, chosen, norm)
    from octavo.objects.calling import call

    made: DistributedArray = call(a.group, _at_member, a, operation, chosen, norm)[0]
    made._body.own()
    return made


def _axes(a: DistributedArray, axes: SupportsIndex | Sequence[SupportsIndex] | None) -> list[int]:
    given = range(a.ndim) if axes is None else integers(axes, "axes", -a.ndim)
    chosen = [axis + a.ndim if axis < 0 else axis for axis in given]
    if any(axis >= a.ndim for axis in chosen) or len(set(chosen)) != len(chosen):
        raise UsageError(f"axes {tuple(given)} of {a!r}. Name each once, from 0 to {a.ndim - 1}")
    if a.ndim == 1 and chosen and a.split.grid != (1,):
        cure = "Gather it; or transform it on disk: octavo.fft.fftn(path, out=...)"
        raise NotSupported(f"a transform of {a!r}, which has one axis: no member can have all of it. {cure}")
    return chosen


def _at_member(_object: object, a: DistributedArray, operation: str, axes: list[int], norm: str | None) -> DistributedArray:
    kind = np.dtype("complex64" if a.dtype.name in SINGLE else "complex128")
    current, left = a, list(axes)
    made: DistributedArray | None = None
    while left or made is None:
        whole = [axis for axis in left if current.split.grid[axis] == 1]
        if left and not whole:
            current = current.resplit(_for_the_rest(current, left))
            continue
        made = current._like(kind)
        if current.local.size:  # a member may have no part
            made.local[...] = getattr(np.fft, operation)(current.local, axes=whole, norm=norm) if whole else current.local
        current, left = made, [axis for axis in left if axis not in whole]
    return current if current.split == a.split else current.resplit(a.split)


def _for_the_rest(a: DistributedArray, left: list[int]) -> Split:
    """In which the axes that are left, or all but one of them, are whole at each member."""
    others = [axis for axis in range(a.ndim) if axis not in left] or left
    along = max(others, key=lambda axis: a.shape[axis])
    size = int(np.prod(a.split.grid))
    return Split(tuple(size if axis == along else 1 for axis in range(a.ndim)), members=a.split.members)
