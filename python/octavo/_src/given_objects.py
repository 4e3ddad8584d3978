# SPDX-License-Identifier: Apache-2.0
"""Which path is meant by an object of another library: zarr.Array, h5py.Dataset, xarray.DataArray.

None of these libraries is imported: an object is known by the name of its class and of the module that has it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from octavo.errors import NotSupported, UsageError

WRAPPERS = ("MemoryCachedArray", "CopyOnWriteArray", "LazilyIndexedArray", "NativeEndiannessArray")  # of xarray, that change no element
DISK = "Copy it to disk first"
FILE_DRIVERS = ("sec2", "direct")  # of HDF5, whose elements lie in one file that a descriptor is open on


@dataclass(frozen=True)
class Meant:
    """The path, and what the object says lies there. ``dtype``: None where the object has a type that Octavo calls otherwise."""

    kind: str
    path: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None


def meant_by(a: object) -> Meant | None:
    """The array on disk that ``a`` stands for; None if ``a`` is of none of these libraries.

    UsageError for a group, a closed file, and an array of xarray that is in memory; NotSupported for elements that lie in no file as they are shown.
    """
    for base in type(a).__mro__:
        known = f"{base.__module__.partition('.')[0]}.{base.__qualname__}"
        if known in _MANY:
            article = "a" if known[0] == "z" else "an"
            raise UsageError(f"{article} {known} is no array. Give one of the arrays in it, {_MANY[known]}, or the path of one")
        if known in _READERS:
            return _READERS[known](a)
    return None


def _of_zarr(array: Any) -> Meant:
    store = array.store
    if _classes(store, "zarr") & {"LocalStore"}:
        root = store.root
    elif _classes(store, "zarr") & {"DirectoryStore", "NestedDirectoryStore"}:  # of zarr-python 2
        root = store.path
    else:
        raise NotSupported(
            f"a zarr.Array in a {type(store).__name__}: Octavo reads Zarr in local directories. {DISK}: "
            f"zarr.create_array('copy.zarr', data=array), or xarray's .to_zarr(...)"
        )
    return Meant("zarr.Array", str(Path(os.fspath(root), array.path)), tuple(array.shape), np.dtype(array.dtype))


def _of_h5py(dataset: Any) -> Meant:
    if not dataset:
        raise UsageError("an h5py.Dataset whose file is closed. Give its path instead: 'file.h5/group/dataset'")
    file, name = dataset.file, dataset.name
    if name is None:
        raise UsageError(f"an h5py.Dataset without a name in '{file.filename}'. Give it one, file['name'] = dataset")
    if file.driver not in FILE_DRIVERS:
        raise NotSupported(f"an h5py.Dataset '{name}' of a file that HDF5's driver '{file.driver}' reads: it is not one file on this disk. {DISK}")
    if file.mode != "r":
        file.flush()
    shape = dataset.shape
    if shape is None:
        raise NotSupported(f"the h5py.Dataset '{name}' in '{file.filename}' is empty: it has no shape. Give another")
    kind = np.dtype(dataset.dtype)
    return Meant("h5py.Dataset", _name_of_file(file) + name, tuple(shape), None if kind.kind == "V" else kind)


def _name_of_file(file: Any) -> str:
    """As it was opened, or, where the program's directory changed since, as the system has it."""
    name = os.fsdecode(file.filename)
    descriptor = file.id.get_vfd_handle()
    try:
        if os.path.samestat(Path(name).stat(), os.fstat(descriptor)):
            return name
    except OSError:  # there is no such file here
        pass
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())


def _of_xarray(array: Any) -> Meant:
    what = f"the xarray.DataArray {array.name!r}" if array.name is not None else "an xarray.DataArray"
    backend = _backend_of(array, what)
    if "ZarrArrayWrapper" in _classes(backend, "xarray"):
        found = _of_zarr(backend.get_array())
        path = found.path
    else:
        path = _in_file(backend, what)
    return Meant("xarray.DataArray", path, tuple(array.shape), np.dtype(array.dtype))


def _backend_of(array: Any, what: str) -> Any:
    """What xarray reads from the file for the array. Raises unless the array is all that lies there, as it lies there."""
    data = array.variable._data
    cure = "Write it with .to_zarr('copy.zarr') and give the path of the variable in it; or give the path of the one it was made from"
    if array.chunks is not None:
        raise NotSupported(f"{what} is made by dask: what was done to it cannot be seen. Open it with chunks=None. {cure}")
    if "BackendArray" not in _classes(_innermost(data), "xarray"):
        raise UsageError(f"{what} is in memory: loaded, computed or changed. {cure}")
    while "BackendArray" not in _classes(data, "xarray"):
        name = type(data).__name__
        if name == "_ElementwiseFunctionArray":
            raise NotSupported(
                f"{what} is decoded by xarray (scale_factor, add_offset, _FillValue, units of time): its elements are not those in the file. "
                f"For the values of what is packed give the path of the variable with unpack=True. If the stored numbers are meant, open it with "
                f"mask_and_scale=False and decode_times=False. {cure}"
            )
        if name not in WRAPPERS or not _is_whole(data):
            raise NotSupported(f"{what} is a part of what its file holds, or turned, or changed. {cure}")
        data = data.array
    return data


def _innermost(data: Any) -> Any:
    """What the arrays of xarray around it wrap."""
    while "BackendArray" not in _classes(data, "xarray") and hasattr(data, "array"):
        data = data.array
    return data


def _is_whole(lazy: Any) -> bool:
    """Whether an index of xarray, if there is one, takes all, in order."""
    key = getattr(lazy, "key", None)
    if key is None:
        return True
    items, shape = key.tuple, lazy.array.shape
    return len(items) == len(shape) and all(
        isinstance(item, slice) and item.indices(extent) == (0, extent, 1) for item, extent in zip(items, shape, strict=True)
    )


def _in_file(backend: Any, what: str) -> str:
    """Of the readers of netCDF-4: the file, the group and the name of the variable."""
    store: Any = getattr(backend, "datastore", None)
    if not _classes(store, "xarray") & {"H5NetCDFStore", "NetCDF4DataStore"} or getattr(store, "is_remote", False):
        kind = type(backend).__name__
        raise NotSupported(f"{what} is read by xarray's {kind}; Octavo knows the files of Zarr and of netCDF-4. {DISK}: .to_zarr('copy.zarr')")
    parts = (getattr(store, "_group", None) or "", backend.variable_name)
    return "/".join([str(store._filename), *(part.strip("/") for part in parts if part.strip("/"))])


def _classes(a: object, library: str) -> set[str]:
    """Names of the classes of ``a`` that the library has."""
    return {base.__name__ for base in type(a).__mro__ if base.__module__.partition(".")[0] == library}


_READERS: Mapping[str, Callable[[Any], Meant]] = MappingProxyType(
    {"zarr.Array": _of_zarr, "h5py.Dataset": _of_h5py, "xarray.DataArray": _of_xarray},
)
_MANY: Mapping[str, str] = MappingProxyType(
    {"zarr.Group": "group['name']", "h5py.Group": "group['name']", "h5py.File": "file['name']", "xarray.Dataset": "dataset['name']"},
)
