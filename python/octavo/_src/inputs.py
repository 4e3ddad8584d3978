# SPDX-License-Identifier: Apache-2.0
"""What a user may hand over as an array on disk, SourceLike, as its path; and what a raw file needs besides."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from octavo._src.given_objects import Meant, meant_by
from octavo._src.keywords import raw_of, said
from octavo._src.metadata import ArrayMetadata
from octavo._src.paths import AnyPath, absolute, is_array_name, path_or_name
from octavo._src.sources import open_source
from octavo.errors import NotSupported, UsageError
from octavo.options import RawLayout

if TYPE_CHECKING:
    from octavo.array import Array
    from octavo.devices import Devices


class OfOtherLibrary(Protocol):
    """A zarr.Array, h5py.Dataset or xarray.DataArray, none of which need be installed."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def attrs(self) -> Any: ...


SourceLike: TypeAlias = "AnyPath | Array | npt.NDArray[Any] | OfOtherLibrary"
TargetLike: TypeAlias = "AnyPath | Array"


@dataclass(frozen=True)
class Input:
    """``raw``: None for a file that says itself what is in it. ``devices``: of an array that is no file and has no name. ``unpack``: whether the values are
    meant, where it is packed, or the stored numbers; None: nobody said."""

    path: str
    raw: RawLayout | None = None
    devices: Devices | None = None
    unpack: bool | None = None


def input_of(a: SourceLike | Input, raw: RawLayout | None, keywords: Mapping[str, Any], unpack: bool | None = None) -> Input:
    """``raw``, or its fields among the keywords: what the user says of a raw file. ``unpack``: if it is None, what the array was opened with.

    UsageError where something is said of an array that says it itself, and for what lies in memory only; NotSupported for views, and for objects of other
    libraries that are not what a file holds."""
    if isinstance(a, Input):  # it was looked at already
        return a
    if not (unpack is None or isinstance(unpack, bool)):
        raise UsageError(f"unpack {unpack!r}. It is True for the values of what is packed, False for the stored numbers, or None")
    found = _input_of_object(a)
    if found is None:
        path = path_or_name(a)  # type: ignore[arg-type]
        layout = raw_of(raw, keywords)
        if layout is not None and is_array_name(path):
            raise UsageError(f"'{path}' is an array of processes: shape, dtype and the like are its own. Leave them out")
        return Input(path, layout, unpack=unpack)
    if raw is not None or said(RawLayout, keywords):
        raise UsageError("shape, dtype, offset and big_endian are those of the array given. Leave them out")
    return found if unpack is None else replace(found, unpack=unpack)


class View:
    """What an array shows of itself, as octavo.Array.T: no array on disk, and so no input."""


def target_path(target: TargetLike) -> str:
    """Of a target: a path; or the name of an array of processes, which is there already, or that array itself."""
    if not isinstance(target, ArrayMetadata):
        _refuse_open_array(target)
        return path_or_name(target, "the path of a target")
    if not is_array_name(target.path):
        raise UsageError(f"the target is the octavo.Array '{target.path}', which is on disk: a target there is made new. Give a path, with overwrite=True")
    if not target.opening.writable:
        raise UsageError(f"'{target.path}' was opened for reading. Open it for both: octavo.open_array(path, mode='r+')")
    return target._as_target()


def _refuse_open_array(target: object) -> None:
    """Of another library, on disk: its path is known, and what lies there is not written into."""
    try:
        meant = meant_by(target)
    except (NotSupported, UsageError):  # it has no path: then it is refused as anything that is none
        return
    if meant is not None:
        where = "the path of its .store: " if meant.kind == "zarr.Array" else ""
        raise UsageError(f"the target is the {meant.kind} at '{meant.path}': a target is made new. Give its path ({where}{meant.path!r}), with overwrite=True")


def target_devices(target: TargetLike) -> Devices | None:
    """Of a target that is an array of devices without a name."""
    return target.opening.devices if isinstance(target, ArrayMetadata) else None


def _input_of_object(a: object) -> Input | None:
    """None for what should be a path."""
    if isinstance(a, ArrayMetadata):
        given = a._as_source()
        return Input(given.path, given.raw, given.devices, given.unpack)
    if isinstance(a, View):
        raise NotSupported(f"{a!r}: a view is no array on disk. Give the array itself, or write the view first: b[...] = view, b from octavo.create_array")
    if isinstance(a, np.ndarray):
        return input_of_memmap(a) if isinstance(a, np.memmap) else _refuse_memory(a)
    meant = meant_by(a)
    if meant is None:
        return None
    # xarray shows the numbers that are stored only to who asked it for them.
    return Input(_checked(meant), unpack=False if meant.kind == "xarray.DataArray" else None)


def _refuse_memory(a: npt.NDArray[Any]) -> Input:
    if a.size == 0:  # also of a numpy.memmap, whose empty slice NumPy makes a plain array
        raise UsageError(f"an array of shape {a.shape}, which has no elements: there is nothing to read. Make one by octavo.create_array where one is needed")
    raise UsageError(
        f"an array of shape {a.shape} in memory. Octavo works on arrays on disk: numpy.save it and give that path; "
        "or use NumPy on it as it is (numpy.fft for transforms)"
    )


def _checked(meant: Meant) -> str:
    """The path. UsageError where what lies there is not what the object says: it was replaced, resized, or the object was changed."""
    found = open_source(meant.path)
    same_type = meant.dtype is None or meant.dtype.newbyteorder("=") == np.dtype(found.dtype)
    if tuple(found.shape) != meant.shape or not same_type:
        raise UsageError(
            f"the {meant.kind} given has shape {meant.shape} and elements of type {meant.dtype}; '{meant.path}' holds {tuple(found.shape)} {found.dtype}. "
            f"Open it again, or give the path"
        )
    return meant.path


def input_of_memmap(mapped: np.memmap[Any, Any]) -> Input:
    """The file behind a numpy.memmap, or behind a slice of one whose elements lie one after the other."""
    base: Any = mapped
    while isinstance(base, np.ndarray):
        base = base.base
    if mapped.filename is None or not isinstance(base, mmap.mmap):
        raise UsageError("a numpy.memmap that is not the memory of a named file. Open the file by its path, with shape and dtype")
    if mapped.mode == "c":
        raise UsageError(
            f"a numpy.memmap of '{mapped.filename}' of mode 'c': what was assigned to it is not in the file. Map it by 'r' or 'r+', or numpy.save it"
        )
    if not mapped.flags.c_contiguous:
        raise NotSupported(
            f"a numpy.memmap of '{mapped.filename}' that is not in C order, or a part with gaps between its rows. Open the whole one (of one in Fortran "
            f"order m.T), and index that"
        )
    mapped.flush()
    begin = mapped.offset - mapped.offset % mmap.ALLOCATIONGRANULARITY
    offset = begin + mapped.ctypes.data - np.frombuffer(base, np.uint8).ctypes.data
    layout = RawLayout(mapped.shape, mapped.dtype, offset, part=True)  # it may be a slice: more may follow
    return Input(absolute(mapped.filename), layout)
