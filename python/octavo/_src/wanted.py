# SPDX-License-Identifier: Apache-2.0
"""The caller's words for an array to open or to make, checked and put into one form."""

from __future__ import annotations

import json
import mmap
import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src.groups import check_group, version_for
from octavo._src.opening import Creation, Opening, format_of
from octavo._src.paths import AnyPath, absolute, check_directory
from octavo._src.targets import hdf5_target
from octavo._src.transfer import check_kinds
from octavo.errors import NotSupported, UsageError

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")


def bytes_of(memory: int | str) -> int:
    """A budget in bytes."""
    count = _core.parse_bytes(memory) if isinstance(memory, str) else operator.index(memory)
    if not 0 < count < 2**62:
        raise UsageError(f"memory {memory!r} is no budget. Give bytes, or text such as '256MiB'")
    return count


def integers(values: SupportsIndex | Sequence[SupportsIndex], what: str, least: int) -> tuple[int, ...]:
    """A shape or the like; one integer is a shape of one axis, as in NumPy."""
    given = values if isinstance(values, Sequence | np.ndarray) else (values,)
    try:
        found = tuple(operator.index(value) for value in given)
    except TypeError:
        raise UsageError(f"{what} {values!r} is not made of integers. Give a sequence of them") from None
    if any(not least <= value < 2**62 for value in found):
        raise UsageError(f"{what} {found} is out of range. Give integers from {least} on that an array can have")
    return found


