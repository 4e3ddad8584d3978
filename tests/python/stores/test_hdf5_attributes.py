# SPDX-License-Identifier: Apache-2.0
"""Attributes on the way to HDF5, where some names are HDF5's and netCDF's own, and from it, where some types are nobody else's."""

from __future__ import annotations

import json
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import octavo
import pytest
from h5py import h5t
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo._src.paths import shown
from octavo._src.stores import create_store

zarr = pytest.importorskip("zarr")
xarray = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")
RESERVED = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_Netcdf4Coordinates", "_Netcdf4Dimid", "_NCProperties", "_nc3_strict")
ENGINES = ("h5netcdf", "netcdf4") if find_spec("netCDF4") else ("h5netcdf",)
FIELD = np.arange(20, dtype="f4").reshape(4, 5)
NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.none())
TEXTS = st.text(max_size=8)
VALUES = st.one_of(
    NUMBERS,
    TEXTS,
    st.lists(NUMBERS, max_size=4),
    st.lists(TEXTS, max_size=3),
    st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), max_size=3),
    st.recursive(st.one_of(NUMBERS, TEXTS), lambda each: st.one_of(st.lists(each, max_size=3), st.dictionaries(TEXTS, each, max_size=2)), max_leaves=6),
    st.sampled_from(["DIMENSION_SCALE", ["y", "x"], [0, 1], "x" * 70_000, list(range(20_000))]),
)
NAMES = st.one_of(st.sampled_from(RESERVED), st.sampled_from(["_FillValue", "missing_value", "valid_range", "units", "é"]), TEXTS, st.just("n" * 300))


def readers_open(file: Path, name: str) -> None:
    """Each opens it, and reads every attribute and the elements."""
    for engine in ENGINES:
        with xarray.open_dataset(file, engine=engine, decode_cf=False) as data:
            np.testing.assert_array_equal(data[name].to_numpy(), FIELD)
            assert not set(data[name].attrs) & set(RESERVED) - {"DIMENSION_LABELS"}


def made(folder: Path, attributes: dict[str, Any], through: str) -> Path:
    """A netCDF file with these attributes."""
    file = folder / "out.nc"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if through == "create":
            with octavo.create_array(file / "v", FIELD.shape, "f4", attrs=attributes, dims=("y", "x")) as a:
                a[...] = FIELD
        else:
            zarr.create_array(str(folder / "in.zarr"), data=FIELD, compressors=None, dimension_names=("y", "x"), attributes=attributes)
            octavo.copy(folder / "in.zarr", file / "v", progress=False, **({"chunks": (2, 5)} if through == "chunked" else {}))
    told = " ".join(str(each.message) for each in warned)
    for key in set(RESERVED) & set(attributes):
        assert key in told
    return file


@pytest.mark.parametrize("through", ["copy", "chunked", "create"])
def test_reserved_names_and_matrices(through: str, tmp_path: Path) -> None:
    attributes = dict(zip(RESERVED, ["DIMENSION_SCALE", "a", ["y", "x"], [0, 1], 1, "b", 2, "c", 1], strict=True))
    file = made(tmp_path, {**attributes, "affine": [[1.0, 0], [0, 2]], "ragged": [[1], [2, 3]], "plain": 3}, through)
    readers_open(file, "v")
    with h5py.File(file, "r") as opened:
        found = opened["v"].attrs
        assert json.loads(found["affine"]) == [[1.0, 0], [0, 2]]
        assert json.loads(found["ragged"]) == [[1], [2, 3]]
        assert found["plain"] == 3
    assert octavo.open_array(file / "v").dims == ("y", "x")


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_any_attributes_make_a_file_that_all_can_open(tmp_path: Path, attributes: dict[str, Any]) -> None:
    file = tmp_path / "out.nc"
    file.unlink(missing_ok=True)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        create_store("hdf5", file / "v", shape=FIELD.shape, chunks=None, dtype="f4", attributes=attributes, dimension_names=("y", "x"))
        found = octavo.open_array(file / "v").attrs
    told = " ".join(str(each.message) for each in warned)
    # A _FillValue is of the elements' type, as which it is rounded.
    silent = {key: value for key, value in attributes.items() if shown(key[:80]) not in told and key != "_FillValue"}
    assert {key: same_number(found.get(key), value) for key, value in silent.items()} == dict.fromkeys(silent, True), told
    with h5py.File(file, "r+") as opened:
        opened["v"][...] = FIELD
    readers_open(file, "v")


def same_number(found: Any, given: Any) -> bool:
    """Whether it says the same, though 1 may be 1.0, a list of one that one."""
    if isinstance(given, list) and len(given) == 1 and not isinstance(found, list):
        return same_number(found, given[0])
    if isinstance(given, list) and isinstance(found, list):
        return len(given) == len(found) and all(map(same_number, found, given))
    return bool(found == given and isinstance(found, bool) == isinstance(given, bool)) or bool(found != found and given != given)


def test_what_hdf5_cannot_hold_is_named_in_a_warning(tmp_path: Path) -> None:
    changed = {"nul": "a\0b", "half": "\ud800", "none": None, "mixed": [1, "a"], "object": {"a": 1}, "matrix": [[1], [2]], "large": 2**70, "row": [2**70, 1]}
    more = {"truth": [True, 2], "texts": ["a\0"]}
    as_they_are = {"n": 3, "t": "x", "numbers": [1, 2.5], "words": ["a", "b"], "flag": True, "u": 2**64 - 1}
    for part in (changed, more):
        zarr.create_array(str(tmp_path / "in.zarr"), data=FIELD, dimension_names=("p\0q", "y"), attributes={**part, **as_they_are}, overwrite=True)
        with pytest.warns(UserWarning, match="HDF5") as warned:
            octavo.copy(tmp_path / "in.zarr", tmp_path / "out.h5/v", progress=False, overwrite=True).close()
        texts, dimensions = sorted((str(each.message) for each in warned), key=lambda text: "dimensions" in text)
        assert texts.endswith(f"cannot hold what they say: {', '.join(part)}")
        assert texts.startswith("attributes of the HDF5 dataset '/v' become JSON text")
        assert "'/v' are left out" in dimensions
        assert dimensions.endswith(shown("p\0q"))
        with h5py.File(tmp_path / "out.h5") as opened:
            assert {name: json.loads(opened["v"].attrs[name]) for name in part} == part


