# SPDX-License-Identifier: Apache-2.0
"""Who read and wrote which elements between two barriers: octavo.buffered(..., debug=True) names what the protocol of several processes forbids.

>>> notes = Notes()
>>> notes.read(lo, step, counts); notes.writes.points.append(indices)
>>> check(me, notes, "u.zarr")       # together with all who share the array; afterwards nothing is noted
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from octavo.errors import UsageError

Points = npt.NDArray[np.int64]  # a row for each axis


@dataclass(frozen=True)
class Steps:
    """Elements along each axis from ``lo`` on, ``step`` apart."""

    lo: tuple[int, ...]
    step: tuple[int, ...]
    counts: tuple[int, ...]

    def meets(self, other: Steps) -> tuple[int, ...] | None:
        """An element of both."""
        found = [_common(*each) for each in zip(self.lo, self.step, self.counts, other.lo, other.step, other.counts, strict=True)]
        return None if any(each is None for each in found) else tuple(each for each in found if each is not None)

    def meets_points(self, points: Points) -> tuple[int, ...] | None:
        lo, step, counts = (np.array(each, "int64").reshape(-1, 1) for each in (self.lo, self.step, self.counts))
        inside = ((points >= lo) & ((points - lo) % step == 0) & (points < lo + step * counts)).all(axis=0)
        return tuple(points[:, inside.argmax()].tolist()) if inside.any() else None


def _common(lo: int, step: int, count: int, other_lo: int, other_step: int, other_count: int) -> int | None:
    """The first number that both progressions have."""
    if count <= 0 or other_count <= 0:
        return None
    shared = math.gcd(step, other_step)
    if (other_lo - lo) % shared:
        return None
    period = other_step // shared
    first = lo + step * ((other_lo - lo) // shared * pow(step // shared, -1, period) % period) if period > 1 else lo
    together = step * period
    begin = max(lo, other_lo)
    first += max(0, -(-(begin - first) // together)) * together
    return first if first < min(lo + step * count, other_lo + other_step * other_count) else None


@dataclass
class Seen:
    """What was read, or written."""

    boxes: list[Steps] = field(default_factory=list)
    points: list[Points] = field(default_factory=list)

    def meets(self, other: Seen) -> tuple[int, ...] | None:
        pairs = [mine.meets(yours) for mine in self.boxes for yours in other.boxes]
        pairs += [mine.meets_points(yours) for mine in self.boxes for yours in other.points]
        pairs += [yours.meets_points(mine) for mine in self.points for yours in other.boxes]
        pairs += [_in_both(mine, yours) for mine in self.points for yours in other.points]
        return next((each for each in pairs if each is not None), None)


def _in_both(mine: Points, yours: Points) -> tuple[int, ...] | None:
    both = set(map(tuple, mine.T.tolist())) & set(map(tuple, yours.T.tolist()))
    return min(both, default=None)


@dataclass
class Notes:
    """Of one process, since the last barrier."""

    reads: Seen = field(default_factory=Seen)
    writes: Seen = field(default_factory=Seen)

    def read(self, lo: Sequence[int], step: Sequence[int], counts: Sequence[int]) -> None:
        self.reads.boxes.append(Steps(tuple(lo), tuple(step), tuple(counts)))

    def write(self, lo: Sequence[int], step: Sequence[int], counts: Sequence[int]) -> None:
        self.writes.boxes.append(Steps(tuple(lo), tuple(step), tuple(counts)))


def check(me: Any, notes: Notes, path: str) -> None:
    """UsageError, of all of them alike, where one wrote an element that another wrote, or read, since the last barrier."""
    gather = getattr(me, "all_gather", None) or getattr(me, "allgather", None)  # mpi4py's name
    if gather is None:
        raise UsageError(f"sync() of '{path}', opened with debug=True, with a {type(me).__name__}: it has no all_gather. Give octavo.self(), or a communicator")
    everybody: list[Notes] = gather(notes)
    for writer, theirs in enumerate(everybody):
        for other, others in enumerate(everybody):
            if other == writer:
                continue
            if other > writer and (at := theirs.writes.meets(others.writes)) is not None:
                raise UsageError(f"element {at} of '{path}' was written by members {writer} and {other} between two barriers. Let one of them write it")
            if (at := theirs.writes.meets(others.reads)) is not None:
                raise UsageError(f"element {at} of '{path}' was read by member {other} while member {writer} wrote it: no sync() lies between. Add one")
