# SPDX-License-Identifier: Apache-2.0
"""An array on disk whose transform is known exactly: the outer product of one vector an axis, as Zarr v3 or .npy."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import zarr

CHUNK = 128
ITEM = 16  # complex128
Vector = npt.NDArray[np.complex128]


def shape_of(size: int) -> tuple[int, int, int]:
    """Three extents, powers of two as alike as can be, the longest last: 4 GiB are 512 x 512 x 1024."""
    exponent = (size // ITEM).bit_length() - 1
    if size != ITEM << exponent or exponent < 3:
        raise SystemExit(f"bench: an array of {size} bytes; choose a power of two from 128 on")
    return (1 << exponent // 3, 1 << (exponent + 1) // 3, 1 << (exponent + 2) // 3)


class Field:
    """The array of one shape: makes it, and knows its transform."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.shape = shape
        self.bytes = ITEM * int(np.prod(shape))
        rng = np.random.default_rng(2026)
        self.vectors: list[Vector] = [rng.standard_normal(n) + 1j * rng.standard_normal(n) for n in shape]
        self.spectra: list[Vector] = [np.fft.fft(vector) for vector in self.vectors]

    def _slabs(self, thickness: int) -> Iterator[tuple[slice, Vector]]:
        a, b, c = self.vectors
        plane = b[:, None] * c
        for begin in range(0, self.shape[0], thickness):
            part = slice(begin, min(begin + thickness, self.shape[0]))
            yield part, a[part, None, None] * plane

    def make_zarr(self, path: Path) -> None:
        """Uncompressed chunks of 128^3. What is already there whole is kept; an earlier run's half is made anew."""
        done = path.with_name(path.name + ".made")
        mark = json.dumps(self.shape)
        if path.exists() and done.exists() and done.read_text() == mark:
            return
        shutil.rmtree(path, ignore_errors=True)
        chunks = tuple(min(CHUNK, n) for n in self.shape)
        array = zarr.create_array(path, shape=self.shape, chunks=chunks, dtype="complex128", compressors=None, fill_value=0)
        for part, slab in self._slabs(chunks[0]):
            array[part] = slab
        os.sync()
        done.write_text(mark)

    def make_npy(self, path: Path) -> None:
        array = np.lib.format.open_memmap(path, mode="w+", dtype=np.complex128, shape=self.shape)
        for part, slab in self._slabs(4):
            array[part] = slab
        array.flush()
        del array
        os.sync()

    def worst_error(self, result: zarr.Array | npt.NDArray[np.complex128], points: int = 400) -> float:
        """max |error| / max |exact| at points spread over the result, its corners among them."""
        rng = np.random.default_rng(points)
        at = [np.concatenate(([0, n - 1], rng.integers(0, n, points - 2))) for n in self.shape]
        exact = self.spectra[0][at[0]] * self.spectra[1][at[1]] * self.spectra[2][at[2]]
        found = result.vindex[tuple(at)] if isinstance(result, zarr.Array) else result[tuple(at)]
        return float(np.max(np.abs(np.asarray(found) - exact)) / np.max(np.abs(exact)))


def evict(path: Path) -> None:
    """Drops what the page cache holds of a file, or of all in a directory."""
    for file in [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]:
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
