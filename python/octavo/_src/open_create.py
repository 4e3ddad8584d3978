# SPDX-License-Identifier: Apache-2.0
"""Which call opens or makes an array of which format, and what each needs, checked and put into one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

import numpy.typing as npt

from octavo import _core
from octavo._src import consolidated
from octavo._src.groups.membership import check_group, is_member
from octavo._src.new_targets import Contents, Making, encode, hdf5_target, making
from octavo._src.paths import AnyPath, absolute, check_directory
from octavo._src.sources import Opened, describe, kept, open_held
from octavo._src.validation import RawSpec, TargetSpec, check_lengths, element_type, fill_text, integers, json_text, memory_bytes, target_spec
from octavo.errors import Error, NotSupported, Refused, UsageError
from octavo.options import Target

if TYPE_CHECKING:
    from octavo._core import ArrayHandle
    from octavo.devices import Devices

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
FORMATS = {each.name: each for each in _core.formats()}
ENDINGS = {**{each.endings[0]: each.name for each in FORMATS.values() if each.endings}, ".h5": "hdf5", ".hdf5": "hdf5"}
LEAST_MEMORY = 4 << 20  # that an ArrayHandle takes (python/bindings/array.cpp)


@dataclass(frozen=True)
class Opening:
    """An array that is there. ``memory`` in bytes; ``raw``: what is in it, of a file without a header; ``devices``: where it is no file and has no name;
    ``unpack``: whether its values are meant, where it is packed, or the stored numbers; None: nobody said. ``unfinished``: it is made still."""

    path: str
    writable: bool
    memory: int
    raw: RawSpec | None = None
    devices: Devices | None = None
    unpack: bool | None = None
    unfinished: bool = field(default=False, kw_only=True)

    def open(self) -> ArrayHandle:
        """Opens it; raises what the format's reader raises. Its processes begin with the first read or write."""
        try:
            return open_handle(self)
        except Refused as refusal:
            refusal._about(self.path)
            raise


@dataclass(frozen=True)
class Annotations:
    """What the caller says of a new array beside its elements: attributes, a name or None for each axis, and what is read where nothing was written."""

    attrs: Mapping[str, Any] | None = None
    dims: Sequence[str | None] | None = None
    fill_value: complex | None = None


@dataclass(frozen=True)
class Creation:
    """An array to be made. The target's ``chunks`` have the length of ``shape``; attributes, dimension names and fill value are JSON, "" for none."""

    target: TargetSpec
    format: str
    shape: tuple[int, ...]
    dtype: str
    attributes_json: str
    dimension_names_json: str
    fill_json: str
    memory: int
    overwrite: bool

    @property
    def opening(self) -> Opening:
        """How to open it when it is there."""
        return Opening(self.target.path, True, self.memory, RawSpec(self.shape, self.dtype) if FORMATS[self.format].bare else None)


def format_of(path: str) -> str:
    """The format that a new array's path names by its ending, or by the Zarr group that it lies in. UsageError for others."""
    if hdf5_target(path) is not None:  # also a dataset within the file
        return "hdf5"
    found = "zarr" if is_member(path) else ENDINGS.get(PurePath(path).suffix.lower())
    if found is None:
        raise UsageError(f"'{path}' does not say which format it is to have. End it in {', '.join(ENDINGS)}, or name an array of a Zarr group that is there")
    return found


def creation(path: AnyPath, shape: Extents, dtype: npt.DTypeLike, target: Target, about: Annotations, memory: int | str, overwrite: bool) -> Creation:
    """What create_array was told, checked before anything is made."""
    where = absolute(path)
    check_group(where)
    check_directory((hdf5_target(where) or (where, ""))[0])
    kind = element_type(dtype)
    if not kind.isnative:
        raise NotSupported(f"making '{where}' big-endian. Give dtype '{kind.name}'")
    form = format_of(where)
    extents = integers(shape, "shape", 0)
    _check_format(where, form, target, about)
    wanted = target_spec(where, target)
    check_lengths(where, extents, chunks=wanted.chunks, shards=wanted.shards, dims=about.dims)
    if any(not isinstance(name, str | None) for name in about.dims or ()):
        raise UsageError(f"dims {tuple(about.dims or ())} of '{where}'. Give a str or None for each axis")
    if FORMATS[form].one_block:
        pages = tuple(max(1, extent) for extent in extents)
    else:
        pages = tuple(_core.default_chunk(list(extents), kind.itemsize)) if wanted.chunks is None else wanted.chunks
    return Creation(
        target=replace(wanted, chunks=pages, devices=tuple(absolute(each, "a directory of devices") for each in wanted.devices)),
        format=form,
        shape=extents,
        dtype=kind.name,
        attributes_json=json_text(about.attrs, "attrs", where),
        dimension_names_json=json_text(None if about.dims is None else list(about.dims), "dims", where),
        fill_json=fill_text(about.fill_value, kind, FORMATS[form], where),
        memory=memory_bytes(memory),
        overwrite=overwrite,
    )


