# SPDX-License-Identifier: Apache-2.0
"""A large array a block at a time: which blocks there are, and the work on them, a few at a time."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, product
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Part = tuple[slice, ...]  # which elements: one slice for each axis
Result = TypeVar("Result")

# What each open array may use for pages. A few blocks of 64^3 complex64 (2 MiB) are enough, however large the array is.
ACCESS = 8 << 20
THREADS = min(4, os.cpu_count() or 1)  # NumPy lets them run side by side
PLANES = 8  # of 64 x 64 elements: 128 KiB of float32


def parts(shape: tuple[int, ...], block: tuple[int, ...]) -> Iterator[Part]:
    """The parts that the blocks cover, in the order of the array; those at the edge are shorter."""
    for index in product(*(range(-(-n // b)) for n, b in zip(shape, block, strict=True))):
        yield tuple(slice(i * b, min((i + 1) * b, n)) for i, b, n in zip(index, block, shape, strict=True))


def each_part(shape: tuple[int, ...], block: tuple[int, ...], work: Callable[[Part], Result]) -> Iterator[Result]:
    """Does the work for all parts, a few at a time; the results in their order."""
    waiting = parts(shape, block)
    with ThreadPoolExecutor(THREADS) as pool:
        under_way = [pool.submit(work, part) for part in islice(waiting, THREADS)]
        while under_way:
            yield under_way.pop(0).result()
            under_way += [pool.submit(work, part) for part in islice(waiting, 1)]


def slabs(part: Part) -> Iterator[tuple[slice, Part]]:
    """A few planes at a time: where they are in the part, and where in the array. What lies between two steps then stays in the processor's cache."""
    whole = part[0]
    for start in range(whole.start, whole.stop, PLANES):
        stop = min(start + PLANES, whole.stop)
        yield slice(start - whole.start, stop - whole.start), (slice(start, stop), *part[1:])


def magnitude_squared(values: Array) -> Array:
    """|values|^2, in their own precision."""
    power: Array = np.square(values.real)
    power += np.square(values.imag)
    return power
