# SPDX-License-Identifier: Apache-2.0
"""Objects of zarr, h5py and xarray in place of a path: the array on disk that they read, or an error that says why not."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")
xarray = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")
pytestmark = [pytest.mark.timeout(120), pytest.mark.filterwarnings("ignore::UserWarning")]

FIELD = np.random.default_rng(1).normal(size=(6, 8))


def check_all_take(a: Any, path: str, folder: Path) -> None:
    """Each entry point does with the object what it does with the path."""
    assert octavo.info(a) == octavo.info(path)
    with octavo.open_array(a) as opened:
        assert opened.path == octavo.open_array(path).path
        whole = opened[...]
    assert np.array_equal(octavo.copy(a, folder / "copy.npy", progress=False)[...], whole)
    spectrum = octavo.fft.fftn(a, out=folder / "spectrum.npy", progress=False, memory="256MiB")
    want = np.fft.fftn(whole)
    assert np.allclose(spectrum[...], want, atol=1e-4)
    job = octavo.Job(a, folder / "job.npy", "ifft", memory="256MiB")
    job.run()
    assert np.allclose(octavo.open_array(folder / "job.npy")[...], np.fft.ifftn(whole), atol=1e-6)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("inside", ["", "gas/density"])
def test_a_zarr_array(tmp_path: Path, version: Any, inside: str) -> None:
    root = tmp_path / "a.zarr"
    if inside:
        made = zarr.open_group(root, mode="w", zarr_format=version).create_array(inside, data=FIELD, chunks=(3, 4))
    else:
        made = zarr.create_array(root, data=FIELD, chunks=(3, 4), zarr_format=version)
    check_all_take(made, str(root / inside) if inside else str(root), tmp_path)


@pytest.mark.parametrize("chunks", [None, (3, 4)])
def test_an_h5py_dataset(tmp_path: Path, chunks: tuple[int, ...] | None) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("gas/density", data=FIELD, chunks=chunks)
        file.create_dataset("other", data=FIELD + 1)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        check_all_take(file["gas/density"], f"{tmp_path}/a.h5/gas/density", tmp_path)


def test_a_dataset_open_for_writing_is_flushed(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("density", data=FIELD)
        made[2] = 7
        assert (octavo.open_array(made)[2] == 7).all()
        made[3] = 8
        assert (octavo.copy(made, tmp_path / "b.npy", progress=False)[3] == 8).all()


def test_a_relative_file_is_found_from_another_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    for each in (Path("a.h5"), Path("b/a.h5")):
        with h5py.File(each, "w") as file:
            file["density"] = FIELD + len(each.parts)
    with h5py.File("a.h5", "r") as file:
        monkeypatch.chdir(tmp_path / "b")
        assert np.array_equal(octavo.open_array(file["density"])[...], FIELD + 1)


@pytest.fixture
def dataset() -> Any:
    return xarray.Dataset({"t": (("x", "y"), FIELD.astype("float32"))}, coords={"x": np.arange(6)})


LAZY: dict[str, tuple[Callable[[Any, Path], Any], str]] = {
    "zarr 3": (lambda data, folder: data.to_zarr(folder / "a.zarr", zarr_format=3), "a.zarr/t"),
    "zarr 2": (lambda data, folder: data.to_zarr(folder / "a.zarr", zarr_format=2), "a.zarr/t"),
    "zarr group": (lambda data, folder: data.to_zarr(folder / "a.zarr", group="gas"), "a.zarr/gas/t"),
    "netCDF": (lambda data, folder: data.to_netcdf(folder / "a.nc", engine="h5netcdf"), "a.nc/t"),
    "netCDF group": (lambda data, folder: data.to_netcdf(folder / "a.nc", engine="h5netcdf", group="gas/hot"), "a.nc/gas/hot/t"),
    "netCDF, big-endian": (lambda data, folder: data.to_netcdf(folder / "a.nc", engine="h5netcdf", encoding={"t": {"endian": "big"}}), "a.nc/t"),
}


def opened(path: Path, inside: str = "t", **more: Any) -> Any:
    """As xarray has the variable; in the file that the first part of the path is."""
    group = str(Path(inside).parent) if "/" in inside else None
    how = {"engine": "zarr", "chunks": None} if path.suffix == ".zarr" else {"engine": "h5netcdf"}
    return xarray.open_dataset(path, group=group, **how, **more)["t"]


@pytest.mark.parametrize("kind", LAZY)
def test_a_lazy_dataarray(tmp_path: Path, dataset: Any, kind: str) -> None:
    write, path = LAZY[kind]
    write(dataset, tmp_path)
    file, _, inside = path.partition("/")
    array = opened(tmp_path / file, inside)
    for each in (array, array.rename("other"), array[:], array.transpose("x", "y")):
        assert octavo.info(each) == octavo.info(tmp_path / path)
    check_all_take(array, str(tmp_path / path), tmp_path)


CHANGED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "reversed": (lambda a: a[::-1], "a part of what its file holds"),
    "a part": (lambda a: a[:3], "a part of what its file holds"),
    "picked": (lambda a: a.isel(x=[0, 1, 2, 3, 4, 5]), "a part of what its file holds"),
    "turned": (lambda a: a.T, "turned"),
    "more": (lambda a: a + 1, "in memory"),
    "loaded": (lambda a: a.load(), "in memory"),
    "in memory": (lambda a: xarray.DataArray(FIELD, name="t"), "in memory"),
    "an axis more": (lambda a: a.expand_dims("z"), "in memory|has shape|a part"),
}


@pytest.mark.parametrize("file", ["a.zarr", "a.nc"])
@pytest.mark.parametrize("change", CHANGED)
def test_a_dataarray_that_is_not_what_the_file_holds_is_refused(tmp_path: Path, dataset: Any, file: str, change: str) -> None:
    dataset.to_zarr(tmp_path / file) if file == "a.zarr" else dataset.to_netcdf(tmp_path / file, engine="h5netcdf")
    work, words = CHANGED[change]
    array = work(opened(tmp_path / file))
    for use in (octavo.info, octavo.open_array, lambda a: octavo.fft.fftn(a, out=tmp_path / "b.npy"), lambda a: octavo.copy(a, tmp_path / "b.npy")):
        with pytest.raises((octavo.UsageError, octavo.NotSupported), match=rf"(?s)({words}).*to_zarr\('copy.zarr'\)"):
            use(array)


def test_an_assigned_dataarray_is_refused(tmp_path: Path, dataset: Any) -> None:
    dataset.to_zarr(tmp_path / "a.zarr")
    array = opened(tmp_path / "a.zarr")
    array[0, 0] = 5
    with pytest.raises(octavo.UsageError, match="loaded, computed or changed"):
        octavo.info(array)


def test_packed_and_masked_elements_are_given_undecoded_only(tmp_path: Path, dataset: Any) -> None:
    packing = {"t": {"dtype": "int16", "scale_factor": 0.01, "_FillValue": -999}}
    dataset.to_netcdf(tmp_path / "a.nc", engine="h5netcdf", encoding=packing)
    dataset.to_zarr(tmp_path / "m.zarr", zarr_format=2, encoding={"t": {"_FillValue": -1.0}})
    for file in ("a.nc", "m.zarr"):
        with pytest.raises(octavo.NotSupported, match=r"is decoded by xarray.*mask_and_scale=False"):
            octavo.copy(opened(tmp_path / file), tmp_path / "b.npy")
    assert octavo.info(opened(tmp_path / "a.nc", mask_and_scale=False)).dtype == "int16"


def of_hdf5(make: Callable[[Any], Any]) -> Callable[[Path], Any]:
    return lambda folder: make(h5py.File(folder / "a.h5", "w"))


def closed(file: Any) -> Any:
    made = file.create_dataset("a", data=FIELD)
    file.close()
    return made


def virtual(file: Any) -> Any:
    layout = h5py.VirtualLayout(FIELD.shape, "f8")
    layout[...] = h5py.VirtualSource(file.create_dataset("a", data=FIELD))
    return file.create_virtual_dataset("v", layout)


def stale(folder: Path) -> Any:
    made = zarr.create_array(folder / "a.zarr", data=FIELD)
    zarr.create_array(folder / "a.zarr", shape=(3,), dtype="float32", overwrite=True)
    return made


REFUSED: dict[str, tuple[Callable[[Path], Any], type[octavo.Error], str]] = {
    "zarr in memory": (
        lambda _: zarr.create_array(zarr.storage.MemoryStore(), data=FIELD),
        octavo.NotSupported,
        r"zarr.Array in a MemoryStore.*Copy it to disk",
    ),
    "zarr in a zip": (
        lambda folder: zarr.create_array(zarr.storage.ZipStore(folder / "a.zip", mode="w"), data=FIELD),
        octavo.NotSupported,
        r"in a ZipStore: .*local directories",
    ),
    "zarr group": (lambda folder: zarr.open_group(folder / "g.zarr", mode="w"), octavo.UsageError, r"a zarr.Group is no array.*group\['name'\]"),
    "zarr, replaced": (stale, octavo.UsageError, r"has shape \(6, 8\) and elements of type float64; '.*' holds \(3,\) float32. Open it again"),
    "hdf5, closed": (of_hdf5(closed), octavo.UsageError, r"whose file is closed"),
    "hdf5, no name": (of_hdf5(lambda file: file.create_dataset(None, data=FIELD)), octavo.UsageError, r"without a name in '.*a.h5'.*file\['name'\]"),
    "hdf5, virtual": (of_hdf5(virtual), octavo.NotSupported, r"is a virtual dataset"),
    "hdf5, empty": (of_hdf5(lambda file: file.create_dataset("e", data=h5py.Empty("f8"))), octavo.NotSupported, r"is empty"),
    "hdf5 group": (of_hdf5(lambda file: file.create_group("g")), octavo.UsageError, r"an h5py.Group is no array"),
    "hdf5 file": (of_hdf5(lambda file: file), octavo.UsageError, r"an h5py.File is no array"),
    "hdf5 in memory": (lambda _: h5py.File(io.BytesIO(), "w").create_dataset("a", data=FIELD), octavo.NotSupported, r"driver 'fileobj'"),
    "xarray dataset": (lambda _: xarray.Dataset({"t": (("x", "y"), FIELD)}), octavo.UsageError, r"an xarray.Dataset is no array"),
    "a number": (lambda _: 3, octavo.UsageError, r"of type int"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_lies_in_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    make, error, words = REFUSED[kind]
    with pytest.raises(error, match=words):
        octavo.info(make(tmp_path))


def test_what_an_object_says_is_not_said_again(tmp_path: Path) -> None:
    made = zarr.create_array(tmp_path / "a.zarr", data=FIELD)
    for use in (lambda **more: octavo.info(made, **more), lambda **more: octavo.Job(made, tmp_path / "b.npy", **more)):
        with pytest.raises(octavo.UsageError, match="Leave them out"):
            use(shape=(3,), dtype="f4")


def test_no_library_is_imported_to_look_at_an_object(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", FIELD)
    program = (
        "import sys, numpy, octavo\n"
        f"octavo.info({str(tmp_path / 'a.npy')!r}); octavo.open_array(numpy.load({str(tmp_path / 'a.npy')!r}, mmap_mode='r'))\n"
        "assert not {'zarr', 'h5py', 'xarray'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_an_open_array_is_no_target(tmp_path: Path) -> None:
    """Its path is, and the error says which."""
    given = zarr.create_array(tmp_path / "a.zarr", data=FIELD, chunks=(3, 4))
    with pytest.raises(octavo.UsageError, match=r"zarr\.Array at '.*a\.zarr'.* path of its \.store.*overwrite=True"):
        octavo.fft.fftn(given, out=given)  # type: ignore[arg-type]
    with pytest.raises(octavo.UsageError, match="the path of a target is of type zarr"):
        octavo.copy(tmp_path / "a.zarr", zarr.create_array({}, data=FIELD))
