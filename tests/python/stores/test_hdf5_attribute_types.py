# SPDX-License-Identifier: Apache-2.0
"""Attributes from HDF5 to HDF5: they keep their types, which JSON has not, and xarray reads of a packed copy what it reads of the source."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import octavo
import pytest

FIELD = np.arange(20, dtype="i2").reshape(4, 5)
NUMBERS = [f"{order}{kind}" for order in "<>" for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")] + ["?", "g"]
TEXTS = ["", "K", "ü\n\x1b[31m", "a" * 300]
HOWS: dict[str, dict[str, Any]] = {"contiguous": {}, "chunked": {"compressor": "gzip"}}


def number(random: np.random.Generator, kind: str, count: int) -> Any:
    """Of any bits that the type has; finite where JSON's number is shorter than it."""
    dtype = np.dtype(kind)
    if kind == "?":
        return random.integers(0, 2, count).astype(bool)
    if kind == "g":
        return random.standard_normal(count).astype(dtype) / 3
    return np.frombuffer(random.bytes(count * dtype.itemsize), dtype)


def value(random: np.random.Generator) -> Any:
    """A scalar, or a row of 1 to 4; h5py has also what no netCDF library writes."""
    count = int(random.integers(0, 5))
    what = int(random.integers(0, 10))
    if what < 7:
        found = number(random, NUMBERS[random.integers(len(NUMBERS))], max(count, 1))
        return found if count else found[0]
    texts = [TEXTS[random.integers(len(TEXTS))] for _ in range(max(count, 1))]
    if what == 7:
        row = np.array([each.encode("ascii", "replace") for each in texts], "S300")
        return row if count else row[0]
    return np.array(texts, h5py.string_dtype()) if count else texts[0]


def same(left: Any, right: Any) -> bool:
    """By h5py: of one type, and bit for bit."""
    if isinstance(left, str) or isinstance(right, str):
        return type(left) is type(right) and bool(left == right)
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    return left.tolist() == right.tolist() if left.dtype.kind in "OSg" else left.tobytes() == right.tobytes()


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("operation", ["copy", "fft"])
@pytest.mark.parametrize("seed", range(3))
def test_attributes_keep_their_types(how: str, operation: str, seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    given = {f"a{i}": value(random) for i in range(60)}
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("t", data=FIELD)
        for name, each in given.items():
            made.attrs[name] = each
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        do = octavo.copy if operation == "copy" else octavo.fft.fftn
        do(tmp_path / "a.h5/t", out=tmp_path / "b.h5/t", progress=False, **HOWS[how]).close()
    with h5py.File(tmp_path / "a.h5") as source, h5py.File(tmp_path / "b.h5") as target:
        before, after = source["t"].attrs, target["t"].attrs
        assert set(before) == set(after)
        assert not [(name, before[name], after[name]) for name in given if not same(before[name], after[name])]


@pytest.mark.parametrize("how", HOWS)
def test_xarray_reads_a_packed_copy_as_its_source(how: str, tmp_path: Path) -> None:
    """The array's values, and those of a coordinate that goes along."""
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    packed = {"dtype": "int16", "scale_factor": np.float32(0.01), "add_offset": np.float32(273.15), "_FillValue": -32767}
    height = {"dtype": "int16", "scale_factor": np.float32(0.1), "_FillValue": -1}
    values = np.array([280.0, 281.5, np.nan], "f4")
    data = xarray.Dataset({"t": (("x",), values, {"valid_range": np.array([-5, 5], "i2")})}, {"x": [1.0, 2, 3], "h": ("x", np.float32([0.1, 0.2, 0.7]))})
    data.to_netcdf(tmp_path / "a.nc", engine="h5netcdf", encoding={"t": packed, "h": height})
    octavo.copy(tmp_path / "a.nc/t", tmp_path / "b.nc/t", progress=False, **HOWS[how]).close()
    with xarray.open_dataset(tmp_path / "a.nc") as source, xarray.open_dataset(tmp_path / "b.nc") as target:
        for name in ("t", "h"):
            assert source[name].dtype == target[name].dtype == np.float32
            np.testing.assert_array_equal(source[name].values, target[name].values)
    assert octavo.open_array(tmp_path / "b.nc/t", unpack=True).dtype == np.float32
    with h5py.File(tmp_path / "a.nc") as source, h5py.File(tmp_path / "b.nc") as target:
        for name in ("scale_factor", "add_offset", "_FillValue", "valid_range"):
            assert same(source["t"].attrs[name], target["t"].attrs[name])


@pytest.mark.parametrize(("target", "warns"), [("b.zarr", True), ("b.octavo", True), ("b.npy", False), ("b.h5", False)])
def test_a_copy_into_json_warns_of_other_values(target: str, warns: bool, tmp_path: Path) -> None:
    def warned(scale: Any, unpack: bool | None) -> list[str]:
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file.create_dataset("t", data=FIELD).attrs["scale_factor"] = scale
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            octavo.copy(tmp_path / "a.h5/t", tmp_path / target, progress=False, overwrite=True, unpack=unpack).close()
        return [str(each.message) for each in found]

    for unpack in (None, False):
        told = " ".join(warned(np.float32(0.01), unpack))
        assert all((text in told) == warns for text in ("scale_factor (float32)", "float64", "unpack=True"))
    assert not warned(np.float32(0.01), True)
    assert not warned(np.float64(0.01), None)
    assert not warned("a word", None)
