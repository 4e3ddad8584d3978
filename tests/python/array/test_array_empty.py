# SPDX-License-Identifier: Apache-2.0
"""Arrays without dimensions, which have one element, and arrays without elements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")
pytestmark = pytest.mark.timeout(120)

KINDS = ["npy", "zarr", "zarr2", "zstd", "h5"]


def stored(folder: Path, kind: str, values: Any) -> Path:
    """By the format's own library."""
    array = np.asarray(values)
    path = folder / f"a.{kind if kind in ('npy', 'h5') else 'zarr'}"
    if kind == "npy":
        np.save(path, array)
    elif kind == "h5":
        with h5py.File(path, "w") as f:
            f["data"] = array
    else:
        compressors = "auto" if kind == "zstd" else None
        chunks = tuple(max(1, extent) for extent in array.shape)
        more = {"zarr_format": 2 if kind == "zarr2" else 3, "compressors": compressors, "filters": None}
        zarr.create_array(str(path), shape=array.shape, chunks=chunks, dtype=array.dtype, **more)[...] = array
    return path


def read_again(path: Path) -> Any:
    """By the format's own library."""
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".h5":
        with h5py.File(path) as f:
            return f["data"][()]
    return np.asarray(zarr.open_array(str(path), mode="r")[...])


@pytest.mark.parametrize("kind", KINDS)
def test_one_element_without_dimensions(kind: str, tmp_path: Path) -> None:
    path = stored(tmp_path, kind, np.float64(2.5))
    with octavo.open_array(path, mode="r+") as a:
        assert (a.shape, a.ndim, a.size, a.nbytes) == ((), 0, 1, 8)
        assert a[()] == 2.5
        assert isinstance(a[()], np.float64)
        assert np.asarray(a).shape == ()
        assert np.asarray(a) == 2.5
        a[...] = 7
        assert a[()] == 7
        a[()] = np.int16(-3)
        assert a.read(dtype="complex128") == -3
        with pytest.raises(TypeError, match="0-d"):
            iter(a)
    assert read_again(path) == -3
    for work in (lambda: octavo.fft.fftn(path, out=tmp_path / "t.npy"), lambda: octavo.copy(path, tmp_path / "t.npy")):
        with pytest.raises(octavo.UsageError, match=r"without dimensions, one element: there is no axis to (transform|copy)"):
            work()


@pytest.mark.parametrize(
    ("name", "options"),
    [("a.npy", {}), ("a.raw", {}), ("a.zarr", {}), ("a.zarr", {"zarr_format": 2}), ("a.zarr", {"compressor": "zstd"}), ("a.h5", {})],
    ids=str,
)
def test_made_without_dimensions(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    with octavo.create_array(tmp_path / name, (), "int32", **options) as a:
        assert a[()] == 0
        a[()] = 5
        assert a[...].shape == ()
        assert a[()] == 5
    if name != "a.raw":
        assert read_again(tmp_path / name) == 5
    else:
        assert (tmp_path / name).read_bytes() == np.int32(5).tobytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(0,), (4, 0, 3)])
def test_no_elements(shape: tuple[int, ...], kind: str, tmp_path: Path) -> None:
    path = stored(tmp_path, kind, np.zeros(shape, "float32"))
    with octavo.open_array(path, mode="r+") as a:
        assert (a.shape, a.size, a.nbytes, len(a)) == (shape, 0, 0, shape[0])
        assert a[...].shape == shape
        assert a[...].dtype == np.float32
        assert np.asarray(a).shape == shape
        a[...] = 3
        a[:0] = np.ones((0, *shape[1:]))
    assert read_again(path).shape == shape
    assert octavo.info(path).shape == shape
    for work in (lambda: octavo.fft.fftn(path, out=tmp_path / "t.npy"), lambda: octavo.copy(path, tmp_path / "t.npy")):
        with pytest.raises(octavo.UsageError, match=r"has no elements to (transform|copy)"):
            work()


@pytest.mark.parametrize("name", ["a.npy", "a.raw", "a.zarr", "a.h5"])
def test_made_without_elements(name: str, tmp_path: Path) -> None:
    with octavo.create_array(tmp_path / name, (3, 0), "int32") as a:
        assert a[...].shape == (3, 0)
    if name == "a.raw":
        assert (tmp_path / name).read_bytes() == b""
        assert octavo.open_array(tmp_path / name, shape=(3, 0), dtype="int32")[...].shape == (3, 0)
    else:
        assert read_again(tmp_path / name).shape == (3, 0)
    if name == "a.zarr":
        assert json.loads((tmp_path / name / "zarr.json").read_text())["shape"] == [3, 0]


def test_planning_names_the_dataset(tmp_path: Path) -> None:
    """Of an HDF5 dataset in one piece, which Octavo reads itself from its file."""
    with h5py.File(tmp_path / "a.h5", "w") as f:
        f.create_dataset("g/one", data=np.float64(1))
        f.create_dataset("g/line", data=np.arange(3.0))
    for name, options in (("one", {}), ("line", {"axes": [1]}), ("line", {"memory": 1000})):
        with pytest.raises((octavo.UsageError, octavo.Refused), match=rf"^planning the transform of '{tmp_path}/a\.h5/g/{name}': "):
            octavo.fft.fftn(tmp_path / "a.h5/g" / name, out=tmp_path / "t.npy", progress=False, **options)
    with h5py.File(tmp_path / "a.h5", "a") as f:
        del f["g/line"]
    with pytest.raises(octavo.UsageError, match=r"of '[^']*/a\.h5': "):
        octavo.copy(tmp_path / "a.h5", tmp_path / "t.npy")


def test_octavo_arrays_need_an_element(tmp_path: Path) -> None:
    with pytest.raises(octavo.UsageError, match="has a zero extent: it has no elements"):
        octavo.create_array(tmp_path / "a.octavo", (3, 0), "int32")
    with pytest.raises(octavo.NotSupported, match="without a dimension") as refusal:
        octavo.create_array(tmp_path / "a.octavo", (), "int32")
    assert f"'{tmp_path}/a.octavo'" in str(refusal.value)
    assert "unfinished" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
