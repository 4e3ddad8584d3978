# SPDX-License-Identifier: Apache-2.0
"""Which reader opens a path: Octavo itself where the elements lie on the disk as they are, else a library in a server of its own."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo._src.paths import AnyPath, is_array_name, is_directory, name_of
from octavo.errors import NotSupported

if TYPE_CHECKING:
    from octavo._src.stores import StoreInfo
    from octavo._src.validation import RawSpec

SERVER = [sys.executable, str(Path(__file__).with_name("store_server.py"))]


def open_source(path: AnyPath, raw: RawSpec | None = None, writable: bool = False) -> _core.Storage:
    """Opens what is there; reads no elements. ``raw``: what is in a file without a header.

    Raises IoError, NotSupported or UsageError naming what is wrong with it.
    """
    if is_array_name(path):
        return _core.named_storage(path)
    name = name_of(path)
    _core.check_finished(name)
    if raw is not None:
        return _core.open_storage(name, list(raw.shape), raw.dtype, raw.offset, raw.big_endian, raw.part)
    from octavo._src.stores.hdf5_path import is_hdf5

    if is_hdf5(name):
        return open_hdf5(name, writable)
    try:
        return _core.open_storage(name)
    except NotSupported:
        if not is_directory(name) or any(Path(name, each).exists() for each in ("array.json", "making.json")):  # what is Octavo's own
            raise
    from octavo._src import stores

    return storage_of(stores.describe(name), writable)


def open_hdf5(path: str, writable: bool) -> _core.Storage:
    """A dataset: natively if it lies in the file in one piece, else through h5py."""
    from octavo._src import stores

    info = stores.describe(path)
    from octavo._src.stores.hdf5_flat import place_of

    place = place_of(path)
    if place is None:
        return storage_of(info, writable)
    file, offset = place
    found = _core.open_storage(file, list(info.shape), info.dtype, offset, info.big_endian, True)
    return with_names(found, info)


def storage_of(info: StoreInfo, writable: bool) -> _core.Storage:
    """A store as the devices know it."""
    spec = json.dumps({**info.spec, "writable": writable})
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
    storage.dimension_names_json = json.dumps(list(info.dimension_names)) if info.dimension_names else ""
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
    from octavo._src.stores.hdf5_path import is_hdf5

    form = json.loads(storage.spec)["kind"] if storage.format == "store" else storage.format
    if form == "raw" and is_hdf5(storage.path):
        form = "hdf5"
    names = json.loads(storage.dimension_names_json or "null")
    return Description(form, json.loads(storage.attributes_json or "{}"), None if names is None else tuple(names))
