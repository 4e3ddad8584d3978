# SPDX-License-Identifier: Apache-2.0
"""Attributes and dimensions of a new HDF5 dataset, so that h5py, netCDF4 and xarray read them as they were meant."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np

from octavo._src.stores.elements import OF_ELEMENTS, attributes_for
from octavo._src.stores.hdf5_path import ONLY_A_DIMENSION


def annotate(made: h5py.Dataset, attributes: dict[str, Any], dimension_names: Sequence[str | None] | None) -> None:
    """Attributes as HDF5 holds them; what it cannot hold (objects, null, lists of several types, what is too large for its header) as JSON text.
    Left out is what has no name, or one with a NUL in it. Named dimensions get a scale as netCDF-4 has it, or else
    a label, which netCDF's readers take for an attribute."""
    for key, value in attributes_for(attributes, made.dtype, zarr3=False).items():
        if key == "" or "\0" in key:
            continue
        try:
            made.attrs[key] = _typed(key, value, made.dtype)
        except (TypeError, ValueError, RuntimeError, OSError):
            made.attrs[key] = json.dumps(value)
    names = dimension_names or [None] * len(made.shape)
    for axis, (dimension, label) in enumerate(zip(made.dims, names, strict=True)):
        if label is None:
            continue
        scale = _scale(made, axis, label)
        if scale is not None:
            dimension.attach_scale(scale)
        else:
            dimension.label = label


def _typed(key: str, value: Any, dtype: np.dtype[Any]) -> Any:
    if key not in OF_ELEMENTS or isinstance(value, str | bool) or value is None:
        return value
    if dtype.kind == "c" and isinstance(value, list):
        value = complex(*value)
    typed = np.asarray(value).astype(dtype)
    return typed if np.array_equal(typed, value, equal_nan=True) else value  # valid_min of a packed variable may be of another type


def _scale(made: h5py.Dataset, axis: int, name: str) -> h5py.Dataset | None:
    """netCDF's dimension of that name and length: a dataset beside this one, that takes no space. None where the name is taken or can be none."""
    group, extent = made.parent, made.shape[axis]
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        return None
    found = group.get(name)
    if found is None:
        scale = group.create_dataset(name, (extent,), ">f4")
        scale.make_scale(f"{ONLY_A_DIMENSION}. {extent:10d}")
        scale.attrs["_Netcdf4Dimid"] = np.int32(axis)
        return scale
    fits = isinstance(found, h5py.Dataset) and found.shape == (extent,) and found != made and found.attrs.get("CLASS") == b"DIMENSION_SCALE"
    return found if fits else None
