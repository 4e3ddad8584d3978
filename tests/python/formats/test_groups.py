# SPDX-License-Identifier: Apache-2.0
"""octavo.open_group, and what octavo info says of a group: what is in it, by Zarr's own library and by h5py."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import octavo
import pytest
from kit import run_command, worked

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(120)

VALUES = np.arange(20, dtype="f4").reshape(4, 5)


@pytest.fixture(params=["zarr2", "zarr3", "hdf5"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A group with an array, and within it another group that has one, and none."""
    where = tmp_path / ("g.h5" if request.param == "hdf5" else "g.zarr")
    if request.param == "hdf5":
        with h5py.File(where, "w") as file:
            file.attrs["who"] = "me"
            file["t"] = VALUES
            file["in/u"] = VALUES.T
            file["in"].attrs["bad"] = np.nan
            file.create_group("empty")
        return where
    made = zarr.open_group(str(where), mode="w", zarr_format=int(request.param[-1]), attributes={"who": "me"})
    made.create_array("t", shape=VALUES.shape, dtype="f4")[...] = VALUES
    inner = made.create_group("in", attributes={"bad": float("nan")})
    inner.create_array("u", shape=VALUES.T.shape, dtype="f4")[...] = VALUES.T
    made.create_group("empty")
    (where / "notes").mkdir()  # no Zarr
    return where


def test_a_mapping_of_what_is_there(path: Path) -> None:
    g = octavo.open_group(path)
    assert (list(g), g.keys(), len(g)) == (["empty", "in", "t"], ["empty", "in", "t"], 3)
    assert dict(g.attrs) == {"who": "me"}
    assert (g.path, g.format) == (str(path), "hdf5" if path.suffix == ".h5" else "zarr")
    assert repr(g) == f"<octavo.ArrayGroup '{path}', {g.format}: empty/, in/, t>"
    assert "in/u" in g
    assert not [each for each in ("x", "in/x", "t/x", "notes", "..", "in/../t", "") if each in g]
    assert [type(each) for _, each in g.items()] == [octavo.ArrayGroup, octavo.ArrayGroup, octavo.Array]
    assert [each.path for each in g.values()] == [f"{path}/{name}" for name in g]


def test_arrays_and_groups_within(path: Path) -> None:
    g = octavo.open_group(path, mode="r+", memory="8MiB")
    for u in (g["in/u"], g["in"]["u"], octavo.open_group(path / "in")["u"]):
        assert np.array_equal(u[...], VALUES.T)
        u.close()
    inner = g["in"]
    assert isinstance(inner, octavo.ArrayGroup)
    assert list(inner) == ["u"]
    assert np.isnan(inner.attrs["bad"])
    assert len(g["empty"]) == 0
    with g["t"] as t:
        t[0] = 7
    with octavo.open_group(path)["t"] as t:
        assert t[0].tolist() == [7] * 5
        assert not t.opening.writable


def test_what_is_not_there_is_a_key_error_that_names_what_is(path: Path) -> None:
    g = octavo.open_group(path)
    with pytest.raises(KeyError, match="holds no 'x', but empty, in, t"):
        g["x"]
    assert g.get("x") is None
    assert g.get("x", 5) == 5
    with pytest.raises(TypeError, match="5 as the name"):
        g[5]  # type: ignore[index]


def test_it_shows_what_is_there_now(path: Path) -> None:
    g = octavo.open_group(path)
    octavo.create_array(path / "later", (3,), "f8").close() if path.suffix == ".zarr" else _add(path)
    assert "later" in g
    assert len(g) == 4


def _add(path: Path) -> None:
    with h5py.File(path, "r+") as file:
        file["later"] = [1.0, 2, 3]


def test_what_is_no_group(path: Path, tmp_path: Path) -> None:
    with pytest.raises(octavo.UsageError, match=r"not a group. Open it: octavo.open_array\("):
        octavo.open_group(path / "t")
    with pytest.raises(octavo.IoError, match="Check the path"):
        octavo.open_group(tmp_path / f"none{path.suffix}")
    with pytest.raises(octavo.UsageError, match="mode 'w'"):
        octavo.open_group(path, mode="w")  # type: ignore[arg-type]
    np.save(tmp_path / "a.npy", VALUES)
    with pytest.raises(octavo.NotSupported, match="no group of Zarr or HDF5"):
        octavo.open_group(tmp_path / "a.npy")


def test_links_of_hdf5(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "g.h5", "w") as file:
        file["a/t"] = VALUES
        file["a/round"] = file["a"]
        file["soft"] = h5py.SoftLink("/a/t")
        file["gone"] = h5py.SoftLink("/nowhere")
        file["away"] = h5py.ExternalLink("other.h5", "/t")
        file["kind"] = np.dtype("f4")
    g = octavo.open_group(tmp_path / "g.h5")
    assert list(g) == ["a", "soft"]
    assert np.array_equal(g["soft"][...], VALUES)
    assert np.array_equal(g["a/round/round/t"][...], VALUES)
    assert "... and more" not in worked("info", tmp_path / "g.h5").out  # of a group within itself it ends


def test_info_shows_the_tree(path: Path) -> None:
    encoded = "".join(f", {codec}" for codec in octavo.info(path / "t").codecs)
    kind = "an HDF5 group" if path.suffix == ".h5" else "a Zarr group"
    assert worked("info", path).out.splitlines() == [
        f"{path}: {kind}",
        "  empty/",
        "  in/",
        f"    u: 5 x 4 float32, 80 B{encoded}",
        f"  t: 4 x 5 float32, 80 B{encoded}",
    ]
    found = json.loads(worked("info", path, "--json").out)
    assert found["attrs"] == {"who": "me"}
    assert list(found["members"]) == ["empty", "in", "t"]
    assert found["members"]["in"]["attrs"] == {"bad": "NaN"}
    assert found["members"]["in"]["members"]["u"]["shape"] == [5, 4]
    assert found["members"]["empty"]["members"] == {}
    assert run_command("info", path, "--shape", "4", "--dtype", "f4").status != 0  # then it is meant as a raw file


def test_info_says_what_cannot_be_opened(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "g.h5", "w") as file:
        file["t"] = VALUES
        file["text"] = ["a", "b"]
    first, second, third = worked("info", tmp_path / "g.h5").out.splitlines()
    assert (first, second) == (f"{tmp_path}/g.h5: an HDF5 group", "  t: 4 x 5 float32, 80 B")
    assert third.startswith("  text: cannot be opened: ")


def test_info_does_not_follow_links_back(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "ring.h5", "w") as file:
        file["x/a"] = [1, 2]
        file["x/soft"], file["x/hard"] = h5py.SoftLink("/x"), file["x"]
        file["z"] = [1.0]
    said = worked("info", tmp_path / "ring.h5").out.splitlines()
    back = ": a link back to a group that it lies in"
    assert said[1:] == ["  x/", "    a: 2 int64, 16 B", f"    hard/{back}", f"    soft/{back}", "  z: 1 float64, 8 B"]
    zarr.create_group(tmp_path / "ring.zarr").create_array("a", data=np.arange(2))
    encoded = "".join(f", {codec}" for codec in octavo.info(tmp_path / "ring.zarr" / "a").codecs)
    (tmp_path / "ring.zarr" / "up").symlink_to(tmp_path / "ring.zarr")
    assert worked("info", tmp_path / "ring.zarr").out.splitlines()[1:] == [f"  a: 2 int64, 16 B{encoded}", f"  up/{back}"]
