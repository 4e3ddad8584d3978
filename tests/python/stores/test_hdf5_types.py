# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets of every type and layout, read and written as h5py has them; what Octavo cannot read is refused, and neighbours stay as they are."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import octavo
import pytest
from hdf5_kit import NEIGHBOURS, Array, Given, made, numbers
from octavo._src.sources import Opened, open_held
from octavo._src.stores import open_store

SEEDS = 80
PART = 40


@pytest.fixture(autouse=True)
def _in_its_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # HDF5 looks there for external files


def by_h5py(given: Given) -> Any:
    """None where it cannot."""
    with h5py.File(given.file, "r") as file, contextlib.suppress(TypeError, OSError):
        return file[given.name][()]
    return None


def as_numbers(found: Any, dtype: np.dtype[Any]) -> Array:
    """Fields of a compound as the parts of a complex number."""
    array = np.asarray(found)
    if array.dtype.names is None:
        return array.astype(dtype)
    real, imaginary = (array[name] for name in array.dtype.names)
    return np.asarray(real + 1j * imaginary, dtype)


class Access:
    """Reads and writes as octavo.Array does; without a server, which costs half a second, where there would be one."""

    def __init__(self, given: Given, found: Opened, writable: bool) -> None:
        self.native = found.storage.format != "store"
        self.shape, self.dtype = tuple(found.storage.shape), np.dtype(found.storage.dtype)
        self._array = octavo.open_array(given.path, mode="r+" if writable else "r") if self.native else None
        if not self.native:
            assert found.share is not None and found.share.held
            spec = {"kind": "hdf5", "path": found.storage.path, "locked": True}
            self._store = open_store(spec, writable)

    def read(self, box: tuple[slice, ...]) -> Array:
        if self._array is not None:
            return np.asarray(self._array[box])
        out = np.empty([each.stop - each.start for each in box], self.dtype)
        self._store.read(tuple(each.start for each in box), out)
        return out

    def write(self, box: tuple[slice, ...], block: Array) -> None:
        if self._array is not None:
            self._array[box] = block
        else:
            self._store.write(tuple(each.start for each in box), np.ascontiguousarray(block).reshape(block.shape))

    def close(self) -> None:
        (self._store if self._array is None else self._array).close()


@contextlib.contextmanager
def accessed(given: Given, writable: bool) -> Iterator[Access]:
    found = open_held(given.path, writable=writable)
    access = Access(given, found, writable)
    try:
        yield access
    finally:
        access.close()
        if found.share is not None:
            found.share.release()


def box_in(shape: tuple[int, ...], random: np.random.Generator) -> tuple[slice, ...]:
    ends = [sorted(random.integers(0, extent + 1, 2)) for extent in shape]
    return tuple(slice(int(lo), int(hi)) for lo, hi in ends)


def neighbours(file: Path) -> list[bytes]:
    """As they lie in the file, and as HDF5 reads them."""
    found = []
    with h5py.File(file, "r") as opened:
        for name in ("before", "after"):
            found.append(opened[name][...].tobytes())
            with file.open("rb") as raw:
                raw.seek(opened[name].id.get_offset())
                found.append(raw.read(NEIGHBOURS.nbytes))
        found.append(opened["chunked"][...].tobytes())
    return found


def is_readable(given: Given) -> bool:
    """Whether h5py shows numbers that Octavo has."""
    with h5py.File(given.file, "r") as file:
        dataset = file[given.name]
        try:
            dtype = dataset.dtype
        except TypeError:
            return False
        usual = dtype.kind in "iufc" and dtype.newbyteorder("=").name in octavo._core.dtypes
        return usual and dtype.subdtype is None and dataset.shape is not None and not dataset.is_virtual


def check(given: Given, random: np.random.Generator) -> bool | None:
    """Whether it was read natively; None for what is refused."""
    found = by_h5py(given)
    try:
        with accessed(given, False) as a:
            native, expected = a.native, as_numbers(found, a.dtype).copy()
            for box in (tuple(slice(0, extent) for extent in a.shape), box_in(a.shape, random)):
                np.testing.assert_array_equal(a.read(box), expected[box], given.told)
    except octavo.NotSupported:
        assert not is_readable(given), given.told
        return None
    check_written(given, expected, random)
    return native


def check_written(given: Given, expected: Array, random: np.random.Generator) -> None:
    before = neighbours(given.file)
    with accessed(given, True) as a:
        for _ in range(2):
            box = box_in(a.shape, random)
            block = numbers(expected[box].shape, a.dtype, random)
            a.write(box, block)
            expected[box] = block
    np.testing.assert_array_equal(as_numbers(by_h5py(given), expected.dtype), expected, given.told)
    assert neighbours(given.file) == before, given.told


@pytest.mark.parametrize("begin", range(0, SEEDS, PART))
def test_any_type_and_layout_is_as_h5py_has_it(begin: int, tmp_path: Path) -> None:
    seen: list[bool | None] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(begin, begin + PART):
            given = made(tmp_path, seed)
            seen.append(check(given, np.random.default_rng(seed + 1)))
            for each in tmp_path.iterdir():
                each.unlink()
    assert {True, False, None} == set(seen)


def user_block(file: Path) -> None:
    """Nothing is written yet."""
    with h5py.File(file, "w", userblock_size=512) as opened:
        opened.create_dataset("d", shape=(7, 50), dtype="f4")
        opened["other"] = NEIGHBOURS


def swapped(file: Path) -> None:
    kind = h5py.h5t.create(h5py.h5t.COMPOUND, 16)
    kind.insert(b"r", 8, h5py.h5t.IEEE_F64LE)
    kind.insert(b"i", 0, h5py.h5t.IEEE_F64LE)
    with h5py.File(file, "w") as opened:
        made = h5py.h5d.create(opened.id, b"d", kind, h5py.h5s.create_simple((7, 50)))
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(350.0).reshape(7, 50) * (1 + 2j))


@pytest.mark.parametrize("write", [user_block, swapped])
def test_jobs_read_what_h5py_reads(write: Any, tmp_path: Path) -> None:
    write(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r") as file:
        expected = file["d"][...]
    octavo.copy("a.h5/d", "b.h5/d", progress=False)
    octavo.fft.fftn("a.h5/d", out="c.h5", progress=False)
    with h5py.File("b.h5", "r") as copied, h5py.File("c.h5", "r") as transformed:
        np.testing.assert_array_equal(copied["d"][...], expected)
        np.testing.assert_allclose(transformed["data"][...], np.fft.fftn(expected), atol=1e-9 * abs(expected).sum())
    with octavo.open_array("a.h5/d", mode="r+") as a:
        a[1:3] = 1
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert (file["d"][1:3] == 1).all() and (file["d"][3:] == expected[3:]).all()
