# SPDX-License-Identifier: Apache-2.0
"""Elements between an array on disk and NumPy arrays: what converts to what, and in how many pieces.

What the handle can do in one call is done in one call. The rest (other types, values that are broadcast, arrays on disk as values)
goes through pieces of at most BLOCK_BYTES.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from octavo._src.indexing.blocks import blocks
from octavo._src.indexing.selection import Selection
from octavo.errors import UsageError

if TYPE_CHECKING:
    from octavo._core import ArrayHandle

BLOCK_BYTES = 64 << 20
_RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


class Elements(Protocol):
    """A NumPy array or an octavo.Array."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def __getitem__(self, index: Any, /) -> Any: ...


def check_kinds(source: np.dtype[Any], target: np.dtype[Any], what: str) -> None:
    """UsageError where converting would lose the imaginary part or the fraction, or where a type is no number. ``what`` begins the message."""
    text = f"{what}: {source} to {target}"
    if source.kind not in _RANK or target.kind not in _RANK:
        raise UsageError(f"{text}, of which one is no number. Convert it first: numpy.asarray(value).astype('float64')")
    if _RANK[source.kind] <= _RANK[target.kind]:
        return
    if source.kind == "c":
        raise UsageError(f"{text} would lose the imaginary part. If that is meant, take it yourself: x.real")
    raise UsageError(f"{text} would lose what does not fit. If that is meant, convert it yourself: x.astype('{target}')")


def check_range(values: npt.NDArray[Any], target: np.dtype[Any], what: str) -> None:
    """UsageError where an integer lies outside an integer ``target``."""
    if target.kind not in "iu" or values.dtype.kind not in "iu" or values.size == 0 or np.can_cast(values.dtype, target, "safe"):
        return
    limits = np.iinfo(target)
    for value in (int(values.min()), int(values.max())):
        if not limits.min <= value <= limits.max:
            raise UsageError(f"{what}: {value} is outside {target} ({limits.min} to {limits.max}). To wrap around, convert it yourself: x.astype('{target}')")


def elements_of(value: npt.ArrayLike, stored: np.dtype[Any], what: str) -> npt.NDArray[Any]:
    """What is to be written as an array, as numpy.asarray makes it, but for integers of Python. They stay what they are: NumPy makes [2**63 + 5, 3]
    floating, and loses the 5; of [2**64, 3] it makes objects, also where a floating array is to take them."""
    found = np.asarray(value)
    if (stored.kind not in "iu" and found.dtype.kind != "O") or found.dtype.kind not in "fO" or hasattr(value, "dtype"):
        return found
    exact = np.asarray(value, dtype=object)
    if exact.size == 0 or not all(isinstance(each, int) and not isinstance(each, bool) for each in exact.flat):
        return found
    if stored.kind in "fc":
        return exact.astype(stored)
    limits = np.iinfo(stored)
    for each in (min(exact.flat), max(exact.flat)):
        if not limits.min <= each <= limits.max:
            raise UsageError(f"{what}: {each} is outside {stored} ({limits.min} to {limits.max}). Give values that it holds, or another array")
    return exact.astype(stored)


def check_out(out: npt.NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any] | None, what: str) -> None:
    """UsageError where ``out`` cannot take a selection of ``shape`` as ``dtype`` (None: as its own)."""
    if not isinstance(out, np.ndarray):
        raise UsageError(f"{what} into a {type(out).__name__}. Give a numpy.ndarray as out")
    if out.shape != shape:
        raise UsageError(f"{what}: the selection has shape {shape}, out {out.shape}. Give an out of the selection's shape")
    if dtype is not None and dtype != out.dtype:
        raise UsageError(f"{what}: dtype is {dtype}, that of out {out.dtype}. Leave out dtype: out decides")
    if not out.flags.writeable:
        raise UsageError(f"{what}: out is read-only. Give an array that can be written to")


