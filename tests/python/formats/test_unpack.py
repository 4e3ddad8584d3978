# SPDX-License-Identifier: Apache-2.0
"""Packed and missing values (scale_factor, add_offset, _FillValue, missing_value, _Unsigned), written by xarray: Octavo reads, reduces, transforms and copies
the values that xarray reads, and takes stored numbers for values only where it was told to."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from kit import run_command, worked
from octavo._src.sources import open_source
from octavo._src.stores import open_store

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")
pytest.importorskip("h5netcdf")
pytestmark = [pytest.mark.timeout(120), pytest.mark.filterwarnings("ignore")]

KINDS = ("v3", "v2", "netcdf", "netcdf-gzip", "v3-plain", "v2-plain")
LIMITS = {"int8": 100, "int16": 30000, "int32": 30000, "uint8": 200, "uint16": 60000, "float32": 30000, "float64": 30000}
PACKED = {"dtype": "int16", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32767}


def random_encoding(random: np.random.Generator) -> dict[str, Any]:
    """What xarray is told to store by."""
    dtype = str(random.choice(list(LIMITS)))
    chosen: dict[str, Any] = {"dtype": dtype}
    if random.random() < 0.7:
        chosen["scale_factor"] = [0.01, np.float32(0.02), np.float64(-2.5)][random.integers(3)]
    if random.random() < 0.6:
        chosen["add_offset"] = [273.15, np.float32(-5), np.float64(1)][random.integers(3)]
    kind = np.dtype(dtype)
    mark = kind.type(np.iinfo(kind).max - 1 if kind.kind in "iu" else -999)
    for name in ("_FillValue", "missing_value"):
        if random.random() < 0.6:
            chosen[name] = mark
    if kind.kind == "i" and "_FillValue" in chosen and random.random() < 0.4:
        chosen["_Unsigned"] = "true"
    return chosen


def write(folder: Path, kind: str, encoding: dict[str, Any], shape: tuple[int, ...] = (9, 7), seed: int = 0) -> tuple[str, Any]:
    """A variable that the encoding holds, and NaN where it can be missing: its path, and what xarray reads."""
    random = np.random.default_rng(seed)
    limit = LIMITS[encoding["dtype"]] - 10
    data = random.integers(0, limit, shape) * float(encoding.get("scale_factor", 1)) + float(encoding.get("add_offset", 0))
    if "_FillValue" in encoding or "missing_value" in encoding:
        data = np.where(random.random(shape) < 0.3, np.nan, data)
    given, attributes = dict(encoding), {"long_name": "temperature", "valid_min": 0}
    file = folder / ("s.nc" if kind.startswith("netcdf") else "s.zarr")
    chunks = tuple(max(1, extent // 2) for extent in shape)
    dataset = xarray.Dataset({"t": (("y", "x")[: len(shape)], data, attributes)})
    if kind.startswith("netcdf"):
        dataset.to_netcdf(file, engine="h5netcdf", encoding={"t": {**given, **({"zlib": True, "chunksizes": chunks} if kind == "netcdf-gzip" else {})}})
    else:
        more = {"compressors": None} if kind.endswith("plain") else {}
        dataset.to_zarr(file, zarr_format=int(kind[1]), consolidated=False, mode="w", encoding={"t": {**given, "chunks": chunks, **more}})
    return f"{file}/t", values(file)


def values(file: Path, name: str = "t", **more: Any) -> Any:
    """What xarray reads."""
    how = {"engine": "h5netcdf"} if file.suffix == ".nc" else {"engine": "zarr", "chunks": None, "consolidated": False}
    with xarray.open_dataset(file, **how, **more) as opened:
        return opened[name].values


def assert_same(got: Any, want: Any) -> None:
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=4 * np.finfo(want.dtype).eps if want.dtype.kind == "f" else 0)


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_xarrays(kind: str, tmp_path: Path) -> None:
    """Of many encodings, by the store that serves them; in this process."""
    random = np.random.default_rng(KINDS.index(kind))
    packed = 0
    for seed in range(15):
        (folder := tmp_path / str(seed)).mkdir()
        path, want = write(folder, kind, random_encoding(random), seed=seed)
        found = open_source(path, unpack=True)
        assert found.dtype == want.dtype.name
        if found.format != "store" or "unpack" not in json.loads(found.spec):  # there is nothing to decode
            assert_same(octavo.open_array(path)[...], want)
            continue
        packed += 1
        store = open_store({name: each for name, each in json.loads(found.spec).items() if name != "writable"}, writable=False)
        whole, part = np.empty(want.shape, want.dtype), np.empty((4, 3), want.dtype)
        store.read((0, 0), whole)
        store.read((2, 1), part)
        store.close()
        assert_same(whole, want)
        assert_same(part, want[2:6, 1:4])
    assert packed >= 8


@pytest.mark.parametrize("kind", ["v3", "v2-plain", "netcdf"])
def test_all_that_takes_an_array_takes_its_values(kind: str, tmp_path: Path) -> None:
    encoding = {**PACKED, "scale_factor": np.float32(0.01), "add_offset": np.float32(273.15)} if kind == "netcdf" else PACKED
    path, want = write(tmp_path, kind, encoding)
    with octavo.open_array(path, unpack=True) as a:
        assert a.dtype == want.dtype and dict(a.packed) == {} and dict(a.attrs) == {"long_name": "temperature"} and a.dims == ("y", "x")
        assert_same(a[...], want)
        assert_same(a[::-2, 3], want[::-2, 3])
        assert np.isclose(a.nanmean(), np.nanmean(want)) and np.isnan(a.mean())
        np.testing.assert_allclose(a.T.nanmax(axis=0), np.nanmax(want, axis=1))
        with octavo.copy(a, tmp_path / "copy.zarr", memory="96MiB", progress=False) as made:
            assert_same(made[...], want)
            assert dict(made.attrs) == {"long_name": "temperature"} and np.isclose(made.nanmean(), np.nanmean(want))
    spectrum = octavo.fft.fftn(path, axes=(0,), out=tmp_path / "f.npy", memory="96MiB", unpack=True, progress=False)
    np.testing.assert_allclose(spectrum[...], np.fft.fft(want, axis=0), rtol=1e-5, atol=1e-2 if want.dtype == np.float32 else 1e-9)
    assert spectrum.dtype == np.result_type(want.dtype, np.complex64)


def test_a_copy_of_values_is_what_xarray_reads(tmp_path: Path) -> None:
    path, want = write(tmp_path, "netcdf-gzip", PACKED)
    zarr.open_group(str(tmp_path / "g.zarr"), mode="w", zarr_format=2)
    for name, options in (("g.zarr", {"zarr_format": 2}), ("t.nc", {})):
        octavo.copy(path, tmp_path / name / "t", unpack=True, progress=False, memory="96MiB", **options).close()
        assert_same(values(tmp_path / name), want)
        assert_same(values(tmp_path / name, mask_and_scale=False), want)


USES: dict[str, Callable[[Any, Path], Any]] = {
    "fft": lambda a, folder: octavo.fft.fftn(a, out=folder / "o.npy", progress=False),
    "ifft": lambda a, folder: octavo.fft.ifftn(a, out=folder / "o.npy", progress=False),
    "job": lambda a, folder: octavo.Job(a, folder / "o.npy"),
    **{name: lambda a, _, name=name: getattr(octavo.open_array(a), name)() for name in ("sum", "mean", "min", "max", "var", "std", "nanmean", "nanmin")},
    "numpy": lambda a, _: np.mean(octavo.open_array(a)),
    "a view": lambda a, _: octavo.open_array(a).T.astype("float64").sum(axis=0),
}
CURES = r"(?s)is packed \(scale_factor 0\.01, add_offset 273\.15, _FillValue -32767\).*unpack=True for the values.*unpack=False for the stored numbers"


@pytest.mark.parametrize("kind", KINDS)
def test_stored_numbers_are_not_taken_for_values(kind: str, tmp_path: Path) -> None:
    path, _ = write(tmp_path, kind, PACKED)
    there = {each.name for each in tmp_path.iterdir()}
    for use in USES.values():
        with pytest.raises(octavo.UsageError, match=CURES):
            use(path, tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == there


ONE_BY_ONE: dict[str, dict[str, Any]] = {
    "scale_factor": {"dtype": "int32", "scale_factor": 0.5},
    "add_offset": {"dtype": "float32", "add_offset": 1.0},
    "_FillValue": {"dtype": "float32", "_FillValue": np.float32(-999)},
    "missing_value": {"dtype": "int32", "missing_value": np.int32(-1)},
}


@pytest.mark.parametrize("kind", ["v3", "v2", "netcdf"])
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_each_attribute_is_enough(kind: str, name: str, tmp_path: Path) -> None:
    path, want = write(tmp_path, kind, ONE_BY_ONE[name])
    assert set(octavo.info(path).packed) == {name} == set(octavo.open_array(path).packed)
    with pytest.raises(octavo.UsageError, match=rf"is packed \({name} "):
        octavo.Job(path, tmp_path / "o.npy")
    assert octavo.Job(path, tmp_path / "o.npy", unpack=True).dtype == np.result_type(want.dtype, np.complex64).name


def test_stored_numbers_where_they_are_meant(tmp_path: Path) -> None:
    path, _ = write(tmp_path, "v3", PACKED)
    stored = values(tmp_path / "s.zarr", mask_and_scale=False)
    with octavo.open_array(path) as a:
        assert np.array_equal(a[...], stored) and np.array_equal(np.asarray(a), stored), "an index reads what is stored"
        assert "packed: scale_factor, add_offset, _FillValue" in repr(a) and "scale_factor 0.01" in a._repr_html_()
    with octavo.open_array(path, unpack=False) as a:
        assert a.mean() == stored.mean() and pickle.loads(pickle.dumps(a)).sum() == stored.sum()
        spectrum = octavo.fft.fftn(a, out=tmp_path / "f.zarr", progress=False)
    np.testing.assert_allclose(spectrum[...], np.fft.fftn(stored))
    assert octavo.Job(spectrum, tmp_path / "b.zarr", "ifft").dtype == "complex128" and np.isfinite(spectrum.sum()), "it is not packed"
    with octavo.copy(path, tmp_path / "c.zarr", progress=False) as same:
        assert np.array_equal(same[...], stored) and same.attrs["scale_factor"] == 0.01
        with pytest.raises(octavo.UsageError, match=CURES):
            same.mean()
    assert octavo.copy(path, tmp_path / "d.zarr", unpack=False, progress=False).mean() == stored.mean()


def test_an_array_of_values_stays_one(tmp_path: Path) -> None:
    path, want = write(tmp_path, "netcdf", PACKED)
    a = octavo.open_array(path, unpack=True)
    assert_same(pickle.loads(pickle.dumps(a))[...], want)
    assert octavo.open_array(a).dtype == octavo.open_array(a, unpack=True).dtype == want.dtype and octavo.open_array(a, unpack=False).dtype == np.int16
    with octavo.open_array(a, mode="r+") as stored:
        assert stored.dtype == np.int16
    with octavo.create_array(tmp_path / "b.zarr", want.shape, "float64") as b:
        b[...] = a
        assert_same(b[...], want)
    for call in (lambda: octavo.open_array(path, mode="r+", unpack=True), lambda: a.write(..., 0)):
        with pytest.raises(octavo.UsageError, match=r"packed again|opened for reading"):
            call()


def test_what_is_not_packed_is_as_before(tmp_path: Path) -> None:
    path, want = write(tmp_path, "v3-plain", {"dtype": "float32"})
    with octavo.open_array(path, unpack=True) as a:
        assert a.dtype == np.float32 and np.array_equal(a[...], want) and a.mean() == octavo.open_array(path).mean()
    assert open_source(path, unpack=True).format == "zarr", "nothing decodes it"
    np.save(tmp_path / "a.npy", want)
    assert octavo.open_array(tmp_path / "a.npy", unpack=True).sum() == octavo.open_array(tmp_path / "a.npy").sum()
    zarr.create_array(tmp_path / "z.zarr", data=np.arange(5), zarr_format=2)  # with fill_value 0, as all that zarr-python makes have
    assert octavo.open_array(tmp_path / "z.zarr").sum() == 10
    for wrong in ("yes", 1):
        with pytest.raises(octavo.UsageError, match=f"unpack {wrong!r}. It is True"):
            octavo.open_array(path, unpack=wrong)  # type: ignore[arg-type]


def test_an_octavo_array_is_unpacked_as_a_copy(tmp_path: Path) -> None:
    path, want = write(tmp_path, "v3", PACKED)
    octavo.copy(path, tmp_path / "o.octavo", progress=False).close()
    with pytest.raises(octavo.UsageError, match=CURES):
        octavo.open_array(tmp_path / "o.octavo").mean()
    with pytest.raises(octavo.NotSupported, match=r"Octavo unpacks Zarr and HDF5\. Copy it first"):
        octavo.open_array(tmp_path / "o.octavo", unpack=True)
    octavo.copy(tmp_path / "o.octavo", tmp_path / "x.zarr", progress=False).close()
    assert_same(octavo.open_array(tmp_path / "x.zarr", unpack=True)[...], want)


@pytest.mark.parametrize("kind", ["v2", "netcdf"])
def test_of_xarray_what_it_shows(kind: str, tmp_path: Path) -> None:
    path, want = write(tmp_path, kind, PACKED)
    file = Path(path).parent
    how: dict[str, Any] = {"engine": "h5netcdf"} if kind == "netcdf" else {"engine": "zarr", "chunks": None, "consolidated": False}
    with pytest.raises(octavo.NotSupported, match=r"is decoded by xarray.*unpack=True.*mask_and_scale=False"):
        octavo.open_array(xarray.open_dataset(file, **how)["t"])
    raw = xarray.open_dataset(file, **how, mask_and_scale=False)["t"]
    assert octavo.open_array(raw).sum() == values(file, mask_and_scale=False).sum()  # asked for there: no need to say it again
    assert_same(octavo.open_array(raw, unpack=True)[...], want)
    shown = zarr.open_array(path) if kind != "netcdf" else h5py.File(file)["t"]
    with pytest.raises(octavo.UsageError, match=CURES):
        octavo.Job(shown, tmp_path / "o.npy")


@pytest.mark.parametrize("version", [2, 3])
def test_a_value_that_was_the_fill_value_is_not_missing(version: Any, tmp_path: Path) -> None:
    """Zarr v3 has a 0 for what was never written, of which nothing is missing; in v2 the fill value would say so of each value that was a 0."""
    made = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3).create_array(
        "t", data=np.arange(6, dtype="int16"), attributes={"scale_factor": 0.5, "add_offset": 7.0}, dimension_names=("x",)
    )
    assert made.fill_value == 0
    zarr.open_group(tmp_path / "g.zarr", mode="w", zarr_format=version)
    octavo.copy(tmp_path / "s.zarr/t", tmp_path / "g.zarr/t", unpack=True, zarr_format=version, progress=False).close()
    assert values(tmp_path / "g.zarr").tolist() == [7, 7.5, 8, 8.5, 9, 9.5]


def test_a_scalar_and_what_was_never_written(tmp_path: Path) -> None:
    path, want = write(tmp_path, "netcdf", {**PACKED}, shape=())
    assert_same(np.asarray(octavo.open_array(path, unpack=True)[()]), np.asarray(want))
    made = zarr.open_group(tmp_path / "g.zarr", mode="w", zarr_format=3).create_array(
        "t", shape=(40, 6), chunks=(8, 6), dtype="int16", fill_value=-1, attributes={"scale_factor": 0.5, "_FillValue": -1}, dimension_names=("y", "x")
    )
    made[8:16] = 4
    with octavo.open_array(tmp_path / "g.zarr/t", unpack=True) as a:
        assert a.nansum() == 8 * 6 * 2 and np.isnan(a[:8]).all()
        with octavo.copy(a, tmp_path / "c.zarr", chunks=(4, 6), progress=False) as copied:
            assert_same(copied[...], a[...])
        assert np.isnan(zarr.open_array(tmp_path / "c.zarr").fill_value)


def test_the_command_line(tmp_path: Path) -> None:
    path, want = write(tmp_path, "netcdf", PACKED)
    assert "packed: scale_factor 0.01, add_offset 273.15, _FillValue -32767. octavo copy --unpack" in worked("info", path).out
    refused = run_command("fft", path, tmp_path / "f.npy").paragraph()
    assert "--unpack for the values" in refused and "--no-unpack for the stored numbers" in refused
    worked("copy", path, tmp_path / "c.npy", "--unpack", "--quiet")
    assert_same(np.load(tmp_path / "c.npy"), want)
    worked("fft", path, tmp_path / "f.npy", "--no-unpack", "--quiet")
    np.testing.assert_allclose(np.load(tmp_path / "f.npy"), np.fft.fftn(values(tmp_path / "s.nc", mask_and_scale=False)))
