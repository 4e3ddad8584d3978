# SPDX-License-Identifier: Apache-2.0
"""A function over the blocks of arrays, in processes, within a bound of memory.

>>> octavo.map_blocks(lambda u: u - u.mean(), "density.zarr", out="contrast.zarr", chunks=(64, 64, 64))
>>> octavo.map_blocks(laplacian, u, out=v, halo=1, boundary="periodic")       # of paths, octavo.Array and ndarray
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src.packed import check_meant
from octavo._src.validation import memory_bytes
from octavo.array import Array, create_array, open_array
from octavo.buffered_arrays.array import BufferedArray
from octavo.buffered_arrays.blocks import Boundary, Box, Halo, boxes_of, surrounded, widths_of
from octavo.errors import Refused, UsageError
from octavo.streams.description import Pipeline
from octavo.streams.stages import Farm, at_least_one

Input: TypeAlias = "str | os.PathLike[str] | Array | npt.NDArray[Any]"
Output: TypeAlias = "str | os.PathLike[str] | Array | npt.NDArray[Any] | None"
Casting: TypeAlias = Literal["unsafe", "same_kind"]
Block: TypeAlias = "tuple[Box, list[npt.NDArray[Any]]]"
HELD = 4  # blocks of each worker: in two calls, in its hands, and on the way back


class Mapped:
    """A worker. It reads the blocks of arrays on disk itself; those of others come with the box."""

    def __init__(
        self, function: Callable[..., Any], inputs: list[Array | None], widths: tuple[int, ...], boundary: Boundary, dtype: np.dtype[Any], casting: Casting
    ) -> None:
        self._function, self._inputs, self._widths, self._boundary, self._dtype, self._casting = function, inputs, widths, boundary, dtype, casting

    def svc(self, block: Block) -> tuple[Box, npt.NDArray[Any]]:
        box, given = block
        there = iter(given)
        blocks = [next(there) if each is None else surrounded(each, box, self._widths, self._boundary) for each in self._inputs]
        return box, self._without_halo(np.asarray(self._function(*blocks)), box, blocks[0].shape)

    def _without_halo(self, result: npt.NDArray[Any], box: Box, wide: tuple[int, ...]) -> npt.NDArray[Any]:
        shape = tuple(each.stop - each.start for each in box)
        if result.shape == wide:
            before = self._widths if self._boundary != "none" else [min(width, each.start) for width, each in zip(self._widths, box, strict=True)]
            result = result[tuple(slice(first, first + extent) for first, extent in zip(before, shape, strict=True))]
        elif result.shape != shape:
            raise UsageError(f"the function gave {result.shape} of blocks of {wide}. It gives that shape, or {shape}, which is the block without its halo")
        if not np.can_cast(result.dtype, self._dtype, self._casting):
            raise UsageError(
                f"the function gave {result.dtype} for an array of {self._dtype}: a part would be lost. Say dtype='{result.dtype}', or the one you mean"
            )
        return np.ascontiguousarray(result.astype(self._dtype, copy=False))


def map_blocks(
    function: Callable[..., Any],
    *inputs: Input,
    out: Output = None,
    halo: Halo = 0,
    boundary: Boundary = "nearest",
    dtype: npt.DTypeLike | None = None,
    chunks: Sequence[int] | None = None,
    memory: int | str = "256MiB",
    workers: int | None = None,
    unpack: bool | None = None,
    overwrite: bool = False,
) -> Any:
    """``function(block, ...)`` of each block of the inputs, of one shape, into ``out``: a path, where an array is made, an octavo.Array, or an ndarray.

    The function has the block with the halo around it, at the edges as ``boundary`` says, and gives that shape (the halo is cut off) or the block's alone.
    dtype, chunks: of the result and of the blocks, as those of the first input (or of ``out``, if that is there); what the function gives is converted to a
    dtype that is said, else refused where a part of it would be lost. Blocks are done by ``workers`` processes (as
    many as there are cores) in any order, and written here, so that chunks of compressed arrays are whole. memory: for the blocks that are under way.
    unpack: as open_array has it. overwrite: an array at the path ``out`` is replaced, before the first block is done.
    ST-10: each block is given once, with its halo as it was before anything was written in place; what was made is removed where it fails.
    UsageError: what does not fit; what is read with a halo, and written in place; what is read, and to be replaced. Refused: blocks too large for the memory.
    """
    if not inputs:
        raise UsageError("map_blocks of no array. Give one, or several of one shape")
    arrays = [each if isinstance(each, Array | np.ndarray) else open_array(each, unpack=unpack) for each in inputs]
    for each in arrays:
        if isinstance(each, Array):
            check_meant(each.packed, each.opening.unpack, f"map_blocks of '{each.path}'")
    first = arrays[0]
    if any(each.shape != first.shape for each in arrays):
        raise UsageError(f"map_blocks of arrays of {', '.join(str(each.shape) for each in arrays)}. Give arrays of one shape")
    widths = widths_of(first, halo, boundary)
    given = None if isinstance(out, str | os.PathLike) else out
    _check_out(given, arrays, widths)
    if overwrite and isinstance(out, str | os.PathLike):
        _check_replaced(out, arrays)
    kind = np.dtype(dtype if dtype is not None else first.dtype if given is None else given.dtype)
    casting: Casting = "unsafe" if dtype is not None else "same_kind"
    block = _block_of(chunks, given, first)
    count = (os.cpu_count() or 1) if workers is None else at_least_one(workers, "a number of workers")
    _check_memory(memory_bytes(memory), block, widths, count, [each.dtype for each in arrays] + [kind], _path_of(first))
    target = given if given is not None else _made(out, first.shape, kind, block, overwrite=overwrite)
    farm: Farm[Any, Any] = Farm(Mapped, (function, [_for_workers(each) for each in arrays], widths, boundary, kind, casting))
    held = [each for each in arrays if not isinstance(each, Array)]
    blocks: Iterator[Block] = ((box, [surrounded(each, box, widths, boundary) for each in held]) for box in boxes_of(first.shape, block))
    stream: Pipeline[Any, Any] = Pipeline((farm.workers(count).unordered().bound(count).named(getattr(function, "__name__", "the function")),))
    try:
        with stream(blocks) as results:
            for box, result in results:
                target[box] = result
        if isinstance(target, Array):
            target.flush()
    except BaseException:
        if given is None and isinstance(target, Array):
            _remove(target)
        raise
    return target


def _for_workers(array: Array | npt.NDArray[Any]) -> Array | None:
    """Of a buffered array what is on the disk, all of it: its workers only read, also what one process alone may open for writing."""
    if isinstance(array, BufferedArray):
        return open_array(array)
    return array if isinstance(array, Array) else None


def _path_of(array: Array | npt.NDArray[Any]) -> str:
    return array.path if isinstance(array, Array) else ""


def _remove(made: Array) -> None:
    """What was made here, and is not whole: the next try finds nothing at its path. (One in a file that has others stays.)"""
    path = Path(made.path)
    made.close()
    if path.is_dir():
        shutil.rmtree(path)
    elif path.is_file():
        path.unlink()


def _made(out: Output, shape: tuple[int, ...], dtype: np.dtype[Any], chunks: tuple[int, ...], *, overwrite: bool) -> Array | npt.NDArray[Any]:
    if not isinstance(out, str | os.PathLike):
        return np.empty(shape, dtype)
    has_chunks = Path(out).suffix not in (".npy", ".raw")
    if has_chunks:
        return create_array(out, shape, dtype, chunks=chunks, overwrite=overwrite)
    return create_array(out, shape, dtype, overwrite=overwrite)


def _check_replaced(out: str | os.PathLike[str], arrays: Sequence[Array | npt.NDArray[Any]]) -> None:
    there = Path(out).resolve()
    if any(isinstance(each, Array) and there in (path := Path(each.path).resolve(), *path.parents) for each in arrays):
        raise UsageError(f"map_blocks of '{out}' with overwrite=True: it would be removed before it is read. Give another out, or open it with mode 'r+'")


def _block_of(chunks: Sequence[int] | None, out: Array | npt.NDArray[Any] | None, first: Array | npt.NDArray[Any]) -> tuple[int, ...]:
    if chunks is not None:
        if len(chunks) != first.ndim or min(chunks, default=1) < 1:
            raise UsageError(f"chunks {tuple(chunks)} of an array of {first.ndim} axes. Give a number from 1 on for each axis")
        return tuple(chunks)
    chunked = next((each for each in (out, first) if isinstance(each, Array)), None)
    if chunked is not None:
        return tuple(chunked.chunks)
    rows = max(1, (4 << 20) // max(1, first.nbytes // max(1, first.shape[0] if first.ndim else 1)))  # about 4 MiB
    return tuple(first.shape[:0]) if first.ndim == 0 else (min(rows, max(1, first.shape[0])), *(max(1, each) for each in first.shape[1:]))


def _check_out(out: Array | npt.NDArray[Any] | None, arrays: Sequence[Array | npt.NDArray[Any]], widths: tuple[int, ...]) -> None:
    if out is None:
        return
    if out.shape != arrays[0].shape:
        raise UsageError(f"out of shape {out.shape} for blocks of arrays of {arrays[0].shape}. Give one of that shape")
    if any(widths) and any(_is_one(out, each) for each in arrays):
        raise UsageError("map_blocks in place with a halo: a block would be read after its neighbours were written. Give another out")


def _is_one(out: Array | npt.NDArray[Any], other: Array | npt.NDArray[Any]) -> bool:
    if isinstance(out, Array) and isinstance(other, Array):
        return out._is_same_file(other)
    return isinstance(out, np.ndarray) and isinstance(other, np.ndarray) and np.may_share_memory(out, other)


def _check_memory(memory: int, block: tuple[int, ...], widths: tuple[int, ...], workers: int, dtypes: list[np.dtype[Any]], path: str) -> None:
    elements = math.prod(extent + 2 * width for extent, width in zip(block, widths, strict=True))
    needed = HELD * workers * elements * sum(each.itemsize for each in dtypes)
    if needed > memory:
        refusal = Refused(
            f"map_blocks with {workers} workers and blocks of {block} needs {_core.format_bytes(needed)}, and memory is {_core.format_bytes(memory)}. "
            "Give more memory, smaller chunks or fewer workers"
        )
        raise refusal._about(path, needed)
