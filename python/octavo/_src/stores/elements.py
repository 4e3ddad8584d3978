# SPDX-License-Identifier: Apache-2.0
"""Element types, fill values and attributes: which of them Octavo has, converts, and can say in JSON."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from octavo import _core
from octavo._src.paths import shown
from octavo.errors import NotSupported

MOST_ELEMENTS = 4096  # of an attribute that is an array
MISSING = "_FillValue"  # CF's attribute: the element that stands for a missing one
# Of the type of the elements, by CF: complex ones are a pair in JSON, as a fill value of Zarr is.
OF_ELEMENTS = (MISSING, "missing_value", "valid_min", "valid_max", "valid_range", "flag_values", "flag_masks")
KEPT = "biufcS"  # kinds of NumPy that a new dataset is given as they are
UNSAID = object()  # for an attribute that its library cannot read


def supported(dtype: np.dtype[Any], where: str) -> np.dtype[Any]:
    """The dtype itself, if Octavo has it."""
    if dtype.newbyteorder("=").name not in _core.dtypes or dtype.subdtype is not None:
        raise unsupported(str(dtype), where)
    return dtype


def unsupported(name: str, where: str, known: str = "") -> NotSupported:
    """The error for an element type that Octavo does not have. ``known``: what NumPy calls it, where that is another name."""
    also = f" ({known})" if known and known not in name else ""
    near = "uint8" if name.strip('"') in ("bool", "|b1") else "float32" if name.strip('"') in ("float16", "<f2", ">f2") else "float64"
    return NotSupported(f"{where} has elements of type {shown(name)}{also}. Convert it first: a.astype('{near}'), say, or another of {', '.join(_core.dtypes)}")


def check_conversion(source: np.dtype[Any], target: np.dtype[Any], where: str) -> None:
    """S-5. The same rule as in src/data/io/convert_rows.cpp."""
    source, target = source.newbyteorder("="), target.newbyteorder("=")
    supported(source, where)
    supported(target, where)
    if source == target or (target.kind in "fc" and (source.kind != "c" or target.kind == "c")):
        return
    cure = "Choose a complex type: the imaginary part would be lost" if source.kind == "c" else "Choose the same type, or a floating or complex one"
    raise NotSupported(f"{where}: converting {source} to {target}. {cure}")


def fill_of_json(fill: Any, dtype: np.dtype[Any]) -> Any:
    """The NumPy scalar that fill_json made; None stays None."""
    if fill is None:
        return None
    if isinstance(fill, list | tuple):
        return np.dtype(dtype).type(complex(*(float(_real_of(part)) for part in fill)))
    return np.asarray(_real_of(fill)).astype(dtype)[()] if isinstance(fill, str) else np.asarray(fill, dtype)[()]


def _real_of(part: Any) -> Any:
    """Also from the bits of an unusual NaN, as "0x7fc00001"."""
    if not isinstance(part, str):
        return part
    if part.startswith("0x"):
        return np.array(int(part, 16), f"u{len(part) // 2 - 1}").view(f"f{len(part) // 2 - 1}")[()]
    return float(part)


def attributes_for(attributes: dict[str, Any], dtype: np.dtype[Any], zarr3: bool) -> dict[str, Any]:
    """As a new array is to have them: _FillValue as xarray reads it from Zarr v3 (floats in base64), else as a number. As in
    src/data/format/xarray/missing.cpp."""
    if MISSING not in attributes:
        return attributes
    given = attributes[MISSING]
    if isinstance(given, np.ndarray | np.generic) and given.dtype == dtype:  # it is one already
        return attributes
    try:
        plain = complex(*map(number_of, given)) if isinstance(given, list) and dtype.kind == "c" else number_of(given)
        told: Any = np.asarray(plain).astype(dtype.newbyteorder("=")).item()
    except (TypeError, ValueError, OverflowError, struct.error):
        return attributes
    if dtype.kind in "iu" and told != plain:  # it is no such integer
        return attributes
    if zarr3 and dtype.kind == "f":
        told = _base64(told)
    elif dtype.kind == "c":
        told = [_base64(part) if zarr3 else part for part in (told.real, told.imag)]
    return {**attributes, MISSING: told}


def carried(attributes: dict[str, Any], fill: Any, fill_is_missing: bool, dtype: np.dtype[Any], zarr2: bool) -> tuple[dict[str, Any], Any]:
    """Attributes and fill value of a copy, so that to xarray the same elements are missing: Zarr v2 says which by the fill value, all else by the attribute.
    As carry_over in src/data/format/xarray/missing.cpp."""
    if fill_is_missing:
        attributes = {**attributes, MISSING: _pair(fill_of_json(fill, dtype).item())}
    told = attributes_for(attributes, dtype, zarr3=False)
    known = told is not attributes
    if not zarr2:
        return told, fill
    if known:
        value = told[MISSING]
        fill = fill_json(complex(*value) if isinstance(value, list) else value, dtype)
        return {name: each for name, each in told.items() if name != MISSING}, fill
    nothing = fill is not None and not fill_of_json(fill, dtype)  # as null: each 0 would be missing to xarray
    return told, None if nothing else fill


def _pair(value: Any) -> Any:
    return [value.real, value.imag] if isinstance(value, complex) else value


def number_of(value: Any) -> Any:
    """xarray's base64 of a double as that double; all else as it is."""
    if isinstance(value, str):
        return struct.unpack("<d", base64.b64decode(value, validate=True))[0]
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _base64(value: float) -> str:
    return base64.b64encode(struct.pack("<d", value)).decode()


