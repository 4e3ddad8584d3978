# SPDX-License-Identifier: Apache-2.0
"""How packed elements are decoded, beside xarray's decoding of the same numbers and attributes."""

from __future__ import annotations

import base64
import struct
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from octavo import NotSupported
from octavo._src.stores.packing import packing_of

DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", ">i2", ">f4")
FACTORS = (0.01, -2.5, 1.0, np.float64(0.01), np.float32(0.01), np.float32(3), np.array([0.5]), np.array([0.5], "f4"))
OFFSETS = (273.15, 0.0, np.float64(-5), np.float32(-5), np.array([0.5], "f4"), 7)


@st.composite
def variables(draw: st.DrawFn) -> tuple[Any, dict[str, Any]]:
    """Stored numbers, some of them missing, and the attributes that say what is meant by them, as h5py has them or as JSON does."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    kind = dtype.newbyteorder("=").type
    integer = dtype.kind in "iu"  # the floats are such as both precisions hold: xarray compares what it has rounded
    marks = [5, 0, int(np.iinfo(dtype).min)] if integer else [-999.0, 2.0**66, float("nan")]
    attributes: dict[str, Any] = {}
    if draw(st.booleans()):
        attributes["scale_factor"] = draw(st.sampled_from(FACTORS))
    if draw(st.booleans()):
        attributes["add_offset"] = draw(st.sampled_from(OFFSETS))
    typed = draw(st.booleans())
    said = [kind(each) if typed else (int(each) if integer else float(kind(each))) for each in marks]
    if draw(st.booleans()):
        attributes["_FillValue"] = draw(st.sampled_from(said))
    if draw(st.booleans()):
        attributes["missing_value"] = draw(st.sampled_from(said) | st.lists(st.sampled_from(said), min_size=1, max_size=2).map(np.array))
    if integer and dtype.isnative and draw(st.booleans()):  # of the other byte order xarray takes the missing number wrongly
        attributes["_Unsigned"] = draw(st.sampled_from(["true", "false"]))
        attributes.pop("missing_value", None)  # xarray does not convert it
    data = np.random.default_rng(draw(st.integers(0, 9))).integers(0, 100, (7, 5)).astype(dtype)
    data[1:3, ::2], data[4, 1], data[5] = kind(marks[0]), kind(marks[1]), kind(marks[2])
    return data, attributes


def decoded(data: Any, attributes: Mapping[str, Any]) -> Any:
    """By xarray, whose readers make a number of a list of one."""
    xarray = pytest.importorskip("xarray")
    attributes = {name: value[0] if np.shape(value) == (1,) else value for name, value in attributes.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        variable = xarray.Variable(("y", "x"), data, attributes)
        return xarray.conventions.decode_cf_variable("t", variable, decode_times=False).values


def unpacked(data: Any, attributes: Mapping[str, Any]) -> Any:
    packing = packing_of(attributes, data.dtype)
    stored = data.astype(data.dtype.newbyteorder("="))
    if packing is None:
        return stored
    out = np.empty(data.shape, packing.dtype)
    packing.decode(stored, out)
    return out


@settings(max_examples=200)
@given(variables())
def test_values_are_xarrays(variable: tuple[Any, dict[str, Any]]) -> None:
    data, attributes = variable
    got, want = unpacked(data, attributes), decoded(data, attributes)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=0 if got.dtype.kind in "iu" else 4 * np.finfo(got.dtype).eps)


@settings(max_examples=100)
@given(variables())
def test_the_causes_are_what_changes_a_value(variable: tuple[Any, dict[str, Any]]) -> None:
    """Without a cause no number means anything else; ``data`` has those that may be missing."""
    data, attributes = variable
    packing = packing_of(attributes, data.dtype)
    ends = [np.iinfo(data.dtype).min, np.iinfo(data.dtype).max] if data.dtype.kind in "iu" else [1, 2]
    probe = np.concatenate([data.ravel(), np.array(ends, data.dtype)])
    same = np.array_equal(unpacked(probe, attributes), probe, equal_nan=probe.dtype.kind == "f")
    assert same == (packing is None or not packing.causes)
    if packing is not None:
        assert set(packing.causes) <= set(attributes)


HARMLESS: dict[str, tuple[str, dict[str, Any]]] = {
    "nothing": ("int16", {"units": "K"}),
    "NaN in floats": ("float32", {"_FillValue": np.float32(np.nan), "missing_value": np.float32(np.nan)}),
    "base64 of NaN": ("float64", {"_FillValue": base64.b64encode(struct.pack("<d", np.nan)).decode()}),
    "NaN in integers": ("int16", {"_FillValue": np.nan}),
    "no such element": ("uint8", {"_FillValue": -999, "missing_value": 1e20}),
    "a fraction": ("int32", {"missing_value": 0.5}),
    "one and nothing": ("int32", {"scale_factor": 1.0, "add_offset": 0.0}),
    "a word": ("float32", {"missing_value": "none"}),
    "null": ("int16", {"scale_factor": None, "_FillValue": None}),
    "unsigned already": ("uint8", {"_Unsigned": "true"}),
    "unsigned floats": ("float32", {"_Unsigned": "true"}),
    "limits": ("int16", {"valid_min": 0, "valid_max": 5, "valid_range": [0, 5]}),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_changes_no_value_is_no_packing(name: str) -> None:
    dtype, attributes = HARMLESS[name]
    packing = packing_of(attributes, np.dtype(dtype))
    assert packing is None or packing.causes == {}


def test_numbers_as_json_and_netcdf_say_them() -> None:
    for value in (1e20, [1e20], base64.b64encode(struct.pack("<d", 1e20)).decode(), np.float32(1e20), np.array([1e20])):
        packing = packing_of({"_FillValue": value}, np.dtype("float32"))
        assert packing is not None and packing.missing == (np.float32(1e20),)
    packing = packing_of({"missing_value": -9999.0}, np.dtype("int16"))  # a float among integers, as many files have it
    assert packing is not None and packing.missing == (-9999,) and packing.dtype == np.float32
    packing = packing_of({"_FillValue": [1.5, "AAAAAAAAAAA="]}, np.dtype("complex64"))
    assert packing is not None and packing.missing == (1.5 + 0j,) and packing.causes == {"_FillValue": [1.5, 0.0]}, "as JSON has it"
    assert np.array_equal(np.isnan(unpacked(np.array([[1.5, 2j]], "c8"), {"_FillValue": [1.5, 0]})), [[True, False]])


def test_a_large_number_is_held_against_the_missing_one_as_it_is_stored() -> None:
    """xarray compares doubles: to it the neighbours of such a number are missing, too."""
    top = 2**63 - 1
    found = unpacked(np.array([[top, top - 1, top - 600]]), {"_FillValue": top})
    assert np.isnan(found).tolist() == [[True, False, False]]


@pytest.mark.parametrize("scale", [np.int16(10), 10, np.int64(10)])
def test_a_scale_that_is_an_integer_makes_double_precision(scale: Any) -> None:
    """xarray takes the type of the scale: 16 bits, which overflow."""
    found = unpacked(np.array([[30000, 1]], "int16"), {"scale_factor": scale, "_FillValue": 1})
    assert found.dtype == np.float64 and found[0, 0] == 300000 and np.isnan(found[0, 1])


@pytest.mark.parametrize("value", ["0.01", [1.0, 2.0], {"a": 1}, True, np.array([])])
@pytest.mark.parametrize("name", ["scale_factor", "add_offset"])
def test_a_scale_that_is_no_number_is_refused(name: str, value: Any) -> None:
    with pytest.raises(NotSupported, match=rf"{name} .*which is no number. Give unpack=False"):
        packing_of({name: value}, np.dtype("int16"))


def test_attributes_that_speak_of_the_stored_numbers_go() -> None:
    told = {"units": "K", "scale_factor": 0.5, "_FillValue": 0, "valid_range": [0, 9], "actual_range": [0.0, 4.5], "flag_values": [1, 2]}
    scaled, masked = (packing_of({name: told[name] for name in names}, np.dtype("u1")) for names in (["scale_factor"], ["_FillValue"]))
    assert scaled is not None and set(scaled.attributes(told)) == {"units", "actual_range"}
    assert masked is not None and set(masked.attributes(told)) == {"units", "valid_range", "actual_range", "flag_values"}
