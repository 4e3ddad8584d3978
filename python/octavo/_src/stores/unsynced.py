# SPDX-License-Identifier: Apache-2.0
"""Files that were written and may not be on the disk yet."""

from __future__ import annotations

import ctypes
import os
import weakref
from pathlib import Path

# Each fsync is a commit of the file system's journal: beyond this many files one sync of the whole takes less (as in src/data/io/files/sync.cpp).
MOST_SINGLE = 32


class Unsynced:
    """Contract: after `sync` all that was added before is durable, with the directories that name it. All lies on one file system. OSError names
    what failed: also a write that the system has tried, and failed to do, since the first `add`."""

    def __init__(self) -> None:
        self._files: set[Path] = set()
        self._many = False
        self._watch: tuple[int, weakref.finalize[..., Unsynced]] | None = None

    def add(self, path: Path) -> None:
        """It is about to be written."""
        if self._many:
            return
        self._files.add(path)
        if len(self._files) > MOST_SINGLE:
            self._many = True

    def watch(self, root: Path) -> None:
        """From now on failed writes of `root`'s file system are told by the next sync."""
        if self._watch is None and root.is_dir():
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._watch = descriptor, weakref.finalize(self, os.close, descriptor)

    def sync(self, root: Path) -> None:
        """`root`: the directory that holds all of them."""
        if self._many:
            self.watch(root)
            assert self._watch is not None
            _syncfs(self._watch[0], root)
        else:
            directories = {each for path in self._files for each in path.parents if each == root or root in each.parents}
            for path in [*self._files, *sorted(directories or {root}, reverse=True)]:
                _fsync(path)
        self._files.clear()
        self._many = False
        if self._watch is not None:
            self._watch[1]()
            self._watch = None


def _syncfs(descriptor: int, root: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syncfs(descriptor) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(root))


def _fsync(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:  # deleted since it was written
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
