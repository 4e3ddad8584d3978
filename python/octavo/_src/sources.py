# SPDX-License-Identifier: Apache-2.0
"""Which reader opens a path: Octavo itself where the elements lie on the disk as they are, else a library in a server of its own."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo._src.packed import is_packed
from octavo._src.paths import AnyPath, is_array_name, is_directory, name_of
from octavo.errors import IoError, NotSupported

if TYPE_CHECKING:
    from octavo._src.sharing.hdf5_lock import Share
    from octavo._src.stores import StoreInfo
    from octavo._src.validation import RawSpec

SERVER = [sys.executable, *subprocess._args_from_interpreter_flags(), str(Path(__file__).with_name("store_server.py"))]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Opened:
    """What was opened. Of HDF5 only: ``share`` of this program's lock on its file, None if there is none; ``identity``, the same for all paths of a dataset;
    ``typed``, attributes as it has them."""

    storage: _core.Storage
    share: Share | None = None
    identity: tuple[int, ...] = ()
    typed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Wanted:
    """``unpack``: its values, if it is packed. ``look``: its elements are not for reading, so nobody is to be kept out. ``unfinished``: who asks makes it."""

    writable: bool = False
    unpack: bool = False
    look: bool = False
    unfinished: bool = False


@contextmanager
def kept(share: Share | None) -> Iterator[None]:
    """Within it, what fails releases the share: who sees the error may keep it, and with it all that was at hand."""
    try:
        yield
    except BaseException:
        if share is not None:
            share.release()
        raise


def open_source(path: AnyPath, raw: RawSpec | None = None, unpack: bool = False) -> _core.Storage:
    """What is there, to look at; reads no elements. ``raw``: what is in a file without a header. ``unpack``: as its values, decoded by the process that reads
    them, if it is packed.

    Raises IoError, NotSupported or UsageError naming what is wrong with it.
    """
    return _opened(path, raw, Wanted(unpack=unpack, look=True)).storage


def open_held(path: AnyPath, raw: RawSpec | None = None, writable: bool = False, unpack: bool = False, unfinished: bool = False) -> Opened:
    """As open_source, to be read, or written as well: until its share is released."""
    return _opened(path, raw, Wanted(writable, unpack, unfinished=unfinished))


def _opened(path: AnyPath, raw: RawSpec | None, wanted: Wanted) -> Opened:
    if is_array_name(path):
        return Opened(_core.named_storage(path))
    name = name_of(path)
    if not wanted.unfinished:
        _core.check_finished(name)
    if raw is not None:
        return Opened(_core.open_storage(name, list(raw.shape), raw.dtype, raw.offset, raw.big_endian, raw.part, wanted.unfinished))
    from octavo._src.stores.hdf5.path import split

    if (parts := split(name)) is not None:
        return _open_hdf5(name, parts[0], wanted)
    why = ""
    try:
        found = _core.open_storage(name, unfinished=wanted.unfinished)
    except NotSupported as reason:
        if not is_directory(name) or any(Path(name, each).exists() for each in ("array.json", "making.json")):  # what is Octavo's own
            raise
        why = str(reason)
    else:
        if not wanted.unpack or not is_packed(found):
            return Opened(found)
        if found.format != "zarr":
            raise NotSupported(f"the values of '{name}', which is packed: Octavo unpacks Zarr and HDF5. Copy it first, into x.zarr, and unpack that")
    from octavo._src import stores

    described = Opened(storage_of(stores.describe(name, wanted.unpack), wanted.writable))
    if why and not wanted.look:
        _core.log_once(why.replace(name, ""), f"'{name}' and others like it are read and written by zarr-python, in processes of its own: {why}")
    return described


def _open_hdf5(path: str, file: str, wanted: Wanted) -> Opened:
    """The dataset at ``path``, in ``file``."""
    from octavo._src.sharing.hdf5_lock import Share
    from octavo._src.stores import library
    from octavo._src.stores.hdf5.path import is_written_here

    library("hdf5", "hdf5.store")
    if wanted.look:
        return _described(path, file, wanted, None)
    if wanted.writable and is_written_here(file):  # by SWMR without a lock
        raise IoError(f"opening the HDF5 file '{file}' for writing: it is open elsewhere, in this program. Close it there, then try again")
    try:
        share = Share(file, writes=wanted.writable)
    except IoError:
        if wanted.writable:
            raise
        found = _described(path, file, wanted, None)  # HDF5 opens it all the same where it is this program that writes to it
        if found.storage.served or not is_written_here(file):
            raise
        return found
    with kept(share):
        return _described(path, file, wanted, share)


def _described(path: str, file: str, wanted: Wanted, share: Share | None) -> Opened:
    from octavo._src import stores

    info = stores.describe(path, wanted.unpack)
    if not Path(info.file).samefile(file):  # an external link
        if share is not None:
            share.release()
        return _open_hdf5(info.path, info.file, wanted)
    from octavo._src.stores.hdf5.place import chunks_of, place_of

    place, status = None if info.unpacked else place_of(path), Path(info.file).stat()
    identity = (status.st_dev, status.st_ino, info.address)
    if place is not None:
        dense = _core.open_storage(place[0], list(info.shape), info.dtype, place[1], info.big_endian, True, wanted.unfinished)
        return Opened(with_names(dense, info), share, identity, info.typed)
    if share is not None:
        share.use_library()  # past it, too, the places of chunks are what they were when it was opened
    if not wanted.writable and not info.unpacked and (wanted.look or (share is not None and share.held)) and (found := chunks_of(path)) is not None:
        about = (list(info.shape), list(info.read_chunk), info.dtype, info.big_endian)
        return Opened(with_names(_core.chunked_storage(found.file, *about, found.encoding, found.places), info), share, identity, info.typed)
    return Opened(storage_of(info, wanted.writable, share is not None and share.held), share, identity, info.typed)


def storage_of(info: StoreInfo, writable: bool, locked: bool = False) -> _core.Storage:
    """A store as the devices know it. ``locked``: its server need not lock the file, this program does."""
    spec = json.dumps({**info.spec, "writable": writable, **({"locked": True} if locked else {})})
    unit = max(info.read_bytes, info.write_bytes if writable else 0)
    if max(*(16 * math.prod(each) for each in (info.shape, info.read_chunk, info.write_chunk)), unit) >= 2**62:
        raise NotSupported(f"'{info.path}' of shape {info.shape} in chunks of {info.read_chunk}: 2^58 elements and more. Check its metadata")
    found = _core.store_storage(info.path, list(info.shape), info.dtype, spec, SERVER)
    found.set_units(list(info.read_chunk), list(info.write_chunk), unit)
    return with_names(found, info)


def with_names(storage: _core.Storage, info: StoreInfo) -> _core.Storage:
    """Attributes and names of the dimensions, as JSON; none is the empty text. The fill value, too."""
    info.warn_of_attributes()
    storage.attributes_json = json.dumps(info.attributes) if info.attributes else ""
    storage.dimension_names_json = json.dumps(list(info.dimension_names)) if info.dimension_names is not None else ""
    storage.fill_json, storage.fill_is_missing = json.dumps(info.fill), info.fill_is_missing
    return storage


@dataclass(frozen=True)
class Description:
    """What a Storage says only in JSON, or by its path. ``format`` as users know it."""

    format: str
    attributes: dict[str, Any]
    names: tuple[str | None, ...] | None


def describe(storage: _core.Storage) -> Description:
    """For people: the format by its own name, whoever reads it."""
    from octavo._src.stores.hdf5.path import is_hdf5

    form = json.loads(storage.spec)["kind"] if storage.served else storage.format
    if form == "raw" and is_hdf5(storage.path):
        form = "hdf5"
    names = json.loads(storage.dimension_names_json or "null")
    return Description(form, json.loads(storage.attributes_json or "{}"), None if names is None else tuple(names))