def fill_json(fill: Any, dtype: np.dtype[Any]) -> Any:
    """A fill value as Zarr v3 writes it."""
    value = np.asarray(0 if fill is None else fill).astype(dtype.newbyteorder("=")).item()
    if isinstance(value, complex):
        return [_real_json(value.real), _real_json(value.imag)]
    return _real_json(value)


def _real_json(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def strict_json(value: Any) -> Any:
    """The value for readers that take only what JSON's standard has: NaN and infinities as text, as Zarr v3 writes them."""
    if isinstance(value, dict):
        return {name: strict_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [strict_json(each) for each in value]
    return _real_json(value) if isinstance(value, float) else value


def attributes_json(attributes: Any) -> dict[str, Any]:
    """Those of the attributes that JSON can hold, as Python writes it: with NaN and infinities. The others, references for instance, are left out."""
    found = {}
    for name, value in attributes:
        told = _pair(complex(value)) if name in OF_ELEMENTS and isinstance(value, np.complexfloating) else value
        kept = _json_able(told)
        if kept is not None or value is None:
            found[str(name)] = kept
    return found


def _json_able(value: Any) -> Any:
    """The value in Python's own types, or None if that cannot be."""
    if isinstance(value, np.ndarray):
        return _json_able(value.tolist()) if value.size <= MOST_ELEMENTS else None
    if isinstance(value, np.longdouble):  # which item() leaves as it is, as clongdouble
        return float(value) if np.isfinite(float(value)) or not np.isfinite(value) else None
    if isinstance(value, np.generic):
        return None if isinstance(value, np.clongdouble) else _json_able(value.item())
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    if isinstance(value, list | tuple):
        items = [_json_able(item) for item in value]
        return None if any(item is None and given is not None for item, given in zip(items, value, strict=True)) else items
    if isinstance(value, dict):
        return attributes_json(value.items())
    return value if isinstance(value, str | bool | int | float) else None


def keeps_type(value: Any) -> bool:
    """Whether a number, a text of fixed length, or a row of them. Text that is not ASCII is safer as Python's: h5py does not say which bytes it is made of."""
    if not isinstance(value, np.ndarray | np.generic) or value.ndim > 1 or value.dtype.kind not in KEPT:
        return False
    return value.dtype.kind != "S" or all(each.isascii() for each in np.atleast_1d(value).tolist())


def with_types(attributes: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as JSON has them, each as it is in ``typed`` where that says the same: what was changed on the way has no type."""
    return {name: typed[name] if name in typed and _said(name, typed[name]) == json.dumps(value) else value for name, value in attributes.items()}


def _said(name: str, typed: Any) -> str:
    return json.dumps(attributes_json([(name, single(typed))]).get(name))


def single(value: Any) -> Any:
    """As netCDF's readers have it: one element is no list."""
    return value[0] if isinstance(value, np.ndarray) and value.shape == (1,) else value
