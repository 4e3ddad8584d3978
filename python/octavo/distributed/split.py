# SPDX-License-Identifier: Apache-2.0
"""How an array lies over the members of a group.

>>> octavo.distributed.Split(grid=(2, 2), halo=1)                       # four members, a tile each
>>> octavo.distributed.Split(grid=(4, 1), dist=("cyclic", "block"))     # row i at member i % 4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, SupportsIndex, TypeAlias

from octavo import _core
from octavo._src.validation import integers
from octavo.errors import UsageError

Distribution: TypeAlias = Literal["block", "cyclic"] | int
Halo: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
BLOCKS = {"block": 0, "cyclic": 1}


@dataclass(frozen=True)
class Split:
    """``grid``: so many members along each axis, in C order. ``dist``: for all axes or for each "block" (as numpy.array_split has it), "cyclic" (dealt out one
    by one), or how many are dealt out at a time. ``halo``: how many elements of the neighbours each sees, of the axes with more than one member, or for each.
    ``members``: which member has which cell of the grid; those that it does not name have no elements.
    """

    grid: tuple[int, ...]
    dist: Distribution | tuple[Distribution, ...] = "block"
    halo: int | tuple[int, ...] = 0
    members: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", integers(self.grid, "grid", 1))
        object.__setattr__(self, "halo", self._halo())
        object.__setattr__(self, "dist", self._dist())
        if self.members is not None:
            object.__setattr__(self, "members", integers(self.members, "members", 0))
        self.made()  # raises what makes no sense

    def _halo(self) -> tuple[int, ...]:
        given = integers(self.halo, "halo", 0)
        if isinstance(self.halo, Sequence):
            return given
        return tuple(given[0] if extent > 1 else 0 for extent in self.grid)

    def _dist(self) -> tuple[Distribution, ...]:
        given = tuple(self.dist) if isinstance(self.dist, Sequence) and not isinstance(self.dist, str) else (self.dist,) * len(self.grid)
        if len(given) != len(self.grid):
            raise UsageError(f"dist {given} for a grid of {self.grid}. Give one for all axes, or one for each")
        for each in given:
            if not (isinstance(each, int) and each > 0) and each not in BLOCKS:
                raise UsageError(f"dist {each!r} of a split. It is 'block', 'cyclic', or how many elements are dealt out at a time")
        return given

    @property
    def dists(self) -> tuple[Distribution, ...]:
        """By axis."""
        return self.dist if isinstance(self.dist, tuple) else (self.dist,) * len(self.grid)

    @property
    def widths(self) -> tuple[int, ...]:
        """Of the halo, by axis."""
        return self.halo if isinstance(self.halo, tuple) else (self.halo,) * len(self.grid)

    @property
    def in_blocks(self) -> bool:
        """Along all axes: what a member has is a box."""
        return not any(self.made().blocks)

    def made(self) -> _core.Split:
        """As the library has it."""
        # One member along an axis has all of it, in whatever way it is dealt out.
        blocks = [0 if extent == 1 else at_a_time(each) for each, extent in zip(self.dists, self.grid, strict=True)]
        return _core.Split(list(self.grid), blocks, list(self.widths), list(self.members or ()))


def at_a_time(dist: Distribution) -> int:
    """How many elements are dealt out at a time; 0: they are in blocks."""
    return BLOCKS[dist] if isinstance(dist, str) else dist


def known(of: _core.Split) -> Split:
    """Made by the library."""
    names: dict[int, Distribution] = {number: name for name, number in BLOCKS.items()}  # type: ignore[misc]
    return Split(tuple(of.grid), tuple(names.get(each, each) for each in of.blocks), tuple(of.halo), tuple(of.members) or None)


def chosen(split: Split | None, axis: SupportsIndex | None, halo: Halo | None, dims: int, size: int) -> Split:
    """What zeros() and the like were told: a split, or the axis along which all members have a block."""
    if split is not None:
        if axis is not None or halo is not None:
            raise UsageError("a split, and an axis or a halo beside it. Give the split all of it: Split(grid=..., halo=...)")
        return split
    if dims == 0:
        raise UsageError("a distributed array without axes: there is nothing to be split. Give it a shape, (1,) say")
    (along,) = integers(0 if axis is None else axis, "axis", -dims)
    if not -dims <= along < dims:
        raise UsageError(f"axis {along} of an array of {dims} axes. Name one from 0 to {dims - 1}")
    grid = [1] * dims
    grid[along] = size
    if halo is not None and not isinstance(halo, Sequence):
        widths = [0] * dims
        (widths[along],) = integers(halo, "halo", 0)
        halo = widths
    return Split(tuple(grid), halo=0 if halo is None else integers(halo, "halo", 0))
