# SPDX-License-Identifier: Apache-2.0
"""Arrays that other libraries read and write: Zarr of every kind by zarr-python, HDF5 by h5py.

>>> info = describe("density.h5/gas/density")            # imports h5py, reads no elements
>>> store = open_store(info.spec, writable=False)        # in a server of its own, after prepare_server()
>>> create_store("zarr", "out.zarr", shape=(64, 64), chunks=(32, 32), dtype="complex64", compressor="zstd", shards=(64, 64))

Importing this imports neither library. Errors: octavo.errors, with the file and the cure.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import importlib
import os
from typing import Any

from octavo._src.stores.contract import MIB, PROCESS_BYTES, Store, StoreInfo
from octavo._src.stores.hdf5.path import is_hdf5
from octavo._src.stores.memory_store import MemoryStore
from octavo._src.stores.new_array import NewDataset, NewZarr
from octavo._src.stores.packing import UnpackedStore, packing_of
from octavo.errors import NotSupported, UsageError

__all__ = ["PROCESS_BYTES", "Store", "StoreInfo", "create_store", "describe", "open_store", "prepare_server"]

KINDS = ("zarr", "hdf5", "memory")
INSTALL = {"zarr": "pip install 'zarr>=3.1' (Python 3.11 or newer)", "hdf5": "pip install octavo[hdf5]"}


def describe(path: str | os.PathLike[str], unpack: bool = False) -> StoreInfo:
    """What `path` is: an HDF5 file, or a dataset in one, or else a Zarr array. Reads no elements. `unpack`: as its values, if it is packed."""
    name = os.fspath(path)
    kind = "hdf5" if is_hdf5(name) else "zarr"
    with contextlib.closing(_opened(kind, name, writable=False)) as store:
        info: StoreInfo = store.info() if kind == "hdf5" else store.info(name)
        packing = packing_of(store.packing, store.dtype) if unpack else None
        return info if packing is None else UnpackedStore(store, packing, name).info(info)


def open_store(spec: dict[str, Any], writable: bool) -> Store:
    """The store that `StoreInfo.spec` names, in this process."""
    kind = _known(spec.get("kind"))
    if kind == "memory":
        return MemoryStore(spec, writable)
    if set(spec) - {"unpack", "locked"} != {"kind", "path"}:
        raise UsageError(f"a {kind} store with {', '.join(sorted(map(str, spec)))}. Give kind and path, as describe does")
    path, unpack = os.fspath(spec["path"]), bool(spec.get("unpack"))
    if unpack and writable:
        raise UsageError(f"writing to the values of '{path}', which are packed. Open it for reading, or with unpack=False for the stored numbers")
    store: Store = _opened(kind, path, writable, bool(spec.get("locked")))
    packing = packing_of(store.packing, store.dtype) if unpack else None
    return store if packing is None else UnpackedStore(store, packing, path)


def _opened(kind: str, path: str, writable: bool, locked: bool = False) -> Any:
    """By its library. ``locked``: see Hdf5Store."""
    if kind == "hdf5":
        return library("hdf5", "hdf5.store").Hdf5Store(path, writable, locked)
    return library("zarr", "zarr_store").ZarrStore(path, writable)


def create_store(kind: str, path: str | os.PathLike[str], **options: Any) -> StoreInfo:
    """Makes an array of zeros, or of ``fill``. Options: the fields of NewZarr or NewDataset."""
    if _known(kind) == "memory":
        raise UsageError("a store in memory is made by open_store. Choose zarr or hdf5")
    wanted = NewZarr if kind == "zarr" else NewDataset
    create = library(kind, "zarr_create" if kind == "zarr" else "hdf5.create").create
    known = [each.name for each in dataclasses.fields(wanted)]
    if unknown := set(options) - set(known):
        raise UsageError(f"making a {kind} store with {', '.join(sorted(unknown))}. Known are {', '.join(known)}")
    info: StoreInfo = create(os.fspath(path), wanted(**options))
    return info


def prepare_server() -> None:
    """For a process that only serves stores, before it opens one: memory that is freed goes back to the system, one thread decodes.

    glibc else keeps up to 64 MiB for each thread that ever had a chunk. zarr-python, if it is there, gets one worker thread.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        for option, value in ((-3, MIB // 4), (-1, MIB // 2), (-8, 2)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_ARENA_MAX
            libc.mallopt(option, value)
    os.environ.setdefault("BLOSC_NTHREADS", "1")
    with contextlib.suppress(ImportError):
        zarr = importlib.import_module("zarr")
        zarr.config.set({"threading.max_workers": 1, **importlib.import_module("octavo._src.stores.zarr_store").SETTINGS})


def _known(kind: Any) -> str:
    if kind not in KINDS:
        raise UsageError(f"a store of kind {kind!r}. There are {', '.join(KINDS)}")
    return str(kind)


def library(kind: str, name: str) -> Any:
    """A module of this package, which imports its library; NotSupported if that is not there."""
    try:
        return importlib.import_module(f"octavo._src.stores.{name}")
    except ImportError as failure:
        what = "Zarr arrays that are compressed, sharded or to be unpacked need zarr-python" if kind == "zarr" else "HDF5 files need h5py"
        raise NotSupported(f"{what}, which cannot be imported ({failure}). Run: {INSTALL[kind]}") from failure
