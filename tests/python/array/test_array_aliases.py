# SPDX-License-Identifier: Apache-2.0
"""Assigning an array to a part of itself is refused by whatever name or mapping the value has it: it would be overwritten before it is read."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

h5py = pytest.importorskip("h5py")
FIELD = np.arange(36.0).reshape(6, 6)


def soft(folder: Path) -> Path:
    with h5py.File(folder / "a.h5", "r+") as file:
        file["soft"] = h5py.SoftLink("/d")
    return folder / "a.h5/soft"


def hard(folder: Path) -> Path:
    with h5py.File(folder / "a.h5", "r+") as file:
        file["group/hard"] = file["d"]
    return folder / "a.h5/group/hard"


def symbolic(folder: Path) -> Path:
    (folder / "b.h5").symlink_to("a.h5")
    return folder / "b.h5/d"


def linked(folder: Path) -> Path:
    (folder / "c.h5").hardlink_to(folder / "a.h5")
    return folder / "c.h5/d"


def group_link(folder: Path) -> Path:
    with h5py.File(folder / "a.h5", "r+") as file:
        file["also"] = h5py.SoftLink("/")
    return folder / "a.h5/also/also/d"


@pytest.mark.parametrize("name", [soft, hard, symbolic, linked, group_link])
@pytest.mark.parametrize("chunks", [None, (2, 3)])
def test_another_name_of_the_dataset(name: Callable[[Path], Path], chunks: Any, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=FIELD, chunks=chunks)
        file.create_dataset("other", data=-FIELD)
    other = name(tmp_path)
    with octavo.open_array(tmp_path / "a.h5/d", mode="r+") as a:
        if chunks is None:
            with octavo.open_array(other) as b, octavo.open_array(tmp_path / "a.h5/other") as c:
                for value in (b, b.T, b.astype("f4")):
                    with pytest.raises(octavo.UsageError, match="a part of itself"):
                        a[...] = value
                a[...] = c.T
        else:  # two servers would not see what each other writes
            with pytest.raises(octavo.IoError, match="open elsewhere"):
                octavo.open_array(other)
            a[...] = -FIELD.T
    with h5py.File(tmp_path / "a.h5", "r") as file:
        np.testing.assert_array_equal(file["d"][...], -FIELD.T)


def npy(folder: Path) -> tuple[Path, dict[str, Any], Path, int]:
    np.save(folder / "a.npy", FIELD)
    return folder / "a.npy", {}, folder / "a.npy", 128


def raw(folder: Path) -> tuple[Path, dict[str, Any], Path, int]:
    FIELD.tofile(folder / "a.raw")
    return folder / "a.raw", {"shape": FIELD.shape, "dtype": FIELD.dtype}, folder / "a.raw", 0


def hdf5(folder: Path) -> tuple[Path, dict[str, Any], Path, int]:
    with h5py.File(folder / "a.h5", "w") as file:
        made = file.create_dataset("d", data=FIELD)
        return folder / "a.h5/d", {}, folder / "a.h5", made.id.get_offset()


def zarr(folder: Path) -> tuple[Path, dict[str, Any], Path, int]:
    with octavo.create_array(folder / "a.zarr", FIELD.shape, "float64", chunks=FIELD.shape) as made:
        made[...] = FIELD
    return folder / "a.zarr", {}, folder / "a.zarr/c/0/0", 0


def pages(folder: Path) -> tuple[Path, dict[str, Any], Path, int]:
    (folder / "disk").mkdir()
    with octavo.create_array(folder / "a.octavo", FIELD.shape, "float64", chunks=FIELD.shape, devices=[folder / "disk"]) as made:
        made[...] = FIELD
    (file,) = octavo.info(folder / "a.octavo").devices
    return folder / "a.octavo", {}, Path(file), 4096


def by_memmap(file: Path, offset: int) -> Any:
    return np.memmap(file, "f8", "r", offset, FIELD.shape)


def by_mmap(file: Path, offset: int) -> Any:
    with file.open("rb") as opened:
        return np.frombuffer(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ), "f8", FIELD.size, offset).reshape(FIELD.shape)


def by_link(file: Path, offset: int) -> Any:
    link = file.parent / "a link\\012"
    link.symlink_to(file)
    return by_memmap(link, offset)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda m: m,
    "transposed": lambda m: m.T,
    "plain": lambda m: np.asarray(m).T[::-1],
    "other type": lambda m: m.view("i8").view("f8"),
}


@pytest.mark.parametrize("made", [npy, raw, hdf5, zarr, pages])
@pytest.mark.parametrize("by", [by_memmap, by_mmap, by_link])
def test_a_mapping_of_its_file(made: Callable[[Path], Any], by: Callable[[Path, int], Any], tmp_path: Path) -> None:
    path, layout, file, offset = made(tmp_path)
    mapped = by(file, offset)
    np.testing.assert_array_equal(mapped, FIELD)
    with octavo.open_array(path, mode="r+", **layout) as a:
        for view in VIEWS.values():
            with pytest.raises(octavo.UsageError, match="mapped from its own file"):
                a[...] = view(mapped)
        a[...] = np.array(mapped.T)
        np.testing.assert_array_equal(a[...], FIELD.T)


def test_a_mapping_of_another_file(tmp_path: Path) -> None:
    path, _, _, _ = npy(tmp_path)
    FIELD.tofile(tmp_path / "b.raw")
    with octavo.open_array(path, mode="r+") as a:
        a[...] = by_memmap(tmp_path / "b.raw", 0).T
        a[0] = np.frombuffer(bytes(48), "f8")
        np.testing.assert_array_equal(a[1:], FIELD.T[1:])


def test_reading_into_its_own_file(tmp_path: Path) -> None:
    path, _, file, offset = npy(tmp_path)
    out = np.memmap(file, "f8", "r+", offset, FIELD.shape)
    with octavo.open_array(path) as a, pytest.raises(octavo.UsageError, match="mapped from its own file"):
        a.read(axes=(1, 0), out=out)
