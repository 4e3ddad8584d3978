# SPDX-License-Identifier: Apache-2.0
"""Which dataset of an HDF5 file is meant, what is said where none can be, and which coordinates it has."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import octavo
import pytest
from octavo._src.stores.hdf5 import path as hdf5_path

FIELD = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("names", [["waveforms"], ["a", "waveforms"], ["a"], []])
def test_a_search_that_stops_says_so(names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hdf5_path, "MOST_OBJECTS", 50)
    file = tmp_path / "many.h5"
    with h5py.File(file, "w") as made:
        for i in range(60):
            made.create_group(f"group{i}")
        for name in names:
            made[name] = FIELD
    with pytest.raises(octavo.UsageError, match=r"many\.h5' holds more than 50 objects, and no more were looked at. Name the dataset"):
        octavo.open_array(file)
    for name in names:
        np.testing.assert_array_equal(octavo.open_array(file / name)[...], FIELD)
    with pytest.raises(octavo.UsageError, match="more than 50 objects"):  # it would remove what was not seen
        octavo.copy(file / names[0] if names else made_beside(tmp_path), file, overwrite=True, progress=False)


def made_beside(folder: Path) -> Path:
    np.save(folder / "b.npy", FIELD)
    return folder / "b.npy"


def test_a_file_in_use_is_not_replaced(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as made:
        made["a"], made["b"] = FIELD, FIELD
    code = f"import h5py, sys; f = h5py.File({str(tmp_path / 'a.h5')!r}, 'r+'); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(octavo.IoError, match=r"a\.h5.* is open elsewhere"):
            octavo.copy(made_beside(tmp_path), tmp_path / "a.h5/a", overwrite=True, progress=False)
        other.communicate()


@pytest.mark.parametrize(
    ("head", "name", "said"),
    [(b"CDF\1", "a.nc", "nccopy -k nc4"), (b"CDF\2", "a.nc", "classic"), (b"CDF\5", "a.h5", "classic"), (b"\x0e\x03\x13\x01", "a.h5", "HDF4.*h4toh5convert")],
)
def test_an_older_format(head: bytes, name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(head + bytes(60))
    for use in (octavo.info, octavo.open_array, lambda path: octavo.Job(path, tmp_path / "b.npy")):
        with pytest.raises(octavo.NotSupported, match=said):
            use(tmp_path / name)  # type: ignore[operator]


def test_swmr(tmp_path: Path) -> None:
    """Its writer, or one that died: in a child, which opens what is left of it as another program would."""
    code = f"import h5py, os; f = h5py.File({str(tmp_path / 'a.h5')!r}, 'w', libver='latest'); f['d'] = [1.0]; f.swmr_mode = True; f.flush(); os._exit(0)"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(octavo.IoError, match=r"a\.h5.*SWMR.*h5clear -s"):
        octavo.open_array(tmp_path / "a.h5")


def write_links(file: Path) -> None:
    with h5py.File(file.parent / "inner.h5", "w") as inner:
        inner["d"] = FIELD
    (file.parent / "text.h5").write_text("no HDF5 " * 100)
    with h5py.File(file, "w") as made:
        made["d"] = FIELD
        made["soft"] = h5py.SoftLink("/nowhere/d")
        made["one"], made["two"] = h5py.SoftLink("/two"), h5py.SoftLink("/one")
        made["no file"] = h5py.ExternalLink("no.h5", "/d")
        made["no dataset"] = h5py.ExternalLink("inner.h5", "/e")
        made["no HDF5"] = h5py.ExternalLink("text.h5", "/d")
        made["group"] = h5py.SoftLink("/nowhere")
        made["good"] = h5py.ExternalLink("inner.h5", "/d")


LINKS = {
    "soft": "'soft' in '.*c.h5' is a link to '/nowhere/d', which is not there",
    "one": "'one' in '.*c.h5' is a link that leads back to itself",
    "no file": "a link to '/d' in the file 'no.h5', which is not there.*HDF5_EXT_PREFIX",
    "no dataset": "a link to '/e' in the file 'inner.h5', which does not hold it",
    "no HDF5": "a link to '/d' in the file 'text.h5'.*signature not found",
    "group/d": "'group' in '.*c.h5' is a link to '/nowhere', which is not there",
    "nothing": "there is no 'nothing' in '.*c.h5'. Name one of them: .*c.h5/d",
    "d/nothing": "there is no 'd/nothing'",
}


@pytest.mark.parametrize("name", LINKS)
def test_links_that_lead_nowhere(name: str, tmp_path: Path) -> None:
    write_links(tmp_path / "c.h5")
    with pytest.raises(octavo.IoError, match=LINKS[name]):
        octavo.open_array(tmp_path / "c.h5" / name)
    np.testing.assert_array_equal(octavo.open_array(tmp_path / "c.h5/good")[...], FIELD)


def test_external_raw_data_that_is_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with h5py.File("a.h5", "w") as made:
        made.create_dataset("d", data=FIELD, external=[("a.raw", 0, FIELD.nbytes)])
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    with pytest.raises(octavo.IoError, match=r"a\.h5.*in another file, which is not found.*HDF5_EXTFILE_PREFIX"):
        octavo.open_array("../a.h5/d")[...]
    monkeypatch.setitem(os.environ, "HDF5_EXTFILE_PREFIX", str(tmp_path))
    np.testing.assert_array_equal(octavo.open_array("../a.h5/d")[...], FIELD)


def in_the_group_above(file: Path) -> None:
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset(file, "w") as made:
        for name, extent in (("y", 3), ("x", 4)):
            made.createDimension(name, extent)
            made.createVariable(name, "f8", (name,))[:] = np.arange(extent) + 10
        made.createVariable("area", "f4", ("y", "x"))[:] = FIELD + 1
        inner = made.createGroup("model").createGroup("run")
        variable = inner.createVariable("t", "f8", ("y", "x"))
        variable[:] = FIELD
        variable.coordinates = "area"


def by_h5py(file: Path) -> None:
    with h5py.File(file, "w") as made:
        for name, extent in (("y", 3), ("x", 4)):
            made[name] = np.arange(extent) + 10.0
            made[name].make_scale(name)
        made["area"] = (FIELD + 1).astype("f4")
        inner = made.create_dataset("model/run/t", data=FIELD)
        inner.attrs["coordinates"] = "area"
        for axis, name in enumerate(("y", "x")):
            inner.dims[axis].attach_scale(made[name])
            made["area"].dims[axis].attach_scale(made[name])


@pytest.mark.parametrize("write", [in_the_group_above, by_h5py])
@pytest.mark.parametrize("target", ["out.nc/t", "out.nc/other/group/t"])
def test_coordinates_of_the_groups_above(write: Callable[[Path], None], target: str, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    write(tmp_path / "in.nc")
    octavo.copy(tmp_path / "in.nc/model/run/t", tmp_path / target, progress=False)
    with xarray.open_dataset(tmp_path / "out.nc", engine="h5netcdf", group=target.partition("/")[2].rpartition("/")[0] or None) as found:
        np.testing.assert_array_equal(found["t"].to_numpy(), FIELD)
        np.testing.assert_array_equal(found["x"].to_numpy(), np.arange(4) + 10)
        np.testing.assert_array_equal(found["y"].to_numpy(), np.arange(3) + 10)
        np.testing.assert_array_equal(found["area"].to_numpy(), FIELD + 1)
        assert set(found.coords) == {"x", "y", "area"}
