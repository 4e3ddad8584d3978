# SPDX-License-Identifier: Apache-2.0
"""Fill values: what is read where nothing was written, also beside what was written; read again by zarr-python and h5py."""

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

FILLS = {"int16": 7, "float32": float("nan"), "complex128": 2 - 3j}


def made(path: Path, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: str, fill: Any, zarr_format: int, compressor: str | None) -> Any:
    """By zarr-python; no chunk is there."""
    return zarr.create_array(str(path), shape=shape, chunks=chunks, dtype=dtype, fill_value=fill, zarr_format=zarr_format, compressors=compressor, filters=None)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("compressor", [None, "auto"], ids=["native", "library"])
@pytest.mark.parametrize("dtype", list(FILLS))
def test_part_of_a_missing_chunk(dtype: str, compressor: str | None, zarr_format: int, tmp_path: Path) -> None:
    made(tmp_path / "a.zarr", (8, 6), (4, 3), dtype, FILLS[dtype], zarr_format, compressor)
    expected = np.full((8, 6), FILLS[dtype], dtype)
    with octavo.open_array(tmp_path / "a.zarr", mode="r+") as a:
        for index in (np.s_[1, 2], np.s_[0:8:3, ::5], np.s_[6:, 1:5]):
            a[index] = 100
            expected[index] = 100
        np.testing.assert_array_equal(a[...], expected)
    np.testing.assert_array_equal(zarr.open_array(str(tmp_path / "a.zarr"), mode="r")[...], expected)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("whole", [True, False])
def test_edge_chunk_after_a_resize(whole: bool, zarr_format: int, tmp_path: Path) -> None:
    """What lies beyond the array in an edge chunk is what zarr-python puts there: a larger array has the fill value in it."""
    for writer in ("octavo", "zarr"):
        path = tmp_path / f"{writer}.zarr"
        twin = made(path, (6, 5), (4, 4), "float64", -1.5, zarr_format, None)
        index = np.s_[...] if whole else np.s_[5, 4]
        if writer == "octavo":
            with octavo.open_array(path, mode="r+") as a:
                a[index] = 3
        else:
            twin[index] = 3
        zarr.open_array(str(path), mode="r+").resize((8, 8))
    expected = np.full((8, 8), -1.5)
    expected[:6, :5][index] = 3
    for writer in ("zarr", "octavo"):
        np.testing.assert_array_equal(zarr.open_array(str(tmp_path / f"{writer}.zarr"), mode="r")[...], expected, err_msg=writer)


