# SPDX-License-Identifier: Apache-2.0
"""Whether the elements of an array are packed, by what is known of it without reading them; and the refusal to take such numbers for values."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from octavo._src.paths import shown
from octavo._src.stores.elements import MISSING, fill_of_json
from octavo._src.stores.packing import SCALING, Packing, is_mask, packing_of
from octavo.errors import NotSupported, UsageError


class Known(Protocol):
    """A _core.Storage or ArrayHandle."""

    @property
    def dtype(self) -> str: ...
    @property
    def attributes_json(self) -> str: ...
    @property
    def dimension_names_json(self) -> str: ...
    @property
    def fill_json(self) -> str: ...
    @property
    def fill_is_missing(self) -> bool: ...


def is_packed(array: Known) -> bool:
    """Whether unpacking would change a value, or its type."""
    return _packing_of(array) is not None


def causes_of(array: Known) -> dict[str, Any]:
    """The attributes that make its values other than the numbers that are stored."""
    try:
        packing = _packing_of(array)
    except NotSupported:  # which values are meant, nobody can say
        return {name: value for name, value in json.loads(array.attributes_json).items() if name in SCALING}
    return {} if packing is None else dict(packing.causes)


def said(causes: Mapping[str, Any]) -> str:
    """For people."""
    return ", ".join(f"{name} {value}" for name, value in causes.items())


def check_meant(causes: Mapping[str, Any], unpack: bool | None, doing: str, cure: str = "Give") -> None:
    """UsageError where nobody said whether the stored numbers or the values are meant, and they are not the same."""
    if causes and unpack is None:
        raise UsageError(
            f"{doing}, which is packed ({said(causes)}): what is stored is not the values. {cure} unpack=True for the values, NaN where one is missing, "
            f"or unpack=False for the stored numbers"
        )


def warn_of_types(array: Known, typed: Mapping[str, Any], path: str) -> None:
    """Where attributes whose types JSON does not say, as HDF5 does, make values of another type than those that JSON has. ``path``: of the array."""
    try:
        told, meant = _packing_of(array), _packing_of(array, typed)
    except NotSupported:  # which values are meant, nobody can say
        return
    if told is None or meant is None or told.dtype == meant.dtype:
        return
    lost = ", ".join(f"{name} ({np.asarray(typed[name]).dtype})" for name in SCALING if name in typed)
    what = f"attributes of '{shown(path)}' lose their type, which only HDF5 keeps: {lost}"
    warnings.warn(f"{what}. Unpacked, also by xarray, the copy is {told.dtype} and not {meant.dtype}; with unpack=True it is unpacked now", stacklevel=2)


def _packing_of(array: Known, typed: Mapping[str, Any] = MappingProxyType({})) -> Packing | None:
    attributes = json.loads(array.attributes_json or "{}")
    attributes |= {name: typed[name] for name in SCALING if name in typed and name in attributes}
    dtype = np.dtype(array.dtype)
    if is_mask(array.fill_is_missing, bool(array.dimension_names_json)):
        attributes[MISSING] = fill_of_json(json.loads(array.fill_json or "null"), dtype)
    return packing_of(attributes, dtype)
