# SPDX-License-Identifier: Apache-2.0
"""Coordinates go along where an array is copied from a group into a group; held against what xarray reads from the source."""

from __future__ import annotations

import json
import subprocess
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
pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:.*[Cc]onsolidated metadata is currently not part"),
]

SOURCES = ("v2", "v3", "netcdf")
TARGETS: dict[str, dict[str, Any]] = {
    "v2": {},
    "v2-zstd": {"compressor": "zstd"},
    "v3": {},
    "v3-zstd": {"compressor": "zstd"},
    "nc": {},
    "nc-gzip": {"compressor": "gzip"},
}
TIMES = np.array(["2020-01-01", "2020-01-02", "2020-01-05"], "M8[ns]")
PACKED = {"t": {"dtype": "int16", "scale_factor": 0.5, "add_offset": 10.0, "_FillValue": np.int16(0)}, "lat": {"dtype": "int16", "_FillValue": np.int16(-9)}}


def climate() -> Any:
    """Time is encoded, lat is packed and has a missing element, height is one number, depth is no coordinate of t."""
    lat = np.arange(20.0).reshape(4, 5)
    lat[1, 2] = np.nan
    coords = {
        "time": ("time", TIMES, {"axis": "T"}),
        "x": ("x", np.arange(5.0) * 2.5, {"units": "m", "bad": float("nan")}),
        "lat": (("y", "x"), lat, {"units": "degrees_north"}),
        "height": ((), 2.0),
        "day": ("time", np.array([1, 2, 5], "int16")),
    }
    values = np.arange(60.0).reshape(3, 4, 5)
    values[0, 0, 1] = np.nan
    return xarray.Dataset({"t": (("time", "y", "x"), values, {"units": "K"}), "depth": ("z", np.arange(3))}, coords=coords)


def stored(folder: Path, kind: str, data: Any = None) -> Path:
    data = climate() if data is None else data
    encoding = {name: how for name, how in PACKED.items() if name in data.variables}
    if kind == "netcdf":
        data.to_netcdf(folder / "s.nc", engine="h5netcdf", encoding=encoding)
        return folder / "s.nc"
    data.to_zarr(folder / "s.zarr", zarr_format=int(kind[1]), encoding=encoding)
    return folder / "s.zarr"


def group(folder: Path, kind: str, name: str = "t") -> Path:
    """Where targets go: a Zarr group that is there, with consolidated metadata, or an HDF5 file that is not."""
    if kind.startswith("nc"):
        return folder / f"{name}.nc"
    zarr.open_group(str(folder / f"{name}.zarr"), mode="w", zarr_format=int(kind[1]))
    zarr.consolidate_metadata(str(folder / f"{name}.zarr"))
    return folder / f"{name}.zarr"


def read(path: Path) -> Any:
    if path.suffix == ".zarr":
        return xarray.open_zarr(path).load()
    with xarray.open_dataset(path, engine="h5netcdf", phony_dims=None) as opened:
        return opened.load()


