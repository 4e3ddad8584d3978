# SPDX-License-Identifier: Apache-2.0
"""octavo.Array with buffers in this process, and what they add: who has written what, and when others see it.

>>> u = octavo.buffered("u.npy", mode="r+", memory="64MiB")
>>> u[10:20, 5] = 3
>>> u.sync(me)                     # me.writeback(), a barrier, me.invalidate(), a barrier
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from octavo._src.inputs import SourceLike, input_of
from octavo._src.keywords import known_options, target_of
from octavo._src.open_create import Annotations, create_handle, creation
from octavo._src.paths import absolute_or_name, path_or_name
from octavo._src.validation import element_type, integers, memory_bytes, raw_spec
from octavo.array import Array
from octavo.buffered_arrays import conflicts, opening
from octavo.buffered_arrays.arithmetic import Arithmetic
from octavo.buffered_arrays.blocks import Boundary, BufferedBlock, Halo, blocks_of
from octavo.buffered_arrays.writing import shown
from octavo.errors import UsageError
from octavo.options import RawLayout, Target, TargetKeywords

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from octavo import _core
    from octavo.buffered_arrays.opening import BufferedHandle, BufferedOpening


class Together(Protocol):
    """A member of a group (octavo.self()), a communicator of mpi4py, or whatever else has a barrier."""

    def barrier(self) -> Any: ...


class BufferedArray(Arithmetic, Array):
    """An octavo.Array from ``octavo.buffered``: what is read stays in buffers of this process, and so does what is written, until it is written back.

    BA-1 to BA-7 of docs/contract.md. One thread at a time is in it; others wait. A pickle, and a fork, opens it again: without what was not written back.
    """

    OPENED_BY = "octavo.buffered"
    opening: BufferedOpening

    def __init__(self, wanted: BufferedOpening) -> None:
        """For octavo.buffered."""
        super().__init__(wanted.open(), wanted)
        if wanted.file is not None:
            self._path = "scratch"

    def __repr__(self) -> str:
        return super().__repr__().replace("octavo.Array", "octavo.BufferedArray", 1)

    def _buffers(self, verb: str) -> _core.BufferHandle:
        return cast("BufferedHandle", self._open(verb)).buffers

    @property
    def block_shape(self) -> tuple[int, ...]:
        """Of a buffer."""
        return tuple(self._buffers("look at").block)

    def writeback(self, *, progress: bool | None = None) -> None:
        """Returns when all that was written is where every other reader of the array finds it. What cannot be written stays, and the next call writes it.

        progress: a bar if it lasts: True anywhere, False nowhere; None: on a terminal, and in a notebook."""
        buffers = self._buffers("write back")
        with shown(buffers, self.dtype.itemsize, progress) as watch:
            buffers.writeback(watch)

    def flush(self, *, progress: bool | None = None) -> None:
        """writeback(), and returns when it is on the disk."""
        buffers = self._buffers("flush")
        with shown(buffers, self.dtype.itemsize, progress) as watch:
            buffers.flush(watch)

    def invalidate(self, *, discard: bool = False) -> None:
        """Lets go of all that is in the buffers, so that what others wrote back is read. UsageError, and nothing happens, where something was written here
        and not written back, unless that is to be lost: ``discard``."""
        self._buffers("invalidate").invalidate(discard)

    def sync(self, me: Together) -> None:
        """writeback(), a barrier, invalidate(), a barrier: afterwards each of those who call it sees what all have written before.

        Of an array opened with ``debug``: UsageError, in all of them, where two wrote an element, or one read what another wrote, since the last sync()."""
        self.writeback()
        handle = cast("BufferedHandle", self._open("sync"))
        if handle.notes is not None:
            conflicts.check(me, handle.notes, self.path)
            handle.notes = conflicts.Notes()
        me.barrier()
        self.invalidate()
        me.barrier()

    @property
    def dirty_elements(self) -> int:
        """How many were written and not written back."""
        return self._buffers("look at").dirty_elements

    def counters(self) -> _core.BufferedCounters:
        """What the buffers did: blocks found, read, read ahead, read again, evicted; bytes read and written; seconds waited."""
        return self._buffers("look at").counters()

    def blocks(self, *, halo: Halo = 0, boundary: Boundary = "nearest", out: Array | None = None) -> Iterator[BufferedBlock]:
        """Each block as NumPy arrays: ``block.data`` with ``halo`` elements of its neighbours on each side, ``block.out`` without, to be filled. What is
        filled is written to ``out``, or to this array. With a halo that happens when all blocks were read, by way of a scratch file (in TMPDIR, else /tmp);
        another array as ``out`` saves that. A loop that is left before its end writes the blocks that were filled; with a halo and without ``out`` none.

        halo: of all axes, or one for each. boundary: what lies beyond the array: "nearest", "reflect" (the edge twice, as dask has it), "periodic", a value;
        "none": nothing, so that blocks at the edge are smaller. UsageError: "reflect" and "periodic" with a halo wider than the array.
        """
        return blocks_of(self, halo, boundary, out)

    def _as_source(self) -> BufferedOpening:
        if self._has_buffers():
            self.writeback()
        if self.opening.file is None:
            return self.opening
        return replace(self.opening, path=f"/proc/{os.getpid()}/fd/{self.opening.file.fileno()}")  # the devices that read it are other processes

    def _as_target(self) -> str:
        self.writeback()
        self.invalidate()
        return super()._as_target()

    def _has_buffers(self) -> bool:
        """In which something may wait to be written back."""
        return self._handle is not None and self._handle.writable and self._owner == os.getpid()

    def _is_same_file(self, other: Array) -> bool:
        if self.opening.file is not None:
            return isinstance(other, BufferedArray) and self.opening.file is other.opening.file
        return super()._is_same_file(other)

    def _scratch(self) -> BufferedArray:
        """Another of its shape, which ends with its use."""
        cure = f"; or give blocks() another array for what is filled: out=octavo.buffered(path, mode='w', shape={self.shape}, dtype='{self.dtype}')"
        return BufferedArray(opening.scratch(self.shape, self.dtype, self.opening.memory, self.block_shape, cure))

    def close(self) -> None:
        """flush(), and lets go of the array. What flush() raises leaves it open, with all that was written. Again: does nothing."""
        if self._has_buffers():
            self.flush()
        super().close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.opening.file is not None:
            raise UsageError("a scratch array cannot be pickled: its file is this process's alone. Give it a path")
        self._open("pickle")
        if self.opening.writable:
            self.writeback()
        return BufferedArray, (self.opening,)

    def _gather(self, at: npt.NDArray[np.int64], out: npt.NDArray[Any]) -> None:
        buffers = self._buffers("read")
        self._note("reads", at)
        buffers.gather(at, out)

    def _scatter(self, at: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> None:
        buffers = self._buffers("write to")
        self._note("writes", at)
        buffers.scatter(at, values)

    def _note(self, what: Literal["reads", "writes"], at: npt.NDArray[np.int64]) -> None:
        if (notes := cast("BufferedHandle", self._handle).notes) is not None:
            getattr(notes, what).points.append(at)


@known_options("buffered", TargetKeywords)
def buffered(
    path: SourceLike | None,
    *,
    mode: Literal["r", "r+", "w"] = "r",
    memory: int | str = "256MiB",
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    dtype: npt.DTypeLike | None = None,
    block: Sequence[SupportsIndex] | None = None,
    raw: RawLayout | None = None,
    unpack: bool | None = None,
    debug: bool = False,
    target: Target | None = None,
    **options: Unpack[TargetKeywords],
) -> BufferedArray:
    """Opens an array on disk with buffers in this process; or makes one.

    path: as octavo.open_array has it, of every format; None: a file without a name, for this array alone, of ``shape`` and ``dtype``.
    mode: "r" to read, "r+" for both, "w" for a new array of zeros, of ``shape`` and ``dtype``, which replaces one of the same kind.
    memory: bytes, or text such as "2GiB", for the buffers and for what is read ahead, at least 64 KiB. The processes that decode compressed arrays have theirs.
    shape, dtype: of mode "w"; else of a raw file, about which ``raw`` says more. block: the shape of a buffer, if not what suits the array.
    debug: sync() names elements that two processes wrote between two barriers, or that one read while another wrote them; each access is noted.
    unpack: as for octavo.open_array. target, or its fields as keywords: chunks, compression, disks of mode "w".
    Without a Runtime a compressed array that is opened "r+" is this program's: Refused (HDF5: IoError) where another has it.
    """
    if mode not in ("r", "r+", "w"):
        raise UsageError(f"mode {mode!r}. It is 'r' to read, 'r+' to read and write, or 'w' to make a new array")
    if unpack and mode == "r+":
        raise UsageError("mode 'r+' with unpack=True: values are not packed again. Open it with mode 'r', or with unpack=False for the stored numbers")
    budget = memory_bytes(memory)
    cut = () if block is None else integers(block, "block", 1)
    if path is None or mode == "w":
        if shape is None or dtype is None:
            raise UsageError(f"a new array without {'shape' if shape is None else 'dtype'}. Give shape and dtype, or the path of one that is there")
        if path is None:
            return BufferedArray(opening.scratch(integers(shape, "shape", 0), element_type(dtype), budget, cut))  # nobody else's: nothing to note
        made = creation(path_or_name(path), shape, dtype, target_of(target, options), Annotations(), opening.DEVICES_MEMORY, overwrite=True)  # type: ignore[arg-type]
        create_handle(made).close()
        return BufferedArray(opening.BufferedOpening(made.opening.path, True, budget, made.opening.raw, block=cut, debug=debug))
    given = input_of(path, raw, {"shape": shape, "dtype": dtype}, unpack)
    where = absolute_or_name(given.path)
    chosen = None if given.unpack and mode == "r+" else given.unpack
    return BufferedArray(opening.BufferedOpening(where, mode == "r+", budget, raw_spec(given.raw), given.devices, chosen, cut, debug=debug))
