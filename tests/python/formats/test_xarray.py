# SPDX-License-Identifier: Apache-2.0
"""What xarray reads from what Octavo wrote, held against what it reads from the source: values, masks, attributes, dimensions."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")
pytest.importorskip("h5netcdf")
pytestmark = pytest.mark.timeout(120)

VALUES = np.array([[0, 1.5, np.nan], [-2, 0, 250]])
ATTRIBUTES = {"units": "K", "long_name": "temperature", "limits": [1.5, 2.5], "bad": float("nan"), "most": float("inf"), "count": 3}
ENCODINGS: dict[str, dict[str, Any]] = {
    "float": {"dtype": "float32", "_FillValue": np.float32(np.nan)},
    "float-marked": {"dtype": "float64", "_FillValue": -999.5},
    "packed": {"dtype": "int16", "scale_factor": 0.5, "add_offset": 10.0, "_FillValue": np.int16(-32768)},
    "packed-zero": {"dtype": "int16", "scale_factor": 0.5, "add_offset": 10.0, "_FillValue": np.int16(0)},
}
TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "v3": ("x.zarr", {}),
    "v3-zstd": ("x.zarr", {"compressor": "zstd"}),
    "v2": ("x.zarr", {"zarr_format": 2}),
    "v2-zstd": ("x.zarr", {"zarr_format": 2, "compressor": "zstd"}),
    "h5": ("t.h5/x.zarr", {}),
    "nc-gzip": ("t.nc/x.zarr", {"compressor": "gzip"}),
    "octavo": ("t.octavo", {}),
}


def stored(folder: Path, kind: str, encoding: str) -> tuple[str, Any]:
    """Written by xarray: the path for Octavo, and what xarray reads from it."""
    given = dict(ENCODINGS[encoding])
    data = xarray.Dataset({"t": (("y", "x"), VALUES, ATTRIBUTES)})  # without coordinates: dimensions are no variables
    if kind == "netcdf":
        data.to_netcdf(folder / "s.nc", engine="h5netcdf", encoding={"t": given})
        return str(folder / "s.nc/t"), read(folder / "s.nc", "t")
    if kind == "netcdf-gzip":
        data.to_netcdf(folder / "s.nc", engine="h5netcdf", encoding={"t": {**given, "zlib": True, "chunksizes": (1, 3)}})
        return str(folder / "s.nc/t"), read(folder / "s.nc", "t")
    if kind.endswith("plain"):
        given["compressors"] = None
    data.to_zarr(folder / "s.zarr", zarr_format=int(kind[1]), consolidated=False, encoding={"t": given})
    return str(folder / "s.zarr/t"), read(folder / "s.zarr", "t")


def read(path: Path, name: str) -> Any:
    if path.suffix == ".zarr":
        return xarray.open_zarr(path, consolidated=False)[name].load()
    with xarray.open_dataset(path, engine="h5netcdf") as opened:
        return opened[name].load()


def told(attributes: Any) -> str:
    """As text: a NaN then equals itself, and a list an array."""
    return json.dumps(dict(attributes), sort_keys=True, default=lambda value: value.tolist())


def group_of(folder: Path, target: str) -> Path:
    """Where the copy goes: for Zarr into a group, as xarray opens groups only."""
    name, options = TARGETS[target]
    if name.startswith("x.zarr"):
        zarr.open_group(str(folder / "g.zarr"), mode="w", zarr_format=options.get("zarr_format", 3))
        return folder / "g.zarr"
    return folder / name.split("/")[0]


COPIES = [(target, kind, encoding) for target in ("v2", "v3", "h5") for kind in ("v2", "v3", "netcdf") for encoding in ENCODINGS]
COPIES += [(target, kind, "packed-zero") for target in TARGETS if target != "octavo" for kind in ("v2-plain", "v3-plain", "netcdf-gzip")]


@pytest.mark.parametrize(("target", "kind", "encoding"), COPIES)
def test_copy_means_the_same(target: str, kind: str, encoding: str, tmp_path: Path) -> None:
    source, expected = stored(tmp_path, kind, encoding)
    options = TARGETS[target][1]
    group = group_of(tmp_path, target)
    octavo.copy(source, group / "x.zarr", progress=False, **options).close()
    found = read(group, "x.zarr")
    assert found.dims == expected.dims == ("y", "x")
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert told(found.attrs) == told(expected.attrs)
    for key in ("scale_factor", "add_offset"):
        assert found.encoding.get(key) == expected.encoding.get(key)


@pytest.mark.parametrize("encoding", ["float", "packed-zero"])
@pytest.mark.parametrize("kind", ["v3", "netcdf"])
@pytest.mark.parametrize("target", ["v2", "v3", "h5"])
def test_copy_through_an_octavo_array(target: str, kind: str, encoding: str, tmp_path: Path) -> None:
    source, expected = stored(tmp_path, kind, encoding)
    octavo.copy(source, tmp_path / "t.octavo", progress=False).close()
    group = group_of(tmp_path, target)
    octavo.copy(tmp_path / "t.octavo", group / "x.zarr", progress=False, **TARGETS[target][1]).close()
    np.testing.assert_allclose(read(group, "x.zarr"), expected, rtol=1e-6)
    assert told(read(group, "x.zarr").attrs) == told(expected.attrs)


def test_zeros_stay_zeros_in_zarr2(tmp_path: Path) -> None:
    zarr.open_group(str(tmp_path / "g.zarr"), mode="w", zarr_format=2)
    for compressor in (None, "zstd"):
        with octavo.create_array(tmp_path / "g.zarr/x.zarr", (3,), "int32", dims=("x",), zarr_format=2, compressor=compressor, overwrite=True) as a:
            a[0] = 5
        found = read(tmp_path / "g.zarr", "x.zarr")
        assert (found.dtype, found.values.tolist()) == (np.int32, [5, 0, 0])


@pytest.mark.parametrize("kind", ["v2", "v3", "netcdf"])
@pytest.mark.parametrize("target", ["v2", "v2-zstd", "v3", "h5"])
def test_spectrum_is_not_unpacked_again(target: str, kind: str, tmp_path: Path) -> None:
    """The coefficients are those of the stored numbers; nothing of the source changes how they are read."""
    source, _ = stored(tmp_path, kind, "packed")
    group = group_of(tmp_path, target)
    octavo.fft.fftn(source, out=group / "x.zarr", progress=False, unpack=False, **TARGETS[target][1]).close()
    raw = octavo.open_array(source)[...].astype(float)
    with octavo.open_array(group / "x.zarr") as made:
        np.testing.assert_allclose(made[...], np.fft.fftn(raw), rtol=1e-12)
        assert set(made.attrs) == {"long_name", "limits", "bad", "most", "count"}
        assert made.dims == ("y", "x")
    if target != "h5":  # h5netcdf reads complex numbers only where it is told that they are not netCDF's
        found = read(group, "x.zarr")
        assert found.dims == ("y", "x")
        np.testing.assert_allclose(found, np.fft.fftn(raw), rtol=1e-12)


def test_one_element_attributes_of_hdf5(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "s.h5", "w") as f:
        data = f.create_dataset("data", (2, 2), "int16")
        data.attrs["scale_factor"] = np.array([0.5])
        data.attrs["missing_value"] = np.array([-1], "int16")
        data.attrs["pair"] = np.array([1, 2])
        data.attrs["deep"] = np.array([[1]])
        data.attrs["bad"] = np.array([np.nan, 1])
    attributes = dict(octavo.info(tmp_path / "s.h5").attrs)
    assert json.dumps(attributes.pop("bad")) == "[NaN, 1.0]"
    assert attributes == {"scale_factor": 0.5, "missing_value": -1, "pair": [1, 2], "deep": [[1]]}


NO_JSON: dict[str, Any] = {
    "one": 1 + 2j,
    "some": np.array([1j, 2]),
    "nothing": h5py.Empty("f8"),
    "large": np.arange(5000),
    "latin": np.bytes_(b"caf\xe9"),
}


def warned(call: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if "left out" in str(each.message)]


@pytest.mark.parametrize("chunks", [None, (2,)], ids=["contiguous", "chunked"])
def test_attributes_that_json_cannot_say_are_named(chunks: tuple[int, ...] | None, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "s.h5", "w") as f:
        data = f.create_dataset("g/data", data=np.ones(4), chunks=chunks)
        data.attrs.update({**NO_JSON, "here": data.ref, "said": 1, "empty text": h5py.Empty("S1")})
    calls = [lambda: octavo.info(tmp_path / "s.h5"), lambda: octavo.open_array(tmp_path / "s.h5/g/data")]
    calls += [lambda name=name: octavo.copy(tmp_path / "s.h5", tmp_path / name, progress=False).close() for name in ("t.zarr", "t.h5")]
    for call in calls:
        (told,) = warned(call)
        assert f"'{tmp_path}/s.h5/g/data'" in told
        assert sorted(told.rpartition(": ")[2].split(", ")) == sorted([*NO_JSON, "here"])
    for name in ("t.zarr", "t.h5"):
        assert dict(octavo.info(tmp_path / name).attrs) == {"said": 1, "empty text": ""}


def test_attributes_of_coordinates_that_json_cannot_say_are_named(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "s.h5", "w") as f:
        f["t"], f["x"] = np.ones((2, 3)), np.arange(3)
        f["t"].dims[1].label = "x"
        f["x"].attrs["one"] = 1j
    zarr.open_group(str(tmp_path / "g.zarr"), mode="w")
    for target in ("g.zarr/t", "t.h5/t"):
        (told,) = warned(lambda target=target: octavo.copy(tmp_path / "s.h5/t", tmp_path / target, progress=False).close())
        assert "s.h5/x' are left out" in told
        assert told.endswith(": one")


@pytest.mark.parametrize("target", ["g.zarr/data", "t.h5"])
def test_complex_fill_value_of_hdf5_stays(target: str, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "s.h5", "w") as f:
        f["data"] = np.array([1j, 2 - 3j])
        f["data"].attrs["_FillValue"] = np.array([2 - 3j])
        f["data"].dims[0].label = "x"
    zarr.open_group(str(tmp_path / "g.zarr"), mode="w")
    assert warned(lambda: octavo.copy(tmp_path / "s.h5", tmp_path / target, progress=False).close()) == []
    assert octavo.info(tmp_path / "s.h5").attrs["_FillValue"] == [2, -3]
    if target == "t.h5":
        with h5py.File(tmp_path / target) as f:
            assert f["data"].attrs["_FillValue"] == 2 - 3j
    else:
        np.testing.assert_array_equal(read(tmp_path / "g.zarr", "data").isnull(), [False, True])


def test_a_dimension_without_a_variable_has_its_own_name(tmp_path: Path) -> None:
    xarray.Dataset({"t": (("y", "x"), VALUES)}).to_netcdf(tmp_path / "s.nc", engine="h5netcdf")
    assert octavo.info(tmp_path / "s.nc").dims == ("y", "x")
    octavo.copy(tmp_path / "s.nc", tmp_path / "t.nc", progress=False).close()
    assert octavo.info(tmp_path / "t.nc").dims == ("y", "x")
    with h5py.File(tmp_path / "t.nc") as f:
        assert [f["data"].dims[axis][0].name for axis in (0, 1)] == ["/y", "/x"]
    octavo.copy(tmp_path / "s.nc", tmp_path / "t.nc", progress=False, overwrite=True).close()  # its scales are no arrays that would be lost


def test_names_that_can_be_no_scale_are_labels(tmp_path: Path) -> None:
    a = octavo.create_array(tmp_path / "t.h5/x", (2, 3, 3, 4), "float32", dims=("x", "a/b", None, "."))
    assert a.dims == ("x", "a/b", None, ".")
    a.close()
    assert octavo.info(tmp_path / "t.h5").dims == ("x", "a/b", None, ".")