def is_direct(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Whether the handle converts these itself."""
    if not (source.isnative and target.isnative):
        return False
    if source == target:
        return True
    stored = (np.float32, np.float64, np.complex64, np.complex128)
    return target in stored and (source.kind in "iu" or (source in stored and np.can_cast(source, target, "safe")))


def read_into(handle: ArrayHandle, selection: Selection, out: npt.NDArray[Any], what: str, lossy: bool) -> None:
    """Fills ``out``, which has the selection's shape. ``lossy``: convert as ``ndarray.astype`` does, else as check_kinds and check_range allow."""
    stored = np.dtype(handle.dtype)
    if not lossy:
        check_kinds(stored, out.dtype, what)
    if math.prod(selection.counts) == 0:
        return
    view = selection.view(out)
    if is_direct(stored, out.dtype) and out.flags.aligned:
        handle.read(list(selection.lo), list(selection.step), view)
        return
    for start, counts in blocks(selection, handle.page, stored.itemsize, BLOCK_BYTES):
        part = selection.part(start, counts)
        piece = np.empty(counts, stored)
        handle.read(list(part.lo), list(part.step), piece)
        if not lossy:
            check_range(piece, out.dtype, what)
        box = tuple(slice(first, first + count) for first, count in zip(start, counts, strict=True))
        np.copyto(view[box + (...,)], piece, casting="unsafe")  # noqa: RUF005  (mypy for 3.10 refuses the star)
        del piece  # before the next one is made


def write_from(handle: ArrayHandle, selection: Selection, value: Elements, what: str) -> None:
    """Writes ``value``, broadcast to the selection's shape. What is wrong with a NumPy value is found before anything is written."""
    stored = np.dtype(handle.dtype)
    _check_broadcast(value.shape, selection.shape, what)
    check_kinds(value.dtype, stored, what)
    if isinstance(value, np.ndarray):
        check_range(value, stored, what)
    count = math.prod(selection.counts)
    if count == 0:
        return
    if isinstance(value, np.ndarray) and value.size == count and is_direct(value.dtype, stored) and value.flags.aligned:
        handle.write(list(selection.lo), list(selection.step), selection.view(value.reshape(selection.shape)))
        return
    constant = math.prod(value.shape) == 1
    piece: npt.NDArray[Any] | None = None
    for start, counts in blocks(selection, handle.page, stored.itemsize, BLOCK_BYTES):
        part = selection.part(start, counts)
        if not constant or piece is None or piece.shape != counts:
            piece = None  # before the next one is made
            piece = _piece(value, selection.slices(start, counts), part, stored, what)
        handle.write(list(part.lo), list(part.step), piece)


def _piece(value: Elements, where: Sequence[slice], part: Selection, stored: np.dtype[Any], what: str) -> npt.NDArray[Any]:
    """One block of the broadcast value, with the array's axes, in the stored type. ``where``: the block in the broadcast value."""
    more = len(value.shape) - len(where)
    own = [slice(0, 1)] * more + list(where[max(0, -more) :])
    index = tuple(slice(0, 1) if extent == 1 else each for extent, each in zip(value.shape, own, strict=True))
    taken = value[index + (...,)]  # noqa: RUF005  (mypy for 3.10 refuses the star)
    if not isinstance(value, np.ndarray):
        check_range(taken, stored, what)
    piece = np.empty(part.counts, stored)
    np.copyto(piece, part.view(np.broadcast_to(taken.reshape(taken.shape[max(0, more) :]), part.shape)), casting="unsafe")
    return piece


def _check_broadcast(source: tuple[int, ...], target: tuple[int, ...], what: str) -> None:
    """As NumPy assigns: the value may have more axes than the target if the additional ones have one element."""
    more = source[: max(0, len(source) - len(target))]
    if any(extent != 1 for extent in more) or any(a not in (1, b) for a, b in zip(reversed(source), reversed(target), strict=False)):
        raise UsageError(f"{what}: could not broadcast input array from shape {source} into shape {target}. Give a value of that shape, or one that broadcasts")
