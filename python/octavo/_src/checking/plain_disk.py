# SPDX-License-Identifier: Apache-2.0
"""How fast a disk is without Octavo: a file without a name, written and read in large blocks by some threads."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

from octavo._src.checking.short_lived import folder_in

BLOCK = 4 << 20
WORKERS = 4
MOST_SECONDS = 1.0  # for writing, and again for reading
NOT_THERE = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS)


@dataclass(frozen=True)
class PlainRates:
    """GB/s, and whether the page cache was left out."""

    direct: bool
    write: float
    read: float


def plain_rates(directory: str, size: int) -> PlainRates:
    """Of a file of ``size`` bytes, or of what fits into the time. OSError where it cannot be made."""
    file = open_nameless(directory)
    try:
        reserve(file, size)
        direct = make_direct(file)
        begin = perf_counter()
        written = move(file, size, os.pwritev)
        os.fsync(file)
        write = written / (perf_counter() - begin) / 1e9
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        begin = perf_counter()
        got = move(file, written, os.preadv)
        return PlainRates(direct, write, got / (perf_counter() - begin) / 1e9)
    finally:
        os.close(file)


def open_nameless(directory: str) -> int:
    """The descriptor of a new file that is gone when it is closed, however this program ends."""
    try:
        return os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as refusal:
        if refusal.errno not in NOT_THERE:
            raise
    with folder_in(directory) as folder:
        return os.open(folder / "file", os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)


def reserve(file: int, size: int) -> None:
    """So that the file system has not to look for space while the clock runs."""
    try:
        os.posix_fallocate(file, 0, size)
    except OSError as refusal:
        if refusal.errno not in NOT_THERE:
            raise


def make_direct(file: int) -> bool:
    """Past the page cache from now on; false where the file system refuses that."""
    flags = fcntl.fcntl(file, fcntl.F_GETFL)
    with mmap.mmap(-1, mmap.PAGESIZE) as page:
        try:
            fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_DIRECT)
            os.pwritev(file, [page], 0)
        except OSError as refusal:
            if refusal.errno != errno.EINVAL:
                raise
            with contextlib.suppress(OSError):
                fcntl.fcntl(file, fcntl.F_SETFL, flags)
            return False
    return True


def move(file: int, size: int, block: Callable[[int, list[mmap.mmap], int], int]) -> int:
    """Each thread takes the next block until all are taken or the time is over; how many bytes were moved, from the first on."""
    offsets = iter(range(0, size, BLOCK))
    end = perf_counter() + MOST_SECONDS

    def work() -> int:
        moved = 0
        with mmap.mmap(-1, BLOCK) as buffer:
            buffer[:] = os.urandom(1 << 16) * (BLOCK >> 16)
            while perf_counter() < end and (offset := next(offsets, None)) is not None:
                moved += block(file, [buffer], offset)
        return moved

    with ThreadPoolExecutor(WORKERS) as workers:
        return sum(each.result() for each in [workers.submit(work) for _ in range(WORKERS)])
