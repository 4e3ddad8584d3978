# SPDX-License-Identifier: Apache-2.0
"""Packed elements as CF and xarray have them: the attributes that say which values are meant by the stored numbers, the decoding, and the store that does it.

>>> packing = packing_of({"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32767}, np.dtype("int16"))
>>> packing.dtype, packing.causes
(dtype('float64'), {'scale_factor': 0.01, 'add_offset': 273.15, '_FillValue': -32767})

What xarray decodes with ``mask_and_scale`` is decoded to the same values and types, but for what CF says otherwise: a stored number is held against the
missing ones as it is stored, and a scale that is no floating number makes double precision. ``valid_min`` and the like mask nothing.
"""

from __future__ import annotations

import binascii
import dataclasses
import itertools
import math
import numbers
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from octavo._src.stores.contract import GROUP_BYTES, Array, Shape, Store, StoreInfo
from octavo._src.stores.elements import MISSING, number_of
from octavo._src.stores.unit_store import UnitStore, index_of, nbytes, parts, rows_of
from octavo.errors import NotSupported

SCALING = ("scale_factor", "add_offset")
MASKS = (MISSING, "missing_value")
UNSIGNED = "_Unsigned"
PACKING = (*SCALING, *MASKS, UNSIGNED)
OF_STORED = ("valid_min", "valid_max", "valid_range", "flag_values", "flag_masks")  # numbers as they are stored
PIECE_BYTES = 256 << 10  # of values that are decoded at once: they stay in a core's cache
DECODING_BYTES = 4 * PIECE_BYTES  # the values, what NumPy converts meanwhile, and which of them are missing


