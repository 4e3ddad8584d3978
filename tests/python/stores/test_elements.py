# SPDX-License-Identifier: Apache-2.0
"""Fill values and _FillValue between NumPy, JSON and xarray's form of Zarr v3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from octavo._src.stores.elements import attributes_for, fill_json, fill_of_json

NUMBERS: list[tuple[str, Any]] = [
    ("int8", -128),
    ("uint64", 2**64 - 1),
    ("float32", 1.5),
    ("float64", float("nan")),
    ("float64", float("-inf")),
    ("complex64", 2 - 3j),
    ("complex128", complex("nan+infj")),
]


@pytest.mark.parametrize(("dtype", "value"), NUMBERS)
def test_fill_there_and_back(dtype: str, value: Any) -> None:
    given = np.asarray(value, dtype)
    found = fill_of_json(fill_json(given, given.dtype), given.dtype)
    assert (found.dtype, found.tobytes()) == (given.dtype, given.tobytes())


def test_bits_of_an_unusual_nan() -> None:
    assert fill_of_json("0x7fc00001", np.dtype("f4")).tobytes() == np.uint32(0x7FC00001).tobytes()
    assert fill_of_json(None, np.dtype("f4")) is None


@pytest.mark.parametrize(("dtype", "value"), NUMBERS)
def test_missing_as_xarray_has_it(dtype: str, value: Any) -> None:
    xarray = pytest.importorskip("xarray")
    coder = xarray.backends.zarr.FillValueCoder
    kind = np.dtype(dtype)
    pair = [value.real, value.imag] if kind.kind == "c" else value
    there = attributes_for({"a": 1, "_FillValue": pair}, kind, zarr3=True)
    np.testing.assert_equal(there["_FillValue"], coder.encode(kind.type(value), kind))
    np.testing.assert_array_equal(coder.decode(there["_FillValue"], kind), kind.type(value))
    back = attributes_for(there, kind, zarr3=False)
    np.testing.assert_equal(back, {"a": 1, "_FillValue": pair})


@pytest.mark.parametrize("value", [70000, 1.5, "text", None, [1, 2], {"a": 1}, "AAAAAAAAAA=="])
def test_what_is_no_such_element_stays(value: Any) -> None:
    for zarr3 in (True, False):
        assert attributes_for({"_FillValue": value}, np.dtype("int16"), zarr3) == {"_FillValue": value}