@pytest.mark.parametrize("dtype", list(FILLS))
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("a.zarr", {}),
        ("a.zarr", {"zarr_format": 2}),
        ("a.zarr", {"compressor": "zstd"}),
        ("a.zarr", {"compressor": "zstd", "zarr_format": 2}),
        ("a.h5", {}),
        ("a.h5", {"compressor": "gzip"}),
    ],
    ids=str,
)
def test_create_with_a_fill_value(name: str, options: dict[str, Any], dtype: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with octavo.create_array(path, (9, 5), dtype, chunks=(4, 5), fill_value=FILLS[dtype], **options) as a:
        a[3, 3] = 1
    expected = np.full((9, 5), FILLS[dtype], dtype)
    expected[3, 3] = 1
    with octavo.open_array(path) as a:
        np.testing.assert_array_equal(a[...], expected)
    if name == "a.h5":
        with h5py.File(path) as f:
            np.testing.assert_array_equal(f["data"][...], expected)
            np.testing.assert_array_equal(f["data"].fillvalue, np.asarray(FILLS[dtype], dtype))
    else:
        twin = zarr.open_array(str(path), mode="r")
        np.testing.assert_array_equal(twin[...], expected)
        np.testing.assert_array_equal(np.asarray(twin.fill_value, dtype), np.asarray(FILLS[dtype], dtype))


def test_zarr2_without_a_fill_value(tmp_path: Path) -> None:
    """0 would make each 0 missing to xarray."""
    for options in ({}, {"compressor": "zstd"}):
        octavo.create_array(tmp_path / "a.zarr", (4,), "int32", zarr_format=2, overwrite=True, **options).close()
        assert json.loads((tmp_path / "a.zarr/.zarray").read_text())["fill_value"] is None
        assert octavo.open_array(tmp_path / "a.zarr")[...].tolist() == zarr.open_array(str(tmp_path / "a.zarr"), mode="r")[...].tolist() == [0] * 4
        octavo.create_array(tmp_path / "b.zarr", (4,), "int32", zarr_format=2, fill_value=0, overwrite=True, **options).close()
        assert json.loads((tmp_path / "b.zarr/.zarray").read_text())["fill_value"] == 0


@pytest.mark.parametrize(
    ("name", "dtype", "fill", "text"),
    [
        ("a.npy", "float64", 1, "an .npy file has none"),
        ("a.octavo", "float64", 1, "an .octavo file has none"),
        ("a.zarr", "int8", 300, "is outside int8"),
        ("a.zarr", "int64", 2**70, "is outside int64"),
        ("a.h5", "uint64", -(2**70), "is outside uint64"),
        ("a.zarr", "float64", 10**400, "is outside float64"),
        ("a.zarr", "int8", 1.5, "would lose"),
        ("a.zarr", "float64", 1j, "imaginary"),
        ("a.zarr", "float64", "x", "is not one number"),
        ("a.zarr", "float64", [1, 2], "is not one number"),
    ],
)
def test_fill_values_that_are_refused(name: str, dtype: str, fill: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(octavo.UsageError, match=text):
        octavo.create_array(tmp_path / name, (4,), dtype, fill_value=fill)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.zarr", "a.h5"])
@pytest.mark.parametrize(("dtype", "fill"), [("float64", 2**70), ("float32", -(2**64)), ("complex128", 10**30), ("uint64", 2**64 - 1), ("int64", -(2**63))])
def test_a_long_integer_is_a_fill_value(name: str, dtype: str, fill: int, tmp_path: Path) -> None:
    with octavo.create_array(tmp_path / name, (4,), dtype, fill_value=fill) as a:
        assert a[...].tolist() == [np.dtype(dtype).type(fill).item()] * 4


FORMATS = {2: "v2", 3: "v3"}


@pytest.mark.parametrize("source", [2, 3])
@pytest.mark.parametrize("target", [2, 3])
@pytest.mark.parametrize("compressor", [None, "zstd"])
@pytest.mark.parametrize("fill", [7, 0, float("nan")])
def test_copy_keeps_the_fill_value(source: int, target: int, compressor: str | None, fill: Any, tmp_path: Path) -> None:
    z = made(tmp_path / "s.zarr", (6,), (4,), "float32", fill, source, None)
    z[:2] = [1, fill]
    octavo.copy(tmp_path / "s.zarr", tmp_path / "t.zarr", zarr_format=target, compressor=compressor, progress=False).close()
    found = zarr.open_array(str(tmp_path / "t.zarr"), mode="r")
    np.testing.assert_array_equal(found[...], z[...])
    if source == 3 and target == 2 and fill == 0:
        assert found.fill_value is None  # in v2 it would make zeros missing
    else:
        np.testing.assert_array_equal(np.float32(found.fill_value), np.float32(fill))


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_copy_of_a_zarr2_without_fill_value(zarr_format: int, tmp_path: Path) -> None:
    made(tmp_path / "s.zarr", (6,), (4,), "int16", None, 2, None)[:2] = [1, 2]
    octavo.copy(tmp_path / "s.zarr", tmp_path / "t.zarr", zarr_format=zarr_format, progress=False).close()
    found = zarr.open_array(str(tmp_path / "t.zarr"), mode="r")
    assert found.fill_value == (None if zarr_format == 2 else 0)
    assert dict(found.attrs) == {}


@pytest.mark.parametrize("chunks", [None, (4,)], ids=["contiguous", "chunked"])
def test_copy_keeps_the_fill_value_of_hdf5(chunks: tuple[int, ...] | None, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "s.h5", "w") as f:
        f.create_dataset("data", (6,), "int16", chunks=chunks, fillvalue=-9)[:2] = [1, 2]
    for name, options in (("t.zarr", {}), ("z.zarr", {"compressor": "zstd"}), ("t.h5", {}), ("z.h5", {"compressor": "gzip"})):
        octavo.copy(tmp_path / "s.h5", tmp_path / name, progress=False, **options).close()
        if name.endswith(".zarr"):
            found = zarr.open_array(str(tmp_path / name), mode="r")
            assert (found.fill_value, found[...].tolist()) == (-9, [1, 2, -9, -9, -9, -9])
        else:
            with h5py.File(tmp_path / name) as f:
                assert (f["data"].fillvalue, f["data"][...].tolist()) == (-9, [1, 2, -9, -9, -9, -9])


def test_transform_has_no_fill_value(tmp_path: Path) -> None:
    made(tmp_path / "s.zarr", (6,), (4,), "float64", 7, 2, None)[...] = 1
    for options in ({}, {"compressor": "zstd"}):
        octavo.fft.fftn(tmp_path / "s.zarr", out=tmp_path / "t.zarr", zarr_format=2, overwrite=True, progress=False, **options).close()
        assert json.loads((tmp_path / "t.zarr/.zarray").read_text())["fill_value"] is None