def type_of(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """One of the element types that Octavo has, in either byte order."""
    try:
        found = np.dtype(dtype) if dtype is not None else np.dtype("O")
    except (TypeError, ValueError):
        raise UsageError(f"dtype {dtype!r} is none that NumPy knows. Give one of {', '.join(TYPES)}") from None
    if found.name not in TYPES:
        raise NotSupported(f"elements of type {dtype if dtype is None else found}. Convert them to one of {', '.join(TYPES)}")
    return found


def opening(
    path: AnyPath,
    writable: bool,
    memory: int,
    shape: SupportsIndex | Sequence[SupportsIndex] | None,
    dtype: npt.DTypeLike | None,
    offset: int,
    big_endian: bool,
) -> Opening:
    """What open_array was told of a path."""
    where = absolute(path)
    if (shape is None) != (dtype is None) or (shape is None and (offset != 0 or big_endian)):
        raise UsageError(f"'{where}': shape, dtype, offset and big_endian describe a raw file together. Give at least shape and dtype, or none")
    if shape is None or dtype is None:
        return Opening(where, writable, memory)
    kind = type_of(dtype)
    (start,) = integers(offset, "offset", 0)
    return Opening(where, writable, memory, integers(shape, "shape", 0), kind.name, start, big_endian or kind.str[0] == ">")


def opening_of_memmap(mapped: np.memmap[Any, Any], writable: bool, memory: int) -> Opening:
    """The file behind a numpy.memmap, or behind a slice of one whose elements lie one after the other."""
    base: Any = mapped
    while isinstance(base, np.ndarray):
        base = base.base
    if mapped.filename is None or not isinstance(base, mmap.mmap):
        raise UsageError("a numpy.memmap that is not the memory of a named file. Open the file by its path, with shape and dtype")
    if not mapped.flags.c_contiguous:
        raise NotSupported(f"a numpy.memmap of '{mapped.filename}' that is not in C order. Open the whole one, or m.T of one in Fortran order, and index it")
    mapped.flush()
    begin = mapped.offset - mapped.offset % mmap.ALLOCATIONGRANULARITY
    offset = begin + mapped.ctypes.data - np.frombuffer(base, np.uint8).ctypes.data
    return replace(opening(mapped.filename, writable, memory, mapped.shape, mapped.dtype, offset, False), part=True)  # of a slice more follows


def creation(
    path: AnyPath,
    shape: SupportsIndex | Sequence[SupportsIndex],
    dtype: npt.DTypeLike,
    *,
    chunks: Sequence[SupportsIndex] | None,
    devices: Sequence[AnyPath] | None,
    map: str,
    compressor: str | Mapping[str, Any] | None,
    shards: Sequence[SupportsIndex] | None,
    attrs: Mapping[str, Any] | None,
    dims: Sequence[str | None] | None,
    fill_value: object,
    zarr_format: int | None,
    memory: int | str,
    overwrite: bool,
) -> Creation:
    """What create_array was told."""
    where = absolute(path)
    check_group(where)
    check_directory((hdf5_target(where) or (where, ""))[0])
    kind = type_of(dtype)
    if not kind.isnative:
        raise NotSupported(f"making '{where}' big-endian. Give dtype '{kind.name}'")
    form = format_of(where)
    extents = integers(shape, "shape", 0)
    whole = form in ("npy", "raw")
    told = {"chunks": chunks, "shards": shards, "compressor": compressor, "attrs": attrs or None, "dims": dims}
    if whole and (idle := [name for name, value in told.items() if value is not None]):
        raise UsageError(f"'{where}': an .{form} file has no {' and no '.join(idle)}. Leave that out, or make a .zarr array")
    if devices is not None and form != "octavo":
        raise UsageError(f"'{where}': only an .octavo array lies on several devices. Leave devices out, or change the ending")
    if zarr_format not in (2, 3, None):
        raise UsageError(f"zarr_format {zarr_format!r} of '{where}'. It is 2 or 3")
    _check_lengths(where, extents, chunks=chunks, shards=shards, dims=dims)
    if any(not isinstance(name, str | None) for name in dims or ()):
        raise UsageError(f"dims {tuple(dims or ())} of '{where}'. Give a str or None for each axis")
    if whole:
        pages = tuple(max(1, extent) for extent in extents)
    else:
        pages = tuple(_core.default_chunk(list(extents), kind.itemsize)) if chunks is None else integers(chunks, "chunks", 1)
    return Creation(
        path=where,
        format=form,
        shape=extents,
        dtype=kind.name,
        chunks=pages,
        devices=tuple(absolute(device, "a directory of devices") for device in devices or ()),
        map=map,
        compressor=_json(compressor, "compressor", where),
        shards=None if shards is None else integers(shards, "shards", 1),
        attributes_json=_json(attrs, "attrs", where),
        dimension_names_json=_json(None if dims is None else list(dims), "dims", where),
        fill_json=_fill(fill_value, kind, form, where),
        zarr_format=version_for(where) if zarr_format is None else zarr_format,
        memory=bytes_of(memory),
        overwrite=overwrite,
    )


def _check_lengths(path: str, shape: tuple[int, ...], **given: Sequence[object] | None) -> None:
    for name, values in given.items():
        if values is not None and len(values) != len(shape):
            raise UsageError(f"{name} {tuple(values)} of '{path}' of shape {shape}. Give one for each of the {len(shape)} axes")


def _fill(value: Any, dtype: np.dtype[Any], form: str, path: str) -> str:
    """The fill value as JSON, as Zarr v3 has it; "" for none."""
    if value is None:
        return ""
    from octavo._src.stores.elements import fill_json

    if form not in ("zarr", "hdf5"):
        raise UsageError(f"fill_value {value!r} of '{path}': an .{form} file has none. Leave it out and write the elements, or make a .zarr or .h5 array")
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "iufc":
        raise UsageError(f"fill_value {value!r} of '{path}' is not one number. Give one that a {dtype} can be")
    check_kinds(given.dtype, dtype, f"the fill_value of '{path}'")
    with np.errstate(all="ignore"):
        element = given.astype(dtype)[()]
    if dtype.kind in "iu" and int(element) != given.item():
        raise UsageError(f"fill_value {value!r} of '{path}' is outside {dtype}. Give one that it can be")
    return json.dumps(fill_json(element, dtype))


def _json(value: object, what: str, path: str) -> str:
    """ "" for None."""
    if value is None:
        return ""
    try:
        return json.dumps(
            dict(value) if isinstance(value, Mapping) else value,
        )
    except (TypeError, ValueError) as e:
        raise UsageError(f"{what} of '{path}' cannot be written as JSON: {e}. Use str, int, float, bool, None, lists and dicts") from None
