# SPDX-License-Identifier: Apache-2.0
"""Distributed arrays that are new: of zeros, of a value, of the elements of an array in memory or on disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src.inputs import SourceLike
from octavo._src.validation import element_type, integers
from octavo.distributed import disk
from octavo.distributed.array import DistributedArray
from octavo.distributed.split import Halo, Split, chosen
from octavo.distributed.values import element_bytes
from octavo.errors import UsageError
from octavo.objects.groups import member
from octavo.objects.groups.group import Group
from octavo.objects.groups.member import Member

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]


def zeros(
    shape: Extents,
    dtype: npt.DTypeLike = "f8",
    *,
    group: Group[Any] | Member,
    axis: SupportsIndex | None = None,
    halo: Halo | None = None,
    split: Split | None = None,
) -> DistributedArray:
    """A new array of zeros over a group: in a method of its members all call it, with the same arguments; the program calls it for all.

    axis: along which the members have a block each, 0 if nothing is said; halo: how many elements of its neighbours each sees there, or by axis. split: instead
    of both. Refused where the pool of a member has no room.
    """
    return full(shape, 0, dtype, group=group, axis=axis, halo=halo, split=split)


def full(
    shape: Extents,
    fill_value: complex,
    dtype: npt.DTypeLike = "f8",
    *,
    group: Group[Any] | Member,
    axis: SupportsIndex | None = None,
    halo: Halo | None = None,
    split: Split | None = None,
) -> DistributedArray:
    """As zeros(), of this value; the halo has it, too."""
    over = group_of(group)
    extents, kind = integers(shape, "shape", 0), native(dtype)
    how = chosen(split, axis, halo, len(extents), len(over))
    value = element_bytes(fill_value, kind, "fill_value")
    return DistributedArray(_core.make_distributed(over._facts, list(extents), kind.name, how.made(), value))


def from_array(
    source: SourceLike | npt.NDArray[Any],
    *,
    group: Group[Any] | Member,
    axis: SupportsIndex | None = None,
    halo: Halo | None = None,
    split: Split | None = None,
    memory: int | str = "256MiB",
) -> DistributedArray:
    """The elements of a NumPy array, which in members each gives; or of an array on disk, as octavo.open_array has it: each member reads its own, within
    ``memory``, so its machine must have the file.
    """
    over = group_of(group)
    if isinstance(source, list | tuple | int | float | complex):
        raise UsageError(f"from_array of a {type(source).__name__}. Make an array of it: from_array(numpy.array(x), ...)")
    if isinstance(source, np.ndarray) and not isinstance(source, np.memmap):
        made = zeros(source.shape, source.dtype, group=over, axis=axis, halo=halo, split=split)
        made._body.put(np.ascontiguousarray(source, made.dtype))
        return made
    if disk.is_relative(source):
        here = zeros(len(over), "u1", group=over)  # says where the members are, and whether this is one
        if here._body.in_member:
            disk.same_for_all(source, here.hosts, "from_array of")
            source = disk.seen_from(member.self(over), source)
    shape, dtype = disk.facts_of(source)
    made = zeros(shape, dtype, group=over, axis=axis, halo=halo, split=split)
    disk.read(made, source, memory)
    return made


def group_of(given: Group[Any] | Member) -> Group[Any]:
    if isinstance(given, Member):
        return given.group
    if not isinstance(given, Group):
        raise UsageError(f"a distributed array over {given!r}. Give the group that has it: group=g, or group=me.group in a method")
    return given


def native(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Parts are in the byte order of the machine."""
    kind: np.dtype[Any] = element_type(dtype).newbyteorder("=")
    return kind
