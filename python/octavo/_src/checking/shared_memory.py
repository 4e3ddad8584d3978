# SPDX-License-Identifier: Apache-2.0
"""Whether processes can share memory, and how well."""

from __future__ import annotations

import mmap
import os
import re
import resource
from collections.abc import Iterator

from octavo import _core
from octavo._src.checking.finding import Finding
from octavo._src.checking.kernel_files import chosen, soft_limit, text_of

SECTION = "shared memory"
SHMEM = "/sys/kernel/mm/transparent_hugepage/shmem_enabled"
SMALL_MEMLOCK = 1 << 20  # kernels before 5.12 count the rings of io_uring in it


def find() -> Iterator[Finding]:
    """Octavo shares memory by memfd, so /dev/shm bounds other programs only."""
    yield memfd()
    yield Finding(SECTION, "memory that is available", _core.machine_facts()["memory_available"], "bytes")
    yield from dev_shm()
    yield huge_pages()
    yield Finding(SECTION, "reserved huge pages, free", reserved_huge_pages())
    memlock, most = soft_limit(resource.RLIMIT_MEMLOCK)
    small = isinstance(memlock, int) and memlock < SMALL_MEMLOCK
    yield Finding(SECTION, "RLIMIT_MEMLOCK", memlock, "bytes", most, "ulimit -l 8192" if small else "")


def memfd() -> Finding:
    """Makes one, maps it and writes to it."""
    number = -1
    try:
        number = os.memfd_create("octavo-check", os.MFD_CLOEXEC)
        os.ftruncate(number, 1 << 20)
        with mmap.mmap(number, 1 << 20) as memory:
            memory[:4] = b"work"
    except OSError as refusal:
        return Finding(SECTION, "memfd", f"refused: {refusal.strerror}", works=False)
    finally:
        if number >= 0:
            os.close(number)
    return Finding(SECTION, "memfd", "works")


def dev_shm() -> Iterator[Finding]:
    """Its size; nothing where there is none."""
    try:
        facts = os.statvfs("/dev/shm")
    except OSError:
        return
    yield Finding(SECTION, "/dev/shm (Octavo needs none)", facts.f_bavail * facts.f_frsize, "bytes", facts.f_blocks * facts.f_frsize)


def huge_pages() -> Finding:
    """Whether memory that is shared may be in huge pages."""
    now = chosen(text_of(SHMEM))
    if not now:
        return Finding(SECTION, "huge pages", "the kernel has none for shared memory")
    enough = now in ("advise", "always", "within_size", "force")
    return Finding(SECTION, "huge pages", now, limit="advise", cure="" if enough else f"echo advise | sudo tee {SHMEM}")


def reserved_huge_pages() -> int:
    """Those that the pool takes first, where they hold all of it."""
    found = re.search(r"HugePages_Free:\s+(\d+)", text_of("/proc/meminfo"))
    return int(found[1]) if found else 0
