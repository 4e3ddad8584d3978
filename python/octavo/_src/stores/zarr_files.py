# SPDX-License-Identifier: Apache-2.0
"""The files of one Zarr array as zarr-python sees them: what is read is bounded, what is written is remembered until it is durable.

Imported only by who has found zarr-python to be there.
"""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest
from zarr.storage import LocalStore

from octavo._src.stores.contract import MIB
from octavo._src.stores.unsynced import Unsynced
from octavo.errors import IoError

METADATA = {"zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata"}
MOST_METADATA = 16 * MIB  # as largest_json in src/data/text/json.hpp


class BoundedFiles(LocalStore):
    """`most_file`, `most_range`: bytes that a chunk file, and a range of it, can have at most; set when the array is known. `blosc`: a chunk file is one
    block of Blosc, whose header says how long it is."""

    def __init__(self, root: Path, *, read_only: bool) -> None:
        super().__init__(root, read_only=read_only)
        self.most_file = self.most_range = MOST_METADATA
        self.blosc = False
        self.last = str(root)  # the file that was asked for last
        self._unsynced = Unsynced()
        self._opened: tuple[int, int] | None = None  # device and inode of the root
        self._check_there()

    def with_read_only(self, read_only: bool = False) -> BoundedFiles:
        if read_only == self.read_only:
            return self
        other = type(self)(self.root, read_only=read_only)
        other.most_file, other.most_range, other.blosc = self.most_file, self.most_range, self.blosc
        return other

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
        self._check(key, byte_range)
        return await super().get(key, prototype, byte_range)

    def get_sync(self, key: str, *, prototype: Any = None, byte_range: Any = None) -> Any:
        self._check(key, byte_range)
        return super().get_sync(key, prototype=prototype, byte_range=byte_range)

    async def _set(self, key: str, value: Any, exclusive: bool = False) -> None:
        self._remember(key)
        await super()._set(key, value, exclusive)

    def set_sync(self, key: str, value: Any) -> None:
        self._remember(key)
        super().set_sync(key, value)

    def _check(self, key: str, byte_range: Any) -> None:
        """Sizes come from files and indices that may be damaged: they are looked at before memory is taken."""
        path = self.root / key
        self.last = str(path)
        try:
            facts = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._check_there()
            return
        if not stat.S_ISREG(facts.st_mode):  # a FIFO would wait for its other end
            raise IoError(f"'{path}' is not a regular file. Put the file back that belongs there")
        size = facts.st_size
        if size == 0:  # what a crash leaves; zarr-python would take an empty shard for one that was never written
            raise IoError(f"'{path}' is empty: it was not written to its end. Restore it, or write it again")
        if path.name in METADATA:
            wanted, most = size, MOST_METADATA
        elif byte_range is None:
            wanted, most = size, self.most_file
        else:
            wanted, most = _wanted(byte_range, size), self.most_range
        if wanted < 0 or wanted > most:
            raise IoError(f"'{path}' has a part of {wanted} bytes where {most} at most make sense: it is damaged. Restore it, or write it again")
        if self.blosc and path.name not in METADATA and (told := _blosc_size(path)) != size:
            raise IoError(f"'{path}' has {size} bytes, and its header says {told}: it is damaged. Restore it, or write it again")

    def _check_there(self) -> None:
        """What is missing was never written only while the array's directory is the one that was opened."""
        try:
            found = self.root.stat()
        except (FileNotFoundError, NotADirectoryError):
            found = None
        now = None if found is None else (found.st_dev, found.st_ino)
        if self._opened is None:
            self._opened = now
        elif now != self._opened:
            what = "removed" if now is None else "replaced by another one"
            raise IoError(f"'{self.root}' was {what} while it was in use. Run it again when nobody changes the array")

    def _remember(self, key: str) -> None:
        self.last = str(self.root / key)
        self._unsynced.watch(self.root)
        self._unsynced.add(self.root / key)

    def sync(self) -> None:
        """Makes all that was written durable: the files, and the directories that name them."""
        self._unsynced.sync(self.root)


def _blosc_size(path: Path) -> int:
    """What the header says; -1 if there is none. Blosc itself takes what follows for nothing."""
    with path.open("rb") as file:
        header = file.read(16)
    return int.from_bytes(header[12:], "little") if len(header) == 16 else -1


def _wanted(byte_range: Any, size: int) -> int:
    """Bytes of a range of a file of `size`; -1 if it is not within the file."""
    if isinstance(byte_range, RangeByteRequest):
        return int(byte_range.end - byte_range.start) if 0 <= byte_range.start <= byte_range.end <= size else -1
    if isinstance(byte_range, OffsetByteRequest):
        return max(-1, size - int(byte_range.offset))
    return min(size, int(byte_range.suffix)) if isinstance(byte_range, SuffixByteRequest) else size
