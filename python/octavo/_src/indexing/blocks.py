# SPDX-License-Identifier: Apache-2.0
"""How a large selection is cut into blocks that fit a bound and meet whole pages where they can. Pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from octavo._src.indexing.selection import Selection


def blocks(selection: Selection, page: Sequence[int], itemsize: int, limit: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Start and counts of each block, along the array's axes, in C order: all of them together are the selection, each of at most
    ``limit`` bytes (or one element). A block ends at an edge of a page, so that a page is written once, unless a page is larger than that.
    """
    for block in itertools.product(*cuts(selection, page, itemsize, limit)):
        yield tuple(start for start, _ in block), tuple(count for _, count in block)


def cuts(selection: Selection, page: Sequence[int], itemsize: int, limit: int) -> list[list[tuple[int, int]]]:
    """The same as start and count of each part along each axis."""
    extents = _extents(selection, page, itemsize, limit)
    return [_cuts(*each) for each in zip(selection.lo, selection.step, selection.counts, extents, strict=True)]


def _extents(selection: Selection, page: Sequence[int], itemsize: int, limit: int) -> list[int]:
    """How far a block reaches along each axis of the array: whole pages, as many as fit along the last axes first; less along the first
    axes where a page does not fit."""
    room = max(1, limit // itemsize)
    counts = [min(count, -(-extent // step)) for count, extent, step in zip(selection.counts, page, selection.step, strict=True)]
    extents = list(page)
    for axis in range(len(counts)):
        if (now := math.prod(counts)) > room:
            counts[axis] = max(1, room // (now // counts[axis]))
            extents[axis] = counts[axis] * selection.step[axis]
    if extents != list(page):
        return extents
    for axis in reversed(range(len(counts))):
        most = room // (math.prod(counts) // counts[axis])
        pages = max(1, most * selection.step[axis] // page[axis])
        extents[axis] = pages * page[axis]
        counts[axis] = min(selection.counts[axis], -(-extents[axis] // selection.step[axis]))
    return extents


def _cuts(lo: int, step: int, count: int, extent: int) -> list[tuple[int, int]]:
    """Start and count of each run of ``lo + i * step`` that lies between two multiples of ``extent``."""
    found = []
    start = 0
    while start < count:
        edge = ((lo + start * step) // extent + 1) * extent
        end = min(count, -(-(edge - lo) // step))
        found.append((start, end - start))
        start = end
    return found
