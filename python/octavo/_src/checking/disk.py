# SPDX-License-Identifier: Apache-2.0
"""The file system of a directory: what it is, and how fast, with direct I/O alone and through Octavo. Nothing is left in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from octavo._src.checking.finding import Finding
from octavo._src.checking.kernel_files import text_of
from octavo._src.checking.plain_disk import BLOCK, open_nameless, plain_rates
from octavo._src.checking.short_lived import folder_in

SECTION = "disk"
MOST_BYTES = 256 << 20
MOST_SECONDS = 0.7  # for Octavo's part, at the speed that was found
ELSEWHERE = "octavo check --directory DIRECTORY, one that you can write to"


def find(directory: str) -> Iterator[Finding]:
    """A file without a name is written and read, then an array."""
    yield Finding(SECTION, "directory", directory)
    try:
        os.close(open_nameless(directory))
        facts = os.statvfs(directory)
        yield Finding(SECTION, "file system", file_system(directory))
        free = facts.f_bavail * facts.f_frsize
        yield Finding(SECTION, "free space", free, "bytes", facts.f_blocks * facts.f_frsize)
        size = min(MOST_BYTES, free // 8) // BLOCK * BLOCK
        if size < 2 * BLOCK:
            yield Finding(SECTION, "write", "there is too little space to try it", cure=ELSEWHERE, works=False)
            return
        plain = plain_rates(directory, size)
    except OSError as refusal:
        yield Finding(SECTION, "write", f"no file can be written in '{directory}': {refusal.strerror}", cure=ELSEWHERE, works=False)
        return
    yield Finding(SECTION, "direct I/O", "works" if plain.direct else "refused: data goes through the page cache", cure="" if plain.direct else ELSEWHERE)
    yield Finding(SECTION, "sequential write", plain.write, "GB/s")
    yield Finding(SECTION, "sequential read", plain.read, "GB/s")
    write, read = octavo_rates(directory, octavo_bytes(size, min(plain.write, plain.read)))
    yield Finding(SECTION, "write of an array by Octavo", write, "GB/s", plain.write)
    yield Finding(SECTION, "read of an array by Octavo", read, "GB/s", plain.read)


def file_system(directory: str) -> str:
    """Its type: that of the mount that the directory lies in."""
    here = Path(directory).resolve()
    best, found = -1, "unknown"
    for line in text_of("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        place = Path(before.split()[4].encode().decode("unicode_escape"))
        if here.is_relative_to(place) and len(place.parts) >= best:
            best, found = len(place.parts), after.split()[0]
    return found


def octavo_bytes(most: int, rate: float) -> int:
    """So many that they take no longer than MOST_SECONDS."""
    return max(BLOCK, min(most // 2, int(rate * 1e9 * MOST_SECONDS) // BLOCK * BLOCK))


def octavo_rates(directory: str, size: int) -> tuple[float, float]:
    """GB/s of writing an array until it is on the disk, and of reading it."""
    import numpy as np

    from octavo import create_array, open_array

    rows = np.random.default_rng(0).integers(0, 255, (size >> 20, 1 << 20), dtype="uint8")
    with folder_in(directory) as folder:
        path = folder / "a.npy"
        with create_array(path, rows.shape, rows.dtype) as made:
            begin = perf_counter()
            made[...] = rows
            made.flush()
            written = perf_counter() - begin
        back = np.zeros_like(rows)  # its pages are there before the clock runs
        with open_array(path) as opened:
            begin = perf_counter()
            opened.read(..., out=back)
            took = perf_counter() - begin
    if not np.array_equal(back, rows):
        raise ValueError("an array was read back with other elements. This is a defect of Octavo or of the disk: please report it")
    return size / written / 1e9, size / took / 1e9