def left_warnings(call: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if "coordinate" in str(each.message)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", SOURCES)
def test_copy_has_the_same_coordinates(source: str, target: str, tmp_path: Path) -> None:
    given = stored(tmp_path, source)
    made = group(tmp_path, target)
    octavo.copy(given / "t", made / "t", progress=False, **TARGETS[target]).close()
    expected, found = read(given).t, read(made).t
    assert set(found.coords) == {"time", "x", "lat", "height", "day"}
    xarray.testing.assert_identical(found.drop_attrs(), expected.drop_attrs())
    for name in ("t", *found.coords):
        one, other = (found, expected) if name == "t" else (found[name], expected[name])
        assert json.dumps(one.attrs, sort_keys=True) == json.dumps(other.attrs, sort_keys=True)  # one of them is NaN
        assert one.encoding["dtype"] == other.encoding["dtype"]
        for key in ("units", "calendar", "scale_factor", "add_offset"):
            assert one.encoding.get(key) == other.encoding.get(key)
    assert "depth" not in read(made)
    assert not list(tmp_path.glob("**/*.unfinished*"))


@pytest.mark.parametrize("target", ["v2", "v3", "nc", "nc-gzip"])
@pytest.mark.parametrize("source", SOURCES)
def test_transform_keeps_those_of_other_axes(source: str, target: str, tmp_path: Path) -> None:
    given, made = stored(tmp_path, source), group(tmp_path, target)
    octavo.fft.fftn(given / "t", axes=(-1,), out=made / "f", unpack=False, progress=False, **TARGETS[target]).close()
    if target.startswith("nc"):  # h5netcdf reads complex numbers only where it is told that they are not netCDF's
        with h5py.File(made) as opened:
            assert set(opened) == {"f", "time", "height", "day", "x", "y"}
            assert opened["x"].attrs["NAME"].startswith(b"This is a netCDF dimension but not a netCDF variable")
            assert sorted(opened["f"].attrs["coordinates"].split()) == ["day", "height"]
        return
    found = read(made).f
    assert set(found.coords) == {"time", "height", "day"}
    np.testing.assert_array_equal(found.time, TIMES)
    assert sorted(octavo.info(made / "f").attrs["coordinates"].split()) == ["day", "height"]


def test_transform_of_all_axes_has_one_without_axes(tmp_path: Path) -> None:
    made = group(tmp_path, "v3")
    octavo.fft.fftn(stored(tmp_path, "v3") / "t", out=made / "f", unpack=False, progress=False).close()
    assert set(read(made).f.coords) == {"height"}
    assert octavo.info(made / "f").attrs["coordinates"] == "height"


def test_what_is_there_stays(tmp_path: Path) -> None:
    given, made = stored(tmp_path, "v3"), group(tmp_path, "v3")
    for name, shape in (("x", 5), ("time", 7)):
        octavo.create_array(made / f"{name}.zarr", shape, "int8", dims=(name,)).close()
        (made / f"{name}.zarr").rename(made / name)
    told = left_warnings(lambda: octavo.copy(given / "t", made / "t", progress=False).close())
    assert len(told) == 1
    assert "time" in told[0]
    assert "of shape (7,) and not (3,)" in told[0]
    assert octavo.info(made / "x").dtype == octavo.info(made / "time").dtype == "int8"


def test_copy_within_the_group_of_the_source(tmp_path: Path) -> None:
    given = stored(tmp_path, "v3")
    octavo.copy(given / "t", given / "again", progress=False).close()
    found = read(given)
    assert set(found.again.coords) == set(found.t.coords)
    octavo.copy(given / "time", given / "time2", progress=False).close()  # a coordinate by itself


def test_what_cannot_go_along_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = xarray.Dataset({"t": (("s", "x"), np.ones((2, 5)))}, coords={"s": ("s", np.array(["a", "bc"], object)), "x": np.arange(5.0), "w": ("x", np.ones(5))})
    given = stored(tmp_path, "v2", data)
    monkeypatch.setattr("octavo._src.coordinates.MOST_BYTES", 39)
    for kind in ("v3", "nc"):
        made = group(tmp_path, kind)
        told = left_warnings(lambda made=made: octavo.copy(given / "t", made / "t", progress=False).close())
        assert [each.split(": ")[1] for each in told] == ["s", "x", "w"]
        assert not read(made).t.coords
    assert left_warnings(lambda: octavo.copy(given / "t", tmp_path / "alone.zarr", progress=False).close()) == []


def test_coordinate_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise octavo.IoError("the disk is full. Free some")

    given, made = stored(tmp_path, "v3"), group(tmp_path, "v3")
    monkeypatch.setattr("octavo._src.coordinates._write", fail)
    told = left_warnings(lambda: octavo.copy(given / "t", made / "t", progress=False).close())
    assert len(told) == 5
    assert all("the disk is full" in each for each in told)
    assert read(made).t.shape == (3, 4, 5)


def test_coordinate_that_cannot_be_read(tmp_path: Path) -> None:
    given = stored(tmp_path, "v3")
    next(each for each in (given / "x/c").rglob("*") if each.is_file()).write_bytes(b"damaged")
    for kind in ("v3", "nc"):
        made = group(tmp_path, kind)
        (told,) = left_warnings(lambda made=made: octavo.copy(given / "t", made / "t", progress=False).close())
        assert told.startswith("a coordinate is not copied: x: ")
        assert set(read(made).t.coords) == {"time", "lat", "height", "day"}
        assert not list(tmp_path.glob("**/*.unfinished*"))


def test_hdf5_file_with_coordinates_is_one_array(tmp_path: Path) -> None:
    given = stored(tmp_path, "netcdf", climate().drop_vars("depth"))
    with octavo.copy(given, tmp_path / "u.nc", progress=False) as made:
        assert made.shape == (3, 4, 5)
    octavo.copy(given, tmp_path / "u.nc", progress=False, overwrite=True).close()  # the new one has the same beside it
    np.save(tmp_path / "s.npy", np.ones(3))
    with pytest.raises(octavo.UsageError, match="would remove"):
        octavo.copy(tmp_path / "s.npy", tmp_path / "u.nc", progress=False, overwrite=True)
    octavo.copy(given, tmp_path / "v.nc/a/b", progress=False).close()
    with xarray.open_dataset(tmp_path / "v.nc", engine="h5netcdf", group="a") as found:
        assert set(found.b.coords) == {"time", "x", "lat", "height", "day"}


@pytest.mark.parametrize("kind", ["v2", "v3"])
def test_name_without_an_ending_in_a_group(kind: str, tmp_path: Path) -> None:
    made = group(tmp_path, kind)
    np.save(tmp_path / "s.npy", np.arange(6).reshape(2, 3))
    octavo.copy(tmp_path / "s.npy", made / "t2.m", progress=False).close()  # of the group's version
    octavo.copy(tmp_path / "s.npy", made / "t2.m", progress=False, overwrite=True).close()
    found = zarr.open_group(str(made), mode="r")
    assert found["t2.m"].metadata.zarr_format == int(kind[1])
    assert found["t2.m"][...].tolist() == [[0, 1, 2], [3, 4, 5]]
    octavo.copy(tmp_path / "s.npy", made / "t2.m", progress=False, overwrite=True, compressor="zstd").close()
    found = zarr.open_group(str(made), mode="r")
    assert found["t2.m"].metadata.zarr_format == int(kind[1])
    assert "zstd" in str(found["t2.m"].metadata).lower()
    assert found["t2.m"][...].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert sorted(each.name for each in made.iterdir() if "t2" in each.name) == ["t2.m"]
    with pytest.raises(octavo.UsageError, match="exists"):
        octavo.copy(tmp_path / "s.npy", made / "t2.m", progress=False)
    with pytest.raises(octavo.IoError, match=r"Make it first: zarr\.open_group"):
        octavo.copy(tmp_path / "s.npy", tmp_path / "none.zarr/t", progress=False)


def test_command(octavo_command: str, tmp_path: Path) -> None:
    given, made = stored(tmp_path, "v2"), group(tmp_path, "v2")
    done = subprocess.run([octavo_command, "copy", given / "t", made / "t", "--quiet"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    xarray.testing.assert_identical(read(made).t.drop_attrs(), read(given).t.drop_attrs())
    octavo.create_array(tmp_path / "t.zarr/short.zarr", 2, "int8", dims=("x",), zarr_format=2).close()
    zarr.open_group(str(tmp_path / "u.zarr"), mode="w", zarr_format=2)
    (tmp_path / "t.zarr/short.zarr").rename(tmp_path / "u.zarr/x")
    done = subprocess.run([octavo_command, "copy", given / "t", tmp_path / "u.zarr/t", "--quiet"], capture_output=True, text=True, check=True)
    assert done.stderr == f"octavo: a coordinate is not copied: x: '{tmp_path}/u.zarr/x' is there, of shape (2,) and not (5,)\n"