@dataclasses.dataclass(frozen=True)
class Packing:
    """``stored``: the type that the stored numbers are taken for. ``dtype``: that of the values. ``missing``: those of ``stored`` that are NaN.
    ``causes``: the attributes that make values other than the numbers."""

    stored: np.dtype[Any]
    dtype: np.dtype[Any]
    scale: Any
    offset: Any
    missing: tuple[Any, ...]
    causes: Mapping[str, Any]

    def decode(self, block: Array, out: Array) -> None:
        """``out`` has the block's shape, and a type that holds the values or is wider."""
        seen = block.view(self.stored)
        none = complex(math.nan, math.nan) if self.dtype.kind == "c" else math.nan
        with np.errstate(all="ignore"):
            for lo, hi in parts((0,) * seen.ndim, seen.shape, rows_of(seen.shape, self.dtype.itemsize, PIECE_BYTES)):
                piece = index_of(lo, hi, (0,) * seen.ndim)
                values = seen[piece].astype(self.dtype)
                if self.scale is not None:
                    values *= self.scale
                if self.offset is not None:
                    values += self.offset
                for each in self.missing:
                    np.copyto(values, none, where=seen[piece] == each)
                out[piece] = values

    def attributes(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Those that still hold of the values."""
        gone = (*PACKING, *OF_STORED) if self.scale is not None or self.offset is not None else PACKING
        return {name: value for name, value in attributes.items() if name not in gone}


class UnpackedStore(UnitStore):
    """The values of a packed array: another store's elements, decoded beside it. Read-only. ``path``: for messages."""

    def __init__(self, inner: Store, packing: Packing, path: str) -> None:
        self._inner, self._packing = inner, packing
        self._where = f"the values of '{path}'"
        self._writable = False
        self._stored = inner.dtype.newbyteorder("=")
        self.shape, self.dtype = inner.shape, packing.dtype
        self.read_chunk, self.write_chunk = inner.read_chunk, inner.write_chunk
        self.attributes, self.dimension_names = packing.attributes(inner.attributes), inner.dimension_names
        # The stored numbers of what is read at once, and what decoding them takes.
        self.read_bytes = inner.read_bytes + max(nbytes(self.read_chunk, self._stored), GROUP_BYTES) + DECODING_BYTES
        self.write_bytes = self.read_bytes

    def _read_units(self, lo: Shape, hi: Shape, out: Array) -> None:
        block = np.empty(out.shape, self._stored)
        self._inner.read(lo, block)
        self._packing.decode(block, out)

    def close(self) -> None:
        super().close()
        self._inner.close()

    def info(self, stored: StoreInfo) -> StoreInfo:
        """What describe says; ``stored``: what it says of the other store. There is no fill value but NaN: a number would be a value of the array as well."""
        fill = "NaN" if self.dtype.kind == "f" else None
        about: dict[str, Any] = {"attributes": self.attributes, "read_bytes": self.read_bytes, "write_bytes": self.write_bytes, "fill": fill}
        return dataclasses.replace(stored, dtype=self.dtype.name, big_endian=False, fill_is_missing=False, unpacked=True, **about)


def packing_of(attributes: Mapping[str, Any], dtype: np.dtype[Any]) -> Packing | None:
    """None where the stored numbers are the values, of their type too. NotSupported for a scale or an offset that is no number."""
    dtype = dtype.newbyteorder("=")
    told = {name: attributes[name] for name in PACKING if attributes.get(name) is not None}
    scale, offset = (_number(name, told[name]) if name in told else None for name in SCALING)
    stored = _taken_for(dtype, told.get(UNSIGNED))
    masks = {name: _numbers(told[name], dtype) for name in MASKS if name in told}
    missing = {name: [each for number in masks[name] if (each := _element(number, dtype, stored)) is not None] for name in masks}
    values = _type_of_values(stored, scale, offset, masks)
    causes = {name: each for name, each, idle in (("scale_factor", scale, 1), ("add_offset", offset, 0)) if each not in (None, idle)}
    causes |= {name: _as_json(masks[name]) for name in masks if missing[name]}
    causes |= {UNSIGNED: told[UNSIGNED]} if stored != dtype else {}
    if not causes and values == dtype:
        return None
    return Packing(stored, values, scale, offset, tuple(dict.fromkeys(itertools.chain(*missing.values()))), causes)


def is_mask(fill_is_missing: bool, named: bool) -> bool:
    """Whether a fill value of Zarr v2 says which elements are missing: only where the dimensions have names, as xarray needs them. All others that zarr-python
    makes have one, most often 0, of which nothing is meant."""
    return fill_is_missing and named


def _number(name: str, value: Any) -> Any:
    """Of the type that it is stored as."""
    found = value[0] if isinstance(value, list | tuple | np.ndarray) and np.shape(value) == (1,) else value
    if isinstance(found, bool) or not isinstance(found, numbers.Real | np.floating | np.integer):
        raise NotSupported(f"elements with the {name} {value!r}, which is no number. Give unpack=False for the stored numbers")
    return found


def _taken_for(dtype: np.dtype[Any], unsigned: Any) -> np.dtype[Any]:
    """By netCDF's attribute, for formats without unsigned integers, or without signed bytes."""
    if (dtype.kind, unsigned.decode() if isinstance(unsigned, bytes) else unsigned) not in (("i", "true"), ("u", "false")):
        return dtype
    return np.dtype(f"{'u' if dtype.kind == 'i' else 'i'}{dtype.itemsize}")


def _numbers(value: Any, dtype: np.dtype[Any]) -> list[Any]:
    """Those that the attribute says, without NaN. Of complex elements one is a pair in JSON."""
    try:
        if dtype.kind == "c" and isinstance(value, list) and len(value) == 2:
            given: list[Any] = [complex(*map(number_of, value))]
        else:
            given = [number_of(each) for each in np.asarray(value, object).ravel()]
    except (TypeError, ValueError, struct.error, binascii.Error):  # a word: no element is one
        return []
    found = [each.item() if isinstance(each, np.generic) else each for each in given]
    return [each for each in found if isinstance(each, numbers.Number) and each == each]


def _element(value: Any, dtype: np.dtype[Any], stored: np.dtype[Any]) -> Any:
    """The number as ``stored``; None if no element of that type is it."""
    if dtype.kind == "f" and isinstance(value, complex):
        return None
    if dtype.kind in "fc":
        with np.errstate(all="ignore"):
            return np.asarray(value).astype(stored)[()]
    if isinstance(value, complex) or value != value // 1:
        return None
    for kind in (dtype, stored):  # it is of the elements' type, or of the one that they are taken for
        if np.iinfo(kind).min <= value <= np.iinfo(kind).max:
            return np.asarray([int(value)], kind).view(stored)[0]
    return None


def _as_json(found: list[Any]) -> Any:
    """One as itself."""
    told = [[each.real, each.imag] if isinstance(each, complex) else each for each in found]
    return told[0] if len(told) == 1 else told


def _type_of_values(stored: np.dtype[Any], scale: Any, offset: Any, masks: Mapping[str, list[Any]]) -> np.dtype[Any]:
    """As xarray chooses it."""
    masked = any(masks.values())
    if scale is not None or offset is not None:
        # Where floats have no missing number but NaN, their type stays.
        return stored if masks and not masked and stored.kind in "fc" else _type_of_scaled(stored, scale, offset)
    if not masked or stored.kind in "fc":
        return stored
    return np.dtype(np.float32 if stored.itemsize <= 2 else np.float64)


def _type_of_scaled(dtype: np.dtype[Any], scale: Any, offset: Any) -> np.dtype[Any]:
    """As xarray's _choose_float_dtype: by the types of the attributes, where one offset, or 32 bits, are not enough for single precision."""
    if dtype.kind == "c":
        return dtype
    kinds = [np.result_type(each).newbyteorder("=") for each in (scale, offset) if each is not None]
    if offset is None:
        single = kinds[0] in (np.float16, np.float32)
    else:
        single = kinds == [np.float32, np.float32] and not (dtype.kind in "iu" and dtype.itemsize == 4)
    return np.dtype(np.float32 if single else np.float64)