ODD = ["", "a/b", ".", "x\0", "\ud800", "v", "x", "é", "a b", "n" * 300, "octavo_unnamed_1", None]


@pytest.mark.parametrize("first", ODD)
@pytest.mark.parametrize("second", ["x", None])
def test_any_names_of_dimensions_make_a_file_that_all_can_open(first: str | None, second: str | None, tmp_path: Path) -> None:
    file = tmp_path / "out.nc"
    info = create_store("hdf5", file / "v", shape=FIELD.shape, chunks=None, dtype="f4", dimension_names=(first, second))
    with h5py.File(file, "r+") as opened:
        opened["v"][...] = FIELD
    readers_open(file, "v")
    sayable = first in ("a/b", ".", "v", "x", "é", "a b", "n" * 300)
    assert (info.dimension_names or (None, None))[0] == (first if sayable else None)
    assert second != "x" or (info.dimension_names or ())[1] == "x"


def compound(*kinds: Any) -> np.dtype[Any]:
    return np.dtype([(f"f{i}", kind) for i, kind in enumerate(kinds)])


LONG: dict[str, tuple[Any, Any]] = {
    "long double": (np.longdouble(1.5), 1.5),
    "an array of them": (np.array([1.5, 2], "g"), [1.5, 2.0]),
    "too large for a double": (np.longdouble(2) ** 5000, None),
    "infinite": (np.longdouble("inf"), np.inf),
    "complex": (np.clongdouble(1 + 2j), None),
    "complex ones": (np.array([1 + 2j], "G"), None),
    "fields": (np.array((1, 2.5, 3), compound("i4", "g", "f4"))[()], [1, 2.5, 3.0]),
    "fields of an array": (np.array([(1, 2.5), (2, 3.5)], compound("i4", "g")), [[1, 2.5], [2, 3.5]]),
    "a field that is an array": (np.array((1, [2.5, 3.5]), compound("i4", ("g", (2,))))[()], [1, [2.5, 3.5]]),
    "fields of fields": (np.array(((1, 2.5),), compound(compound("i4", "g")))[()], [[1, 2.5]]),
}


@pytest.mark.parametrize("chunks", [None, (2, 5)])
def test_long_doubles_do_not_stop_the_opening(chunks: Any, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("d", data=FIELD, chunks=chunks)
        made.attrs["_FillValue"] = np.longdouble(3)
        for name, (value, _) in LONG.items():
            made.attrs[name] = value
    with pytest.warns(UserWarning, match="left out") as warned:
        a = octavo.open_array(tmp_path / "a.h5/d")
    np.testing.assert_array_equal(a[...], FIELD)
    expected = {name: value for name, (_, value) in LONG.items() if value is not None}
    assert dict(a.attrs) == {**expected, "_FillValue": 3.0}
    assert all(name in str(warned[0].message) for name, (_, value) in LONG.items() if value is None)


def test_attributes_of_any_type_do_not_stop_the_opening(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    wide = h5t.IEEE_F64LE.copy()
    wide.set_ebias(1000)
    narrow = h5t.STD_U16LE.copy()
    narrow.set_precision(12)
    enumeration = h5t.enum_create(h5t.STD_I8LE)
    enumeration.enum_insert(b"a", 1)
    kinds = [h5t.STD_I8BE, h5t.STD_U64LE, h5t.IEEE_F16LE, h5t.NATIVE_LDOUBLE, wide, narrow, enumeration, h5t.create(h5t.OPAQUE, 7), h5t.STD_B16LE]
    kinds += [h5t.C_S1.copy(), h5t.UNIX_D32LE, h5t.STD_REF_OBJ, h5t.STD_REF_DSETREG]
    kinds += [h5t.vlen_create(h5t.NATIVE_LDOUBLE), h5t.array_create(h5t.NATIVE_LDOUBLE, (2, 2))]
    for first in list(kinds):  # without arrays of `wide`, for which h5py 3.16 writes beyond its own memory
        mixed = h5t.create(h5t.COMPOUND, first.get_size() + 16)
        mixed.insert(b"r", 0, first)
        mixed.insert(b"i", first.get_size(), kinds[random.integers(4)])
        kinds.append(mixed)
    kinds.append(h5t.array_create(wide, (2,)))
    spaces = [h5py.h5s.create(h5py.h5s.SCALAR), h5py.h5s.create(h5py.h5s.NULL), h5py.h5s.create_simple((1,)), h5py.h5s.create_simple((2, 3))]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("d", data=FIELD)
        for i, kind in enumerate(kinds):
            for j, space in enumerate(spaces):
                h5py.h5a.create(made.id, f"a{i}-{j}".encode(), kind, space)
        h5py.h5a.create(made.id, b"\xff\xfe", h5t.STD_I8LE, spaces[0])
    with pytest.warns(UserWarning, match="left out"):
        a = octavo.open_array(tmp_path / "a.h5/d")
    np.testing.assert_array_equal(a[...], FIELD)
    assert json.loads(json.dumps(dict(a.attrs))).keys() == dict(a.attrs).keys()
