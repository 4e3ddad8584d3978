# SPDX-License-Identifier: Apache-2.0
"""Coordinates beside a new HDF5 dataset, as netCDF-4 has them: one named as a dimension is its scale."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from octavo._src.stores.elements import carried, fill_of_json, with_types
from octavo._src.stores.hdf5.annotate import annotate
from octavo.errors import Error

if TYPE_CHECKING:
    from octavo._src.coordinates import Coordinate


def annotate_with(made: h5py.Dataset, attributes: dict[str, Any], names: Sequence[str | None] | None, coordinates: Sequence[Coordinate]) -> None:
    """Attributes and dimensions of the dataset, and its coordinates in the same group. Scales come before what is attached to them."""
    group = made.parent
    for each in coordinates:
        if each.index and each.name not in group and (copied := _copied(group, each)) is not None:
            copied.make_scale(each.name)
            copied.attrs["_Netcdf4Dimid"] = np.int32(list(names or ()).index(each.name))
    annotate(made, attributes, names)
    for each in coordinates:
        if not each.index and each.name not in group:
            _copied(group, each)


def _copied(group: h5py.Group, each: Coordinate) -> h5py.Dataset | None:
    """None, and a warning, for what cannot be read."""
    try:
        values = each.read()
    except Error as failure:
        warnings.warn(f"a coordinate is not copied: {each.name}: {failure}", stacklevel=2)
        return None
    info, stored = each.info, values.dtype.newbyteorder("<")
    info.warn_of_attributes()
    attributes, fill = carried(info.attributes, info.fill, info.fill_is_missing, values.dtype, False)
    options = {"fillvalue": fill_of_json(fill, stored)} if values.ndim else {}
    made = group.create_dataset(each.name, values.shape, stored, data=values, **options)
    annotate(made, with_types(attributes, info.typed), None if each.index or not each.dims else each.dims)
    return made
