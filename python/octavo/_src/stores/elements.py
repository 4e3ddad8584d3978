# SPDX-License-Identifier: Apache-2.0
"""Element types, fill values and attributes: which of them Octavo has, converts, and can say in JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from octavo.errors import NotSupported

NAMES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")
MOST_ELEMENTS = 4096  # of an attribute that is an array


def supported(dtype: np.dtype[Any], where: str) -> np.dtype[Any]:
    """The dtype itself, if Octavo has it."""
    if dtype.newbyteorder("=").name not in NAMES or dtype.subdtype is not None:
        raise unsupported(str(dtype), where)
    return dtype


def unsupported(name: str, where: str) -> NotSupported:
    """The error for an element type that Octavo does not have."""
    return NotSupported(f"{where} has elements of type {name}. Convert it first, with NumPy's astype say, to one of {', '.join(NAMES)}")


def check_conversion(source: np.dtype[Any], target: np.dtype[Any], where: str) -> None:
    """S-5. The same rule as in src/data/io/convert_rows.cpp."""
    source, target = source.newbyteorder("="), target.newbyteorder("=")
    supported(source, where)
    supported(target, where)
    if source == target or (target.kind in "fc" and (source.kind != "c" or target.kind == "c")):
        return
    cure = "Choose a complex type: the imaginary part would be lost" if source.kind == "c" else "Choose the same type, or a floating or complex one"
    raise NotSupported(f"{where}: converting {source} to {target}. {cure}")


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


def attributes_json(attributes: Any) -> dict[str, Any]:
    """Those of the attributes that JSON can hold; the others, references and NaN for instance, are left out."""
    found = {}
    for name, value in attributes:
        kept = _json_able(value)
        if kept is not None or value is None:
            found[str(name)] = kept
    return found


def _json_able(value: Any) -> Any:
    """The value in Python's own types, or None if that cannot be."""
    if isinstance(value, np.ndarray):
        return _json_able(value.tolist()) if value.size <= MOST_ELEMENTS else None
    if isinstance(value, np.generic):
        return _json_able(value.item())
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
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | bool | int) else None
