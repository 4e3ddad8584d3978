# SPDX-License-Identifier: Apache-2.0
"""A turbulence-like random field larger than memory, and what its transform must be.

A spectrum is drawn block by block: amplitudes that give E(k) ~ k^(-5/3) above the energetic scale, random phases, and
S(-k) = conj S(k), so that the field is real. Octavo transforms it back. So the field's transform is known: it is what was
drawn. Phases are a hash of the element's number, so that any element can be drawn again at any time.
"""

from pathlib import Path

import numpy as np
import octavo as ov
from blocks import ACCESS, Array, Part, each_part, slabs

SLOPE = -5 / 3
ENERGETIC = 4  # the wavenumber with most of the energy, in cycles per box


def model(k: Array) -> Array:
    """E(k): k^2 below the energetic scale, k^(-5/3) above it, and 0 at 0. The corner is sharp: 1e-3 from the power law at 2.2 times the scale."""
    safe = np.maximum(k, 1e-9)
    energy: Array = np.where(k > 0, safe**SLOPE * (1 + (ENERGETIC / safe) ** 8) ** -((2 - SLOPE) / 8), 0.0)
    return energy


def wavenumbers(n: int) -> Array:
    """0, 1, ..., -2, -1: the frequency of each index, in cycles per box."""
    index = np.arange(n)
    return np.where(index < (n + 1) // 2, index, index - n)


def scrambled(number: Array) -> Array:
    """A hash of 32 bits, in place: a multiplication and a shift, twice. Each bit of the result depends on all of the number."""
    number ^= number >> np.uint32(16)
    number *= np.uint32(0x7FEB352D)
    number ^= number >> np.uint32(15)
    number *= np.uint32(0x846CA68B)
    number ^= number >> np.uint32(16)
    return number


class Drawn:
    """The drawn spectrum of an n x n x n box, scaled so that the field's mean square is near 1. Any element, at any time."""

    def __init__(self, n: int, seed: int = 1) -> None:
        self.n, self.shape = n, (n, n, n)
        self._seed = np.uint32(seed * 0x9E3779B9 % 2**32)
        self._squares = (wavenumbers(n) ** 2).astype(np.int32)
        k = np.sqrt(np.arange(3 * (n // 2) ** 2 + 1, dtype=float))
        total = model(np.arange(1, n // 2 + 1, dtype=float)).sum()
        energy = model(k) / (4 * np.pi * np.maximum(k, 1) ** 2) / total  # a shell at k has 4 pi k^2 elements
        self._amplitude = (n**3 * np.sqrt(energy)).astype(np.float32)

    def _number(self, i: Array, j: Array, k: Array) -> Array:
        """Of each element the number that counts it in the whole box."""
        line = (i[:, None] * np.uint32(self.n) + j) * np.uint32(self.n)
        return np.asarray(line[:, :, None] + k)

    def _phase(self, i: Array, j: Array, k: Array) -> Array:
        """Random, the opposite at -k, and so 0 where an element is its own mirror image."""
        own = self._number(*(each.astype(np.uint32) for each in (i, j, k)))
        mirrored = self._number(*((-each % self.n).astype(np.uint32) for each in (i, j, k)))
        sign = (own < mirrored).view(np.int8) - (own > mirrored).view(np.int8)
        first = np.minimum(own, mirrored, out=own)
        first ^= self._seed
        phase = scrambled(first).view(np.int32).astype(np.float32)
        phase *= np.float32(np.pi / 2**31)
        phase *= sign
        return np.asarray(phase)

    def part(self, part: Part) -> Array:
        """What was drawn there."""
        values = np.empty([each.stop - each.start for each in part], np.complex64)
        for planes, piece in slabs(part):
            self._fill(values[planes], *(np.arange(each.start, each.stop) for each in piece))
        return values

    def _fill(self, values: Array, i: Array, j: Array, k: Array) -> None:
        phase = self._phase(i, j, k)
        np.cos(phase, out=values.real)
        np.sin(phase, out=values.imag)
        a, b, c = (self._squares[each] for each in (i, j, k))
        values *= self._amplitude.take(a[:, None, None] + b[:, None] + c)


def write_drawn(path: Path, drawn: Drawn, chunk: tuple[int, ...]) -> None:
    """The drawn spectrum as a Zarr array."""
    with ov.create_array(path, drawn.shape, "complex64", chunks=chunk, memory=ACCESS) as spectrum:

        def write(part: Part) -> None:
            spectrum[part] = drawn.part(part)

        for _ in each_part(spectrum.shape, chunk, write):
            pass


def write_real_part(source: Path, target: Path, chunk: tuple[int, ...]) -> float:
    """The field: the real part of what was transformed back, where the imaginary part is rounding. The sum of its squares."""
    with ov.open_array(source, memory=ACCESS) as back, ov.create_array(target, back.shape, "float32", chunks=chunk, memory=ACCESS) as field:

        def write(part: Part) -> float:
            real = back[part].real
            field[part] = real
            return float(np.square(real, dtype=np.float64).sum())

        return sum(each_part(field.shape, chunk, write))
