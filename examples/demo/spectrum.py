# SPDX-License-Identifier: Apache-2.0
"""The power spectrum E(k) of a field from its transform, block by block.

E(k) = 4 pi k^2 <|F|^2> / N^2, the mean over the elements whose wavenumber rounds to k. Where the shells are whole, the sum
over k is the field's mean square, up to how far a shell of the lattice is from a round one.
"""

from dataclasses import dataclass
from functools import reduce
from math import prod
from pathlib import Path

import numpy as np
import octavo as ov
from blocks import ACCESS, Array, Part, each_part, magnitude_squared, slabs
from field import Drawn, wavenumbers


class Shells:
    """Which shell an element belongs to."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self._squares = [wavenumbers(n).astype(np.int32) ** 2 for n in shape]
        farthest = sum((n // 2) ** 2 for n in shape)
        self._shell_of = np.rint(np.sqrt(np.arange(farthest + 1))).astype(np.intp)
        self.count = int(self._shell_of[-1]) + 1

    def of(self, part: Part) -> Array:
        """round(|k|) of each element of the part."""
        return np.asarray(self._shell_of.take(reduce(np.add, np.ix_(*(squares[each] for squares, each in zip(self._squares, part, strict=True))))))


@dataclass
class Sums:
    """What is gathered over the blocks."""

    power: Array  # sum of |F|^2 in each shell
    elements: Array  # how many
    error: float = 0.0  # the largest difference from the known transform
    largest: float = 0.0  # the largest known element

    def __add__(self, other: "Sums") -> "Sums":
        error, largest = max(self.error, other.error), max(self.largest, other.largest)
        return Sums(self.power + other.power, self.elements + other.elements, error, largest)


def shell_sums(shells: Shells, part: Part, values: Array) -> Sums:
    """The sums over one part."""
    shell = shells.of(part).ravel()
    power = magnitude_squared(values).ravel()  # bincount adds in double precision
    return Sums(np.bincount(shell, power, shells.count), np.bincount(shell, minlength=shells.count))


def largest_of(values: Array) -> float:
    """The largest |value|; NaN if there is one."""
    return float(np.sqrt(magnitude_squared(values).max()))


def compared(shells: Shells, known: Drawn, part: Part, values: Array) -> Sums:
    """The sums over one part, each element compared with the known one."""
    sums, want = shell_sums(shells, part, values), known.part(part)
    sums.largest = largest_of(want)
    sums.error = largest_of(values - want)
    return sums


def measure(path: Path, known: Drawn) -> Sums:
    """The sums over a stored transform."""
    shells = Shells(known.shape)
    with ov.open_array(path, memory=ACCESS) as transform:

        def work(part: Part) -> Sums:
            values = transform[part]
            return reduce(Sums.__add__, (compared(shells, known, piece, values[planes]) for planes, piece in slabs(part)))

        return reduce(Sums.__add__, each_part(transform.shape, transform.chunks, work))


def energy(sums: Sums, shape: tuple[int, ...]) -> Array:
    """E(k) for k = 0, 1, ..., half the smallest extent: the shells that are whole."""
    k = np.arange(min(shape) // 2 + 1)
    each: Array = 4 * np.pi * k**2 * sums.power[k] / sums.elements[k] / float(prod(shape)) ** 2
    return each


def fit(spectrum: Array, first: int, last: int) -> tuple[float, float]:
    """(slope, factor) of the power law factor k^slope through E(first..last), by least squares of the logarithms.

    A shell has k^2 elements, so the scatter of its mean is as 1/k, and its weight is k^2."""
    k = np.arange(first, last + 1)
    slope, offset = np.polyfit(np.log(k), np.log(spectrum[first : last + 1]), 1, w=k)
    return float(slope), float(np.exp(offset))