def _check_format(path: str, form: str, target: Target, about: Annotations) -> None:
    """UsageError for what is wanted of an array whose format has no place for it."""
    told = {"chunks": target.chunks, "shards": target.shards, "compressor": target.compressor, "attrs": about.attrs or None, "dims": about.dims}
    if FORMATS[form].one_block and (idle := [name for name, value in told.items() if value is not None]):
        raise UsageError(f"'{path}': an .{form} file has no {' and no '.join(idle)}. Leave that out, or make a .zarr array")
    if target.devices is not None and not FORMATS[form].paged:
        raise UsageError(f"'{path}': only an .octavo array lies on several devices. Leave devices out, or change the ending")


class Hdf5Handle(_core.ArrayHandle):
    """As any array that is open, but that it holds HDF5's lock until it is closed. ``identity``: the same for all paths of a dataset."""

    def __init__(self, opened: Opened, memory: int, writable: bool) -> None:
        super().__init__(opened.storage, "hdf5", memory, writable)
        self.identity = opened.identity
        self._share = opened.share

    def close(self) -> None:
        """Ends its processes first."""
        try:
            super().close()
        finally:
            if self._share is not None:
                self._share.release()


def open_handle(wanted: Opening) -> ArrayHandle:
    """Opens an array; raises what the format's reader raises. Its processes begin with the first read or write."""
    if wanted.devices is not None:
        return _core.ArrayHandle(wanted.devices.array(), wanted.path, wanted.memory, wanted.writable)
    found = open_held(wanted.path, wanted.raw, wanted.writable, bool(wanted.unpack), wanted.unfinished)
    if wanted.writable:
        with kept(found.share):
            _core.check_writable(found.storage)
    if found.identity:
        with kept(found.share):
            return Hdf5Handle(found, wanted.memory, wanted.writable)
    return _core.ArrayHandle(found.storage, describe(found.storage).format, wanted.memory, wanted.writable)


class NewArray:
    """An array of its fill value, or zeros, which has its name when it is finished. Nobody else makes it meanwhile; what is there stays until then. ``with``:
    where it is not finished nothing is left.

    >>> with NewArray(creation) as made:
    ...     ...  # is written, by whoever opens made.opening
    ...     made.finish()
    """

    def __init__(self, wanted: Creation) -> None:
        path = wanted.target.path
        if wanted.memory < LEAST_MEMORY:  # before anything is made or replaced
            refusal = Refused(f"'{path}' within {_core.format_bytes(wanted.memory)}. Give memory at least {_core.format_bytes(LEAST_MEMORY)}")
            refusal.least, refusal.path = LEAST_MEMORY, path
            raise refusal
        how = making(wanted.target, Contents(wanted.shape, wanted.dtype, wanted.shape, filled=True), wanted.memory, wanted.overwrite)
        self._file = how.file
        self._begun = _core.NewTarget(how.file, wanted.format, wanted.overwrite)
        try:
            make(wanted, how, self._begun.place)
            self._begun.made()
        except Error as refusal:  # nobody knows the place: it is about the target
            self._begun.end()
            raise type(refusal)(str(refusal).replace(self._begun.place, how.file)) from None
        except BaseException:
            self._begun.end()
            raise
        within = "/" + hdf5[1] if (hdf5 := hdf5_target(path)) is not None else ""
        self.opening = replace(wanted.opening, path=self._begun.place + within, unfinished=True)

    def __enter__(self) -> NewArray:
        return self

    def __exit__(self, *raised: object) -> None:
        self._begun.end()

    def finish(self) -> None:
        """All that was written is on the disk."""
        self._begun.finish()
        consolidated.renew(self._file)


def create_handle(wanted: Creation) -> ArrayHandle:
    """Makes an array of its fill value, or zeros, and opens it for reading and writing."""
    with NewArray(wanted) as made:
        made.finish()
    return open_handle(wanted.opening)


def make(wanted: Creation, how: Making, path: str) -> None:
    """By Octavo itself, or by the format's library."""
    shape, chunks, names = list(wanted.shape), list(wanted.target.chunks or ()), wanted.dimension_names_json
    if how.make is not None:
        how.make(path, shape, chunks, wanted.dtype, wanted.attributes_json, names, wanted.fill_json)
        return
    options = _core.CreateOptions()
    options.attributes_json, options.dimension_names_json = wanted.attributes_json, names
    options.zarr_version = wanted.target.zarr_format
    if how.encoded:
        encode(options, wanted.target)
    options.devices, options.map = list(wanted.target.devices), wanted.target.map
    _core.create_storage(path, wanted.format, shape, wanted.dtype, chunks, options, wanted.fill_json)
