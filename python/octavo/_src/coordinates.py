# SPDX-License-Identifier: Apache-2.0
"""Coordinates: arrays in the group of another one that say where its elements lie. They go with it into another group, as xarray's users expect.

Those named as its dimensions, and those that its attribute ``coordinates`` names. What is copied are the stored elements, so packed and encoded ones
(``days since``) mean what they meant.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from octavo import _core
from octavo._src import consolidated
from octavo._src.groups.membership import Place, hdf5_place, place_of_target, zarr_place
from octavo._src.paths import shown
from octavo._src.sources import describe
from octavo._src.stores.contract import Array, StoreInfo
from octavo.errors import Error

MOST_BYTES = 64 << 20  # of one: they are read whole
ATTRIBUTE = "coordinates"


@dataclass(frozen=True)
class Coordinate:
    """``dims``: names of its axes, which are axes of the array that it belongs to. ``index``: whether it is named as its one axis."""

    name: str
    info: StoreInfo
    dims: tuple[str, ...]

    @property
    def index(self) -> bool:
        return self.dims == (self.name,)

    @property
    def nbytes(self) -> int:
        return math.prod(self.info.shape) * np.dtype(self.info.dtype).itemsize

    def read(self) -> Array:
        """All of it, in the machine's byte order."""
        from octavo._src import stores

        values = np.empty(self.info.shape, self.info.dtype)
        with contextlib.closing(stores.open_store(self.info.spec, writable=False)) as store:
            store.read((0,) * values.ndim, values)
        return values


@dataclass(frozen=True)
class Coordinates:
    """``taken``: those that go along, the array's own axes first. ``left``: why others do not, a line for each. ``dropped``: those over axes that are
    transformed."""

    taken: tuple[Coordinate, ...] = ()
    left: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    def write(self, target: str, zarr_format: int) -> None:
        """Into the Zarr group of ``target``, each whole or not at all, where nothing has its name. What cannot be written is a warning: the array
        itself can be made without it."""
        place = place_of_target(target)
        if place is None:
            return
        self.warn()
        for each in self.taken:
            path = place.path(each.name)
            if each.name == place.name or _is_taken(each, path):
                continue
            try:
                _write(each, path, zarr_format)
            except (Error, OSError) as failure:
                if not os.path.lexists(path):  # else another job has just made it
                    _warn(f"{each.name}: {failure}")

    def warn(self) -> None:
        """Of those that are left behind."""
        for each in self.left:
            _warn(each)


def find(path: str, source: _core.Storage, transformed: Sequence[int] | None, memory: int) -> Coordinates:
    """Those of the array at ``path``. ``transformed``: its axes that are; all if None. Reads no elements. ``memory``: of the job."""
    names: list[str | None] = json.loads(source.dimension_names_json or "[]")
    others = _named(json.loads(source.attributes_json or "{}").get(ATTRIBUTE))
    place = _place_of(path, source) if names or others else None
    if place is None:
        return Coordinates()
    extents = {name: extent for name, extent in zip(names, source.shape, strict=False) if name is not None}
    axes = range(len(names)) if transformed is None else [axis for axis in transformed if -len(names) <= axis < len(names)]
    lost = {names[axis] for axis in axes}
    wanted = [name for name in dict.fromkeys([*extents, *others]) if _is_name(name) and name != place.name]
    return _sorted(place, wanted, extents, lost, memory)


def without(source: _core.Storage, dropped: Collection[str]) -> None:
    """The source as if its attribute did not name them."""
    attributes = json.loads(source.attributes_json or "{}")
    if not dropped or ATTRIBUTE not in attributes:
        return
    left = [name for name in _named(attributes[ATTRIBUTE]) if name not in dropped]
    attributes[ATTRIBUTE] = " ".join(left)
    if not left:
        del attributes[ATTRIBUTE]
    source.attributes_json = json.dumps(attributes) if attributes else ""


def _sorted(place: Place, wanted: list[str], extents: Mapping[str, int], lost: set[str | None], memory: int) -> Coordinates:
    taken: list[Coordinate] = []
    left: list[str] = []
    dropped: list[str] = []
    for name, where in place.holds(wanted).items():
        if name in lost:
            dropped.append(name)
            continue
        try:
            found = _coordinate(where, name, extents)
        except Error as refusal:
            left.append(f"{name}: {refusal}")
            continue
        if found is None:
            continue
        if not lost.isdisjoint(found.dims):
            dropped.append(name)
        elif found.nbytes > MOST_BYTES or found.nbytes + sum(each.nbytes for each in taken) > memory // 2:
            left.append(f"{name}: it has {_core.format_bytes(found.nbytes)}, and {_core.format_bytes(min(MOST_BYTES, memory // 2))} are for coordinates")
        else:
            taken.append(found)
    return Coordinates(tuple(taken), tuple(left), tuple(dropped))


def _coordinate(place: Place, name: str, extents: Mapping[str, int]) -> Coordinate | None:
    """None for what is called so and does not fit the array's axes."""
    from octavo._src import stores

    info = stores.describe(place.path(name))
    dims = info.dimension_names
    if name in extents and len(info.shape) == 1 and dims in (None, (name,)):  # an HDF5 scale has no dimensions but itself
        dims = (name,)
    elif not info.shape:
        dims = ()
    if dims is None or any(extents.get(each or "") != extent for each, extent in zip(dims, info.shape, strict=True)):
        return None
    return Coordinate(name, info, tuple(each for each in dims if each is not None))


def _place_of(path: str, source: _core.Storage) -> Place | None:
    form = describe(source).format
    if form == "hdf5":
        from octavo._src import stores

        return hdf5_place(stores.describe(path).path)
    return zarr_place(path) if form == "zarr" else None


def _named(attribute: object) -> list[str]:
    return attribute.split() if isinstance(attribute, str) else []


def _is_name(name: str) -> bool:
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name


def _is_taken(each: Coordinate, path: str) -> bool:
    """Whether something has that name. Where it has another shape, xarray cannot have both in one data set."""
    if not os.path.lexists(path):
        return False
    from octavo._src import stores

    with contextlib.suppress(Error, OSError):
        there = stores.describe(path).shape
        if there != each.info.shape:
            _warn(f"{each.name}: '{path}' is there, of shape {there} and not {each.info.shape}")
    return True


def _write(each: Coordinate, path: str, zarr_format: int) -> None:
    """As any new array: locked, and named when it is whole and on the disk."""
    each.info.warn_of_attributes()
    from octavo._src import stores
    from octavo._src.stores.elements import carried

    info, values = each.info, each.read()
    attributes, fill = carried(info.attributes, info.fill, info.fill_is_missing, values.dtype, zarr_format == 2)
    about = {"attributes": attributes, "fill": fill, "dimension_names": each.dims, "zarr_format": zarr_format, "compressor": "none"}
    begun = _core.NewTarget(path, "zarr", False)
    try:
        chunks = tuple(max(1, extent) for extent in info.shape)
        made = stores.create_store("zarr", begun.place, shape=info.shape, chunks=chunks, dtype=info.dtype, **about)
        begun.made()
        with contextlib.closing(stores.open_store(made.spec, writable=True)) as store:
            store.write((0,) * values.ndim, values)
            store.flush()
        begun.finish()
    finally:
        begun.end()
    consolidated.renew(path)


def _warn(text: str) -> None:
    warnings.warn(f"a coordinate is not copied: {shown(text)}", stacklevel=2)
