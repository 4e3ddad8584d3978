# SPDX-License-Identifier: Apache-2.0
"""Attributes and dimensions of HDF5: as h5py has them and as other readers show them; and of a new dataset, so that h5py, netCDF4 and xarray read them as
they were meant."""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np

from octavo._src.stores.contract import named
from octavo._src.stores.elements import MISSING, OF_ELEMENTS, UNSAID, attributes_for, keeps_type, single
from octavo._src.stores.hdf5.path import ONLY_A_DIMENSION, UNNAMED, is_reserved

LONGEST_NAME = 256  # of netCDF, in bytes


def annotate(made: h5py.Dataset, attributes: dict[str, Any], dimension_names: Sequence[str | None] | None) -> None:
    """Attributes as HDF5 and netCDF hold them; what they cannot (objects, null, matrices, lists of several types, integers of more than 64 bits, text with a
    NUL, what is too large for its header) as JSON text. Left out are those whose names HDF5 or netCDF cannot hold, or keep for themselves. Named dimensions
    get a scale as netCDF-4 has it, but for a name that HDF5 cannot hold. Warnings name what is not as it was."""
    given = attributes_for(attributes, made.dtype, zarr3=False)
    kept = {key: value for key, value in given.items() if _is_name(key)}
    changed = [key for key, value in kept.items() if not _write(made, key, value)]
    _warn(made, "attributes", "are left out, as HDF5 or netCDF has another use for their names, or cannot hold them", [key for key in given if key not in kept])
    _warn(made, "attributes", "become JSON text, as HDF5 or netCDF cannot hold what they say", changed)
    names = [label or "" for label in dimension_names or ()]
    _warn(made, "names of dimensions", "are left out, as HDF5 cannot hold them", [name for name in names if name and not _is_text(name)])
    if any(names):
        for axis, label in enumerate(names):
            _name(made, axis, label)


def _warn(made: h5py.Dataset, what: str, why: str, names: list[str]) -> None:
    if names:
        warnings.warn(f"{what} of the HDF5 dataset '{made.name}' {why}: {named(names)}", stacklevel=2)


def _write(made: h5py.Dataset, key: str, value: Any) -> bool:
    """False for what became JSON text, which says all that it said."""
    try:
        made.attrs[key] = _typed(key, value, made.dtype)
    except (TypeError, ValueError, RuntimeError, OSError):
        made.attrs[key] = json.dumps(value, default=_plain)
        return False
    return True


def _plain(value: Any) -> Any:
    """What a type of HDF5 is in JSON."""
    return value.decode() if isinstance(value, bytes) else value.tolist()


def _name(made: h5py.Dataset, axis: int, label: str) -> None:
    """h5netcdf opens no file where some dimensions have a scale and others none, so one that can have none of its name gets another, and a label."""
    scale = _scale(made, axis, label)
    if scale is None:
        if _is_text(label):
            made.dims[axis].label = label
        taken = itertools.count(axis)
        while scale is None:
            scale = _scale(made, axis, f"{UNNAMED}{next(taken)}")
    made.dims[axis].attach_scale(scale)


def _is_text(name: str) -> bool:
    """Whether HDF5 can hold it as text, and it says something."""
    try:
        return len(name.encode()) > 0 and "\0" not in name
    except UnicodeEncodeError:
        return False


def _is_name(key: str) -> bool:
    return _is_text(key) and len(key.encode()) <= LONGEST_NAME and not is_reserved(key)


def _typed(key: str, value: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, np.ndarray | np.generic) and (key != MISSING or value.dtype == dtype):
        return value
    if isinstance(value, list) and any(isinstance(each, list) for each in value):
        raise TypeError("netCDF's attributes have one dimension")
    if key not in OF_ELEMENTS or isinstance(value, str | bool) or value is None:
        return _row(value) if isinstance(value, list) and value else value
    if dtype.kind == "c" and isinstance(value, list):
        value = complex(*value)
    typed = np.asarray(value).astype(dtype)
    if np.array_equal(typed, value, equal_nan=True):
        return typed
    return _row(value) if isinstance(value, list) else value  # valid_min of a packed variable may be of another type


def _row(values: list[Any]) -> Any:
    """TypeError where NumPy has no one type for what they are: it would make text of the number beside a text, and 2.0**63 of 2**63 - 1 beside a -1."""
    found = values if all(isinstance(each, str) for each in values) else np.asarray(values)
    kinds = {isinstance(each, bool) for each in values}
    if isinstance(found, np.ndarray) and (len(kinds) > 1 or any(a != b and a == a for a, b in zip(values, found.tolist(), strict=True))):
        raise TypeError("a list of several types")
    return found


def _scale(made: h5py.Dataset, axis: int, name: str) -> h5py.Dataset | None:
    """netCDF's dimension of that name and length: a dataset beside this one, that takes no space. None where the name is taken or can be none."""
    group, extent = made.parent, made.shape[axis]
    if name in (".", "..") or "/" in name or not _is_text(name) or len(name.encode()) > LONGEST_NAME:
        return None
    found = group.get(name)
    if found is None:
        scale = group.create_dataset(name, (extent,), ">f4")
        scale.make_scale(f"{ONLY_A_DIMENSION}. {extent:10d}")
        scale.attrs["_Netcdf4Dimid"] = np.int32(axis)
        return scale
    fits = isinstance(found, h5py.Dataset) and found.shape == (extent,) and found != made and found.attrs.get("CLASS") == b"DIMENSION_SCALE"
    return found if fits else None


def attributes_of(node: Any) -> dict[str, Any]:
    """All but those that HDF5 or netCDF keeps for itself; UNSAID for what h5py cannot read."""
    names = [key if isinstance(key, str) else key.decode(errors="backslashreplace") for key in node.attrs]  # h5py has bytes that are no UTF-8
    return {key: _attribute(node, key) for key in names if not is_reserved(key)}


def _attribute(node: Any, key: str) -> Any:
    """As h5py has it. UNSAID for what it cannot read."""
    try:
        return node.attrs[key]
    except (OSError, TypeError, ValueError, RuntimeError, KeyError, ArithmeticError):
        return UNSAID


def as_read(value: Any) -> Any:
    """As netCDF's readers have it. UNSAID for what JSON cannot say."""
    if isinstance(value, h5py.Empty) and h5py.check_string_dtype(value.dtype) is not None:
        return ""  # how netCDF writes it
    if isinstance(value, h5py.Empty | h5py.Reference):
        return UNSAID
    return single(value)


def as_written(value: Any) -> Any:
    """What h5py writes as it was read; UNSAID where it is better written as what JSON says."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        texts = value.ndim == 1 and all(isinstance(each, str) for each in value)
        return np.array(value.tolist(), h5py.string_dtype()) if texts else UNSAID
    return value if keeps_type(value) else UNSAID
