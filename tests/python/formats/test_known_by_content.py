# SPDX-License-Identifier: Apache-2.0
"""Files that say what they are: by their first bytes, whatever they are called; and what is none of Octavo's, with the cure."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
import zarr
from kit import noise, read


@pytest.mark.parametrize("name", ["a.dat", "a.raw", "a", "a.npy.bak", "A.NPY", "a.zarr"])
def test_npy_under_any_name(tmp_path: Path, name: str) -> None:
    values = noise((5, 7), "float32")
    with (tmp_path / name).open("wb") as file:
        np.save(file, values)
    assert octavo.info(tmp_path / name).format == "npy"
    with octavo.open_array(tmp_path / name, mode="r+") as a:
        np.testing.assert_array_equal(a[...], values)
        a[1] = 0
    octavo.fft.fftn(tmp_path / name, axes=(), out=tmp_path / "b.npy", progress=False).close()
    np.testing.assert_array_equal(np.load(tmp_path / "b.npy")[1], np.zeros(7))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("name", ["a.npz", "a.npy.npz"])
def test_npz_is_a_zip_of_npy_files(tmp_path: Path, save: Any, name: str) -> None:
    save(tmp_path / name, x=np.ones((2, 2)))
    with pytest.raises(octavo.NotSupported, match=r"npz' is an .npz archive, a zip file of .npy files.*Unpack it.*python -m zipfile -e"):
        octavo.info(tmp_path / name)


@pytest.mark.parametrize("name", ["s.zarr.zip", "s.zarr", "s.zip"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zarr_in_a_zip(tmp_path: Path, name: str, zarr_format: Any) -> None:
    with zarr.storage.ZipStore(tmp_path / name, mode="w") as store:
        zarr.create_array(store, data=np.ones((2, 2)), zarr_format=zarr_format)
    for work in (octavo.info, octavo.open_array, lambda path: octavo.copy(path, tmp_path / "b.npy", progress=False)):
        with pytest.raises(octavo.NotSupported, match=r"is a zip file: Zarr arrays in zip files are not read. Unpack it into a directory"):
            work(tmp_path / name)
    with zipfile.ZipFile(tmp_path / name) as archive:
        archive.extractall(tmp_path / "unpacked.zarr")
    assert octavo.info(tmp_path / "unpacked.zarr").shape == (2, 2)


@pytest.mark.parametrize("shape", [(350,), (350, 1), (1, 350), (1, 350, 1, 1), (1, 1), (), (0, 3), (3, 0, 2)])
def test_what_is_in_both_orders_is_read_though_it_says_fortran(tmp_path: Path, shape: tuple[int, ...]) -> None:
    values = noise(shape, "float64")
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": True, "shape": shape})
        file.write(values.tobytes())
    np.testing.assert_array_equal(octavo.open_array(tmp_path / "a.npy")[...], values, strict=True)


def test_fortran_order_is_read_by_its_transpose(tmp_path: Path) -> None:
    values = noise((5, 7), "complex64")
    np.save(tmp_path / "a.npy", np.asfortranarray(values))
    with pytest.raises(octavo.NotSupported, match=r"is in Fortran order.*numpy.load\(path, mmap_mode='r'\).T") as refusal:
        octavo.info(tmp_path / "a.npy")
    assert "ascontiguousarray" not in str(refusal.value), "that takes all of it into memory"
    turned: Any = np.load(tmp_path / "a.npy", mmap_mode="r").T
    octavo.copy(turned, tmp_path / "b.npy", progress=False).close()
    np.testing.assert_array_equal(read(tmp_path / "b.npy"), values.T)


TYPES = ["bfloat16", "<f16", ">f16", "<f2", "|b1", "<c32", "<M8[ns]", "|O", "|S8", "<U4", "float8_e4m3", "r16", ""]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("compressor", [None, {"id": "zstd", "level": 1}])
def test_types_that_octavo_does_not_have_are_said_to_be_that(tmp_path: Path, name: str, compressor: Any) -> None:
    about = {"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": name, "fill_value": None, "order": "C", "compressor": compressor, "filters": None}
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / ".zarray").write_text(json.dumps(about))
    with pytest.raises(octavo.NotSupported, match=r"has elements of type|is not supported") as refusal:
        octavo.info(tmp_path / "a.zarr")
    assert name in str(refusal.value) and "Convert it" in str(refusal.value) and "metadata" not in str(refusal.value)
