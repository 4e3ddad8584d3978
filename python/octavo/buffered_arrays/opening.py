# SPDX-License-Identifier: Apache-2.0
"""What is behind a buffered array: buffers over a file that Octavo reads itself, or over the devices of an octavo.Array where another library decodes."""

from __future__ import annotations

import math
import os
import tempfile
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, cast

import numpy.typing as npt

from octavo import _core
from octavo._src.open_create import Opening, open_handle
from octavo._src.paths import is_array_name
from octavo._src.validation import RawSpec
from octavo.buffered_arrays.conflicts import Notes
from octavo.errors import IoError, Refused

if TYPE_CHECKING:
    import numpy as np

    from octavo._core import ArrayHandle

DEVICES_MEMORY = 64 << 20  # of the processes that decode; the buffers have their own


@dataclass(frozen=True)
class BufferedOpening(Opening):
    """``memory`` is that of the buffers. ``block``: the shape of one; none: what suits the array. ``file``: without a name, in which the array lies.
    ``debug``: what is read and written is noted."""

    block: tuple[int, ...] = ()
    file: IO[bytes] | None = None
    debug: bool = False

    def open(self) -> ArrayHandle:
        try:
            return cast("ArrayHandle", BufferedHandle(self))
        except Refused as refusal:
            refusal._about(self.path)
            raise


class BufferedHandle:
    """As the handle of an octavo.Array, whose elements lie in buffers; ``buffers`` has what is theirs alone."""

    def __init__(self, wanted: BufferedOpening) -> None:
        self._array = _described(wanted)
        self._sole: _core.SoleWriter | None = None
        self._file = wanted.file
        self.notes = Notes() if wanted.debug else None
        storage = self._array.storage
        try:
            alone = storage.encoded or storage.served  # what is encoded is written whole
            if alone and wanted.writable and not hasattr(self._array, "identity"):  # HDF5 has a lock of its own
                self._sole = _core.SoleWriter(storage.path)
            memory, writable, block = wanted.memory, wanted.writable, list(wanted.block)
            shared = wanted.devices is not None or is_array_name(wanted.path)  # others write by the same devices
            if storage.served or shared:
                calls = (self._fetch, self._put, self._array.flush)
                self.buffers = _core.BufferHandle(storage, self._array.page, memory, writable, block, *calls, alone=not shared)
            else:
                self.buffers = _core.BufferHandle(storage, memory, writable, block)
        except BaseException:
            self._let_go()
            raise

    def __getattr__(self, name: str) -> Any:
        """What is known of the array."""
        return getattr(self._array, name)

    def _fetch(self, lo: list[int], out: npt.NDArray[Any]) -> None:
        self._array.read(lo, [1] * len(lo), out)

    def _put(self, lo: list[list[int]], parts: list[npt.NDArray[Any]]) -> None:
        if len(parts) == 1:
            self._array.write(lo[0], [1] * len(lo[0]), parts[0])
        else:
            self._array.write_parts(lo, parts)

    def read(self, lo: list[int], step: list[int], out: npt.NDArray[Any]) -> None:
        if self.notes is not None:
            self.notes.read(lo, step, out.shape)
        self.buffers.read(lo, step, out)

    def write(self, lo: list[int], step: list[int], data: npt.NDArray[Any]) -> None:
        if self.notes is not None:
            self.notes.write(lo, step, data.shape)
        self.buffers.write(lo, step, data)

    def flush(self) -> None:
        self.buffers.flush()

    def close(self) -> None:
        """Writes back what was not; what that raises leaves the rest closed all the same."""
        try:
            self.buffers.close()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._array.close()
        if self._sole is not None:
            self._sole.release()


def _described(wanted: BufferedOpening) -> ArrayHandle:
    """As an octavo.Array has it, with the memory that its devices need."""
    plain = Opening(wanted.path, wanted.writable, DEVICES_MEMORY, wanted.raw, wanted.devices, wanted.unpack)
    found = open_handle(plain)
    if found.least_memory <= DEVICES_MEMORY:
        return found
    found.close()
    return open_handle(replace(plain, memory=found.least_memory))


def _directory() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:  # nothing can be written to any
        return os.environ.get("TMPDIR", "/tmp")


def scratch(shape: tuple[int, ...], dtype: np.dtype[Any], memory: int, block: tuple[int, ...], cure: str = "") -> BufferedOpening:
    """A new file of zeros that nobody else sees, and that ends with this process. ``cure``: what else helps where there is no room for it."""
    size = math.prod(shape) * dtype.itemsize
    try:
        file = tempfile.TemporaryFile()  # noqa: SIM115  (it is the array's)
        if size:
            os.posix_fallocate(file.fileno(), 0, size)
    except OSError as failure:
        what = f"a scratch file in '{_directory()}' for all of an array of {shape} {dtype}, {_core.format_bytes(size)}"
        raise IoError(f"{what}: {failure.strerror}. Make room there; or set TMPDIR to a directory of a larger disk{cure}") from failure
    return BufferedOpening(f"/proc/self/fd/{file.fileno()}", True, memory, RawSpec(shape, dtype.name), block=block, file=file)
