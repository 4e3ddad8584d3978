# SPDX-License-Identifier: Apache-2.0
"""The lock that HDF5 takes on a file, flock(2): held by this program for as long as it has a dataset open that Octavo or one of its servers reads.

HDF5 keeps out only those who open the file by HDF5; what Octavo reads and writes past it needs the lock as well. A program has one lock on a file, shared by
all that it has open of it: exclusive while one of them may be written. HDF5 in its servers, and for Octavo in this program, then opens without.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from octavo._src.stores.failures import LOCKED
from octavo.errors import IoError

NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK)  # of a file system without them, where HDF5 goes on, too
Inode = tuple[int, ...]  # device and number; empty: none


class Share:
    """Of this program's lock on ``file``, until release() or until it is collected. ``writes``: of an array that may be written.

    IoError where the file is open elsewhere, also by HDF5 in this program.
    """

    def __init__(self, file: str, *, writes: bool) -> None:
        self._use = _Use(writes)
        self._file, self._owner = file, os.getpid()
        self._inode: Inode = ()
        descriptor = _opened(file, writes) if is_locking() else None
        if descriptor is None:
            return  # who opens it says why
        status = os.fstat(descriptor)
        self._inode = (status.st_dev, status.st_ino)
        try:
            _locks_of(self._owner).enter(self._inode, descriptor, self._use)
        except OSError as failure:
            self._inode = ()
            raise self._refusal(f" ({os.strerror(failure.errno or 0)})") from failure

    @property
    def held(self) -> bool:
        """False where HDF5 is told not to lock, or after release."""
        return self._inode != ()

    def use_library(self) -> None:
        """From now on a server of HDF5 has it open. IoError, and it is released, where one of two that have would not see what the other writes."""
        if not self.held:
            return
        others = [each for each in _locks_of(self._owner).uses(self._inode) if each.by_library]
        if others and (self._use.writes or any(each.writes for each in others)):
            self.release()
            raise self._refusal(" in this program")
        self._use.by_library = True

    def release(self) -> None:
        """Again, or in a child that was forked meanwhile: does nothing."""
        inode, self._inode = self._inode, ()
        if inode != () and self._owner == os.getpid():
            _locks_of(self._owner).leave(inode, self._use)

    def __del__(self) -> None:
        self.release()

    def _refusal(self, where: str) -> IoError:
        cure = LOCKED.replace("open for writing", "open") if self._use.writes else LOCKED
        return IoError(f"opening the HDF5 file '{self._file}'{' for writing' if self._use.writes else ''}: it is open elsewhere{where}. {cure}")


@dataclass(eq=False)
class _Use:
    """What a share is for. ``by_library``: a server of HDF5 has it open, whose caches know nothing of what another one writes."""

    writes: bool
    by_library: bool = False


class _Locked:
    """A file, and what its lock is held for."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.uses: list[_Use] = []

    def set(self) -> None:
        """Exclusive or shared, as its uses need it. OSError where another one is in the way."""
        try:
            fcntl.flock(self.descriptor, (fcntl.LOCK_EX if any(use.writes for use in self.uses) else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as failure:
            if failure.errno not in NO_LOCKS:
                raise


class _Locks:
    """Of one process. A share may be collected at any time, so also within these functions, in the same thread."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._files: dict[Inode, _Locked] = {}

    def enter(self, inode: Inode, descriptor: int, use: _Use) -> None:
        """Takes over the descriptor. OSError where the lock cannot be had; then all is as before."""
        fresh = _Locked(descriptor)
        with self._guard:
            while True:
                locked = self._files.setdefault(inode, fresh)
                locked.uses.append(use)
                if self._files.get(inode) is locked:
                    break
            if locked is not fresh:
                os.close(descriptor)
            try:
                locked.set()
            except OSError:
                self.leave(inode, use)
                raise

    def leave(self, inode: Inode, use: _Use) -> None:
        """What is left of the lock is as strong as it needs to be."""
        with self._guard:
            locked = self._files[inode]
            locked.uses.remove(use)
            if locked.uses:
                with contextlib.suppress(OSError):  # flock(2) has let go of it for a moment: another one may have it
                    locked.set()
                return
            del self._files[inode]
            fcntl.flock(locked.descriptor, fcntl.LOCK_UN)  # a fork may have the descriptor, too
            os.close(locked.descriptor)

    def uses(self, inode: Inode) -> list[_Use]:
        """Of the lock on a file."""
        with self._guard:
            locked = self._files.get(inode)
            return list(locked.uses) if locked else []


_OF_PROCESS: dict[int, _Locks] = {}  # the kernel's lock is the process's, and so is what is known of it; a child that is forked off has its own


def _locks_of(pid: int) -> _Locks:
    return _OF_PROCESS.setdefault(pid, _Locks())


def locking_for(file: str) -> bool | None:
    """What h5py.File takes as ``locking`` to look at it: False where HDF5's own lock would meet this program's, which keeps writers out; else None, as HDF5
    is told to. So, too, where a server of this program may be writing."""
    try:
        status = Path(file).stat()
    except OSError:
        return None
    writers = [each for each in _locks_of(os.getpid()).uses((status.st_dev, status.st_ino)) if each.writes]
    return False if writers and not any(each.by_library for each in writers) else None


def is_locking() -> bool:
    """Whether HDF5 is to lock files, as it understands its variable."""
    return os.environ.get("HDF5_USE_FILE_LOCKING", "") not in ("FALSE", "0")


def _opened(file: str, writes: bool) -> int | None:
    """NFS makes a byte-range lock of it, and an exclusive one needs a file that is open for writing."""
    for flags in (os.O_RDWR, os.O_RDONLY) if writes else (os.O_RDONLY,):
        with contextlib.suppress(OSError):
            return os.open(file, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    return None
