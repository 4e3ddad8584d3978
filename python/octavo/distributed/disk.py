# SPDX-License-Identifier: Apache-2.0
"""Distributed arrays from and to arrays on disk: each member opens it and moves its own elements."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from octavo._src.inputs import Input, input_of
from octavo._src.keywords import target_of
from octavo._src.open_create import Annotations, NewArray, Opening, creation
from octavo._src.paths import AnyPath, absolute, is_array_name
from octavo.array import Array, open_array
from octavo.distributed.split import at_a_time
from octavo.errors import IoError, UsageError
from octavo.objects.calling import call
from octavo.objects.groups import member
from octavo.objects.groups.member import Member
from octavo.options import Target

if TYPE_CHECKING:
    from octavo._src.inputs import SourceLike
    from octavo.distributed.array import DistributedArray

Index = tuple[slice, ...]


def same_for_all(path: object, hosts: Sequence[str], what: str) -> None:
    """Members of one machine have the directory of the program. UsageError for a relative path that members of several machines give."""
    if is_relative(path) and len(set(hosts)) > 1:
        where = ", ".join(dict.fromkeys(hosts))
        cure = "Give an absolute path, of a directory that all of them see"
        raise UsageError(
            f"{what} '{os.fspath(path)!s}' by members on {where}: each machine has another directory, and a relative path is another place. {cure}"
        )


def is_relative(path: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(path, str | os.PathLike) and not is_array_name(path) and not Path(path).is_absolute()


def seen_from(member: Member, path: AnyPath) -> str:
    """What all members of a machine open: in the directory of member 0, be it that another has left it."""
    return member.broadcast(absolute(path))


def facts_of(source: SourceLike) -> tuple[tuple[int, ...], np.dtype[Any]]:
    with open_array(source) as array:
        return array.shape, array.dtype


def read(into: DistributedArray, source: SourceLike, memory: int | str) -> None:
    if into._body.in_member:
        read_at_member(None, into, source, memory)
    else:
        there = absolute(source) if isinstance(source, str | bytes | os.PathLike) else source
        call(into.group, read_at_member, into, input_of(there, None, {}) if isinstance(there, Array) else there, memory)


def read_at_member(_object: object, into: DistributedArray, source: SourceLike | Input, memory: int | str) -> None:
    def read_own() -> None:
        with open_array(source, memory=memory) as array:  # type: ignore[arg-type]  # of an Input, what it was made of
            for there, here in parts_of(into):
                array.read(there, out=into.local[here])

    together(member.self(into.group), f"reading {source!r} into {into!r}", read_own)


def write(array: DistributedArray, path: AnyPath, target: Target | None, overwrite: bool, memory: int | str, options: Mapping[str, Any]) -> None:
    if array._body.in_member:
        same_for_all(path, array.hosts, "to_disk into")
    arguments = (absolute(path), target, overwrite, memory, dict(options))
    if array._body.in_member:
        write_at_member(None, array, *arguments)
    else:
        call(array.group, write_at_member, array, *arguments)


def write_at_member(
    _object: object, array: DistributedArray, path: str, target: Target | None, overwrite: bool, memory: int | str, options: dict[str, Any]
) -> None:
    me = member.self(array.group)
    what = f"writing {array!r} to '{path}'"
    made: list[NewArray] = []  # by member 0
    known: list[tuple[Opening, bool]] = []

    def make() -> None:
        if me.index == 0:
            new = NewArray(creation(path, array.shape, array.dtype, target_of(target, options), Annotations(), memory, overwrite))
            made.append(unfinished.enter_context(new))
            known.append((new.opening, not array.split.in_blocks or must_be_alone(new.opening)))

    def write_own() -> None:
        with Array(opening.open(), opening) as there:
            for part, here in parts_of(array):
                there.write(part, array.local[here])

    def finish() -> None:
        for each in made:
            each.finish()

    with contextlib.ExitStack() as unfinished:  # where a member failed, or is dead, nothing is left
        together(me, what, make)
        opening, in_turns = me.broadcast(known)[0]
        for turn in range(me.size if in_turns else 1):
            together(me, what, write_own if not in_turns or turn == me.index else lambda: None)
        together(me, what, finish)


def must_be_alone(opening: Opening) -> bool:
    """Who writes to it: of two that write into one compressed chunk the first would lose what it wrote, and HDF5 has a lock."""
    with contextlib.closing(opening.open()) as handle:
        return handle.storage.served or handle.storage.encoded or hasattr(handle, "identity")


def parts_of(array: DistributedArray) -> Iterator[tuple[Index, Index]]:
    """What this member has, as slices of all of it, and of its own elements: one box, or one for each element that is dealt out at a time."""
    along: list[list[tuple[slice, slice]]] = []
    for axis, dist in enumerate(array.split.dists):
        indices = array.local_indices(axis)
        block = at_a_time(dist) if array.split.grid[axis] > 1 else 0
        step = array.split.grid[axis] * block
        if not len(indices):
            return
        if step == 0:
            along.append([(slice(int(indices[0]), int(indices[-1]) + 1), slice(None))])
        else:
            along.append([(slice(int(first), array.shape[axis], step), slice(k, None, block)) for k, first in enumerate(indices[:block])])
    for chosen in itertools.product(*along):
        yield tuple(there for there, _ in chosen), tuple(here for _, here in chosen)


def together(me: Member, what: str, work: Callable[[], None]) -> None:
    """Returns when all members have done it. Raises what it raised here, else IoError that names the first member at which it raised."""
    failure: Exception | None = None
    try:
        work()
    except Exception as error:
        failure = error
    failures = me.all_gather(None if failure is None else f"{type(failure).__name__}: {failure}")
    try:
        if failure is not None:
            raise failure
    finally:
        failure = None  # it and this frame would hold each other, and so the array
    for index, text in enumerate(failures):
        if text is not None:
            raise IoError(f"{what}: member {index}: {text}")
