# SPDX-License-Identifier: Apache-2.0
"""Arrays on disk used with NumPy's indexing. Each access reads or writes just what the index selects.

>>> a = octavo.create_array("density.zarr", (512, 512, 512), "float32")
>>> a[10:20, ::2] = 1.5
>>> plane = a[:, 100]                          # a numpy.ndarray
>>> octavo.open_array("density.zarr").read(np.s_[:, 0], axes=(1, 0), dtype="complex128")
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt

from octavo._src import transfer
from octavo._src.indexing import points
from octavo._src.indexing.selection import Index, Selection, select
from octavo._src.inputs import SourceLike, input_of
from octavo._src.keywords import known_options, target_of
from octavo._src.metadata import ArrayMetadata
from octavo._src.open_create import Annotations, Opening, create_handle, creation
from octavo._src.paths import AnyPath, absolute_or_name
from octavo._src.sharing import aliases
from octavo._src.validation import memory_bytes, raw_spec
from octavo.errors import UsageError
from octavo.options import RawKeywords, RawLayout, Target, TargetKeywords
from octavo.views import ArrayView, Lazy

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from octavo._core import ArrayHandle

Out = TypeVar("Out", bound=npt.NDArray[Any])


class Array(ArrayMetadata, Lazy):
    """An array on disk, from open_array or create_array. What was written is on the disk when flush or close has returned; ``with`` closes it.
    Afterwards its metadata can be read, its elements cannot (UsageError).

    ``a[index]`` and ``a[index] = value`` mean what they mean in NumPy, except that a result is always a new array. Elements by boolean and integer arrays are
    read and written page by page, whatever their order.
    ``a.sum()`` and the like pass over it within its memory. ``numpy.asarray(a)`` reads all of it, if its memory holds it. Two are equal if they are the
    same object. A pickle holds the path: unpickling opens it again with the same mode and memory. So does the first use in a process that was forked
    (os.fork, multiprocessing): flush before forking what the child is to see.
    """

    OPENED_BY = "octavo.open_array"

    def __init__(self, handle: ArrayHandle, opening: Opening) -> None:
        """For open_array and create_array. ``opening``: how to open the same array again."""
        super().__init__(handle)
        self._path = opening.path  # of an HDF5 dataset in one piece the handle knows only the file
        self.opening = opening
        self._use(handle)

    def _use(self, handle: ArrayHandle) -> None:
        self._handle: ArrayHandle | None = handle
        self._owner = os.getpid()
        # At the latest at the end of the program; not of one forked off it, which has the handle but not the processes.
        self._ending = weakref.finalize(self, _end, handle, self._owner)

    def _is_closed(self) -> bool:
        return self._handle is None

    @overload
    def __getitem__(self, index: slice | EllipsisType | None) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, index: Index) -> Any: ...
    def __getitem__(self, index: Index) -> Any:
        return points.read(self, index) if points.is_one(index) else self.read(index)

    def __setitem__(self, index: Index, value: npt.ArrayLike | Array | ArrayView) -> None:
        if points.is_one(index):
            points.write(self, index, value)
        else:
            self.write(index, value)

    def _gather(self, at: npt.NDArray[np.int64], out: npt.NDArray[Any]) -> None:
        """Elements by a row of coordinates for each axis."""
        points.gather(self, at, out)

    def _scatter(self, at: npt.NDArray[np.int64], values: npt.NDArray[Any]) -> None:
        points.scatter(self, at, values)

    @overload
    def read(self, index: Index = ..., *, axes: Sequence[int] | None = ..., out: Out, dtype: npt.DTypeLike | None = ...) -> Out: ...
    @overload
    def read(self, index: Index = ..., *, axes: Sequence[int] | None = ..., out: None = ..., dtype: npt.DTypeLike | None = ...) -> Any: ...
    def read(self, index: Index = ..., *, axes: Sequence[int] | None = None, out: npt.NDArray[Any] | None = None, dtype: npt.DTypeLike | None = None) -> Any:
        """``a[index]``, its axes permuted as by numpy.transpose if ``axes`` is given, as ``dtype`` or as it is stored.

        The result is a new ndarray in C order (a NumPy scalar where NumPy gives one), or ``out``: of the result's shape, with any strides, and
        of the type the elements are converted to. Nothing of the result's size is allocated beside it.
        IndexError, ValueError and TypeError as in NumPy. NotSupported: boolean, list and array indices, which ``a[index]`` takes. UsageError: an ``out`` or
        ``axes`` that do not fit; a ``dtype`` that would lose the imaginary part, the fraction or high digits; the array is closed.
        """
        self._open("read")
        selection = select(index, self.shape)
        if axes is not None:
            selection = selection.transposed(axes)
        return self._read(selection, out, None if dtype is None else np.dtype(dtype), lossy=False)

    def _read(self, selection: Selection, out: npt.NDArray[Any] | None, dtype: np.dtype[Any] | None, lossy: bool) -> Any:
        handle = self._open("read")
        what = f"reading '{self.path}'"
        if out is None:
            result: npt.NDArray[Any] = np.empty(selection.shape, self.dtype if dtype is None else dtype)
        else:
            transfer.check_out(out, selection.shape, dtype, what)
            if aliases.lies_in(out, handle):
                raise UsageError(f"{what} into what is mapped from its own file. Give an out that is elsewhere")
            result = out
        transfer.read_into(handle, selection, result, what, lossy)
        return result[()] if out is None and selection.scalar else result

    def write(self, index: Index, value: npt.ArrayLike | Array | ArrayView, *, axes: Sequence[int] | None = None) -> None:
        """``a[index] = value``; with ``axes``, ``value`` has the selection's axes permuted as by numpy.transpose: it is what read() gives with them.

        ``value`` is broadcast and converted to the stored type in pieces of at most 64 MiB, and can be an octavo.Array larger than memory.
        Errors as for read; UsageError also for a value that does not broadcast, that would lose its imaginary part, fraction or high digits,
        or that lies in the same file, and where the array was opened for reading.
        """
        handle = self._open("write to")
        if not handle.writable:
            raise UsageError(f"'{self.path}' was opened for reading. Open it for both: {self.OPENED_BY}(path, mode='r+')")
        selection = select(index, self.shape)
        if axes is not None:
            selection = selection.transposed(axes)
        if isinstance(value, Array | ArrayView):
            source = value._view().base
            if source is self or source._is_same_file(self):
                raise UsageError(f"'{self.path}' is assigned to a part of itself. Read it first: a[...] = b[...]")
            source._open("read")
            transfer.write_from(handle, selection, value, f"writing to '{self.path}'")
        else:
            what = f"writing to '{self.path}'"
            elements = transfer.elements_of(value, self.dtype, what)
            if aliases.lies_in(elements, handle):
                raise UsageError(f"'{self.path}' is assigned what is mapped from its own file. Copy it first: a[...] = numpy.array(value)")
            transfer.write_from(handle, selection, elements, what)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """All of it, for numpy.asarray and whatever else takes arrays (``np.add(a, 1)``, ``x == a``); converted as ndarray.astype does.

        UsageError for copy=False: the elements are not in memory. Refused where they take more than the memory that open_array was given:
        nothing in ``np.add(a, 1)`` says that all is read. ``a[...]`` does, and reads whatever its size.
        """
        return self._view().__array__(dtype, copy)

    def _view(self) -> ArrayView:
        return ArrayView(self)

    def flush(self) -> None:
        """Returns when all that was written is on the disk."""
        self._open("flush").flush()

    def close(self) -> None:
        """Writes what is not on the disk yet and lets go of the array. Again: does nothing."""
        handle, self._handle = self._handle, None
        self._ending.detach()
        if handle is not None and self._owner == os.getpid():
            try:
                if handle.writable:
                    handle.flush()
            finally:
                handle.close()

    def __enter__(self) -> Array:
        self._open("enter")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        handle = self._open("pickle")
        if handle.writable:
            handle.flush()
        return _reopen, (self.opening,)

    def _open(self, verb: str) -> ArrayHandle:
        if self._handle is None:
            raise UsageError(f"cannot {verb} '{self.path}': it is closed. Open it again with {self.OPENED_BY}")
        if self._owner != os.getpid():  # forked: its processes answer to our parent, and only to it
            self._ending.detach()
            self._use(self.opening.open())
        return self._handle

    def _is_same_file(self, other: Array) -> bool:
        return aliases.are_one(self.path, self._handle, other.path, other._handle)


def _end(handle: ArrayHandle, owner: int) -> None:
    if os.getpid() == owner:
        handle.close()


def _reopen(opening: Opening) -> Array:
    return Array(opening.open(), opening)


@known_options("open_array", RawKeywords)
def open_array(
    path: SourceLike,
    *,
    mode: Literal["r", "r+"] = "r",
    memory: int | str = "256MiB",
    raw: RawLayout | None = None,
    unpack: bool | None = None,
    **layout: Unpack[RawKeywords],
) -> Array:
    """Opens an array on disk, for reading ("r") or for both ("r+"). Reads nothing of its elements yet.

    path: a Zarr directory, an .npy file, an .octavo directory, an .h5 file; a raw file; a numpy.memmap (its file at its offset; of one with mode "c"
    what the file holds); a zarr.Array, h5py.Dataset or lazy xarray.DataArray (the array on disk that it reads); or an Array, to open it once more.
    "ov://home/turbulence" is the name of an array of processes (octavo.named), which has no attributes and no dims.
    memory: bytes, or text such as "2GiB", that it may use for pages, at least 4 MiB; devices with names are not counted.
    raw: what is in a raw file; or its fields as keywords (``shape``, ``dtype``, ``offset``, ``big_endian``, ``part``), see octavo.RawLayout.
    unpack: True for the values of what is packed (``scale_factor``, ``_FillValue`` and the like, as in xarray; NaN where one is missing), read-only; False for
    the stored numbers; None: indices read the stored numbers, and ``a.mean()`` and the like are refused where they are not the values.
    UsageError, NotSupported and IoError name what is wrong.
    """
    if mode not in ("r", "r+"):
        raise UsageError(f"mode {mode!r}. It is 'r' to read, or 'r+' to read and write; octavo.create_array makes a new array")
    if unpack and mode == "r+":
        raise UsageError("mode 'r+' with unpack=True: values are not packed again. Open it with mode 'r', or with unpack=False for the stored numbers")
    budget, given = memory_bytes(memory), input_of(path, raw, layout, unpack)
    chosen = None if given.unpack and mode == "r+" else given.unpack  # of an octavo.Array of values what is stored can be written to
    return _reopen(Opening(absolute_or_name(given.path), mode == "r+", budget, raw_spec(given.raw), given.devices, chosen))


@known_options("create_array", TargetKeywords)
def create_array(
    path: AnyPath,
    shape: SupportsIndex | Sequence[SupportsIndex],
    dtype: npt.DTypeLike,
    *,
    target: Target | None = None,
    attrs: Mapping[str, Any] | None = None,
    dims: Sequence[str | None] | None = None,
    fill_value: complex | None = None,
    memory: int | str = "256MiB",
    overwrite: bool = False,
    **options: Unpack[TargetKeywords],
) -> Array:
    """Makes an array of ``fill_value``, or zeros, and opens it for both. ``path`` ends in its format (.zarr, .npy, .raw, .octavo, .h5) or lies in a Zarr group.

    shape: elements along each axis. dtype: int8 to uint64, float32, float64, complex64 or complex128.
    target: its chunks (about 4 MiB if not given), compression, disks; or the fields of octavo.Target as keywords (``chunks``, ``compressor``, ``level``,
    ``shards``, ``zarr_format``, ``devices``, ``map``).
    attrs: what JSON can say. dims: a name or None for each axis. fill_value: of .zarr and .h5, what is read where nothing was written (in Zarr v2
    xarray takes it for missing). memory: bytes, or text such as "2GiB", that it may use for pages, at least 4 MiB (else Refused).
    overwrite: replace what is there. UsageError, NotSupported and IoError name what is wrong; then nothing is made.
    """
    made = creation(path, shape, dtype, target_of(target, options), Annotations(attrs, dims, fill_value), memory, overwrite)
    return Array(create_handle(made), made.opening)
