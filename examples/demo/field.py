# SPDX-License-Identifier: Apache-2.0
"""A turbulence-like random field larger than memory, and what its transform must be.

A spectrum is drawn chunk by chunk: amplitudes that give E(k) ~ k^(-5/3) above the energetic scale, random phases. Octavo
transforms it back, and the real part of the result is the field. So the field's transform is known: the Hermitian part of
what was drawn. Phases are a hash of the element's number, so that any element can be drawn again at any time.
"""

from pathlib import Path

import numpy as np
import stored
from stored import Array, Part

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
        # A shell at k has 4 pi k^2 elements. Half of their energy stays in the real part of the field.
        energy = 2 * model(k) / (4 * np.pi * np.maximum(k, 1) ** 2) / total
        self._amplitude = (n**3 * np.sqrt(energy)).astype(np.float32)

    def _at(self, *index: Array) -> Array:
        i, j, k = (each.astype(np.uint32) for each in index)
        a, b, c = (self._squares[each] for each in index)
        number = (i[:, None, None] * np.uint32(self.n) + j[None, :, None]) * np.uint32(self.n) + k
        number ^= self._seed
        phase = scrambled(number).astype(np.float32)
        phase *= np.float32(2 * np.pi / 2**32)
        values = np.empty(phase.shape, np.complex64)
        np.cos(phase, out=values.real)
        np.sin(phase, out=values.imag)
        values *= self._amplitude[a[:, None, None] + b[None, :, None] + c]
        return values

    def part(self, part: Part) -> Array:
        """What was drawn."""
        return self._at(*(np.arange(each.start, each.stop) for each in part))

    def of_field(self, part: Part) -> Array:
        """The transform of the field: (S(k) + conj S(-k)) / 2."""
        mirrored = self._at(*(-np.arange(each.start, each.stop) % self.n for each in part))
        both: Array = (self.part(part) + mirrored.conj()) * np.float32(0.5)
        return both


def write_drawn(path: Path, drawn: Drawn, chunk: tuple[int, ...]) -> None:
    """The drawn spectrum as a Zarr array."""
    stored.create(path, drawn.shape, chunk, "complex64")
    for _ in stored.each_part(drawn.shape, chunk, lambda part: stored.put(path, part, chunk, drawn.part(part))):
        pass


def write_real_part(source: Path, target: Path, shape: tuple[int, ...], chunk: tuple[int, ...]) -> float:
    """The field: the real part of what was transformed back, chunk by chunk. The sum of its squares."""
    stored.create(target, shape, chunk, "float32")

    def write(part: Part, values: Array) -> float:
        real = np.ascontiguousarray(values.real)
        stored.put(target, part, chunk, real)
        return float(np.square(real, dtype=np.float64).sum())

    return sum(stored.each_chunk(source, write))
