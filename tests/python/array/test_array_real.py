# SPDX-License-Identifier: Apache-2.0
"""octavo.Array over files of each format beside the NumPy array of the same elements: the properties of test_array_index, with real processes."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import children_of, wait_for
from test_array_index import TYPES, broadcastable, kind_of, numbers, small_blocks
from test_selection import indices

pytestmark = pytest.mark.timeout(60)
SHAPE, CHUNK = (7, 5, 6), (3, 2, 4)  # no chunk divides its axis
MEMORY = "32MiB"  # a library's chunks take 8 MiB and more


@dataclass(frozen=True)
class Kind:
    """How an array is made, and the library that must be there."""

    file: str
    dtype: str
    options: dict[str, Any]
    library: str = "numpy"

    def create(self, folder: Path, **more: Any) -> octavo.Array:
        pytest.importorskip(self.library)
        options = dict(self.options)
        if "devices" in options:
            options["devices"] = [folder / name for name in options["devices"]]
        for device in options.get("devices", ()):
            device.mkdir(exist_ok=True)
        return octavo.create_array(folder / self.file, SHAPE, self.dtype, **{"memory": MEMORY, **options, **more})


KINDS = {
    "zarr": Kind("a.zarr", "int32", {"chunks": CHUNK}),
    "npy": Kind("a.npy", "float64", {}),
    "raw": Kind("a.raw", "uint8", {}),
    "octavo": Kind("a.octavo", "complex64", {"chunks": CHUNK}),
    "octavo on two devices": Kind("a.octavo", "float32", {"chunks": CHUNK, "devices": ("d0", "d1")}),
    "zarr, zstd": Kind("a.zarr", "int16", {"chunks": CHUNK, "compressor": "zstd"}, "zarr"),
    "hdf5": Kind("a.h5", "float64", {}, "h5py"),
    "hdf5, gzip": Kind("a.h5", "complex128", {"chunks": CHUNK, "compressor": "gzip"}, "h5py"),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def real(kind: Kind, tmp_path: Path) -> Iterator[octavo.Array]:
    """One open array for all examples of a test: its processes begin once. It holds numbers(SHAPE, dtype)."""
    with kind.create(tmp_path) as a:
        a[...] = numbers(SHAPE, kind.dtype)
        yield a


def stored(path: Path, dtype: str) -> Any:
    """What the format's own library finds there; of Octavo's own format there is none, so it is opened anew."""
    if path.suffix == ".zarr":
        return np.asarray(pytest.importorskip("zarr").open_array(str(path), mode="r")[...])
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".raw":
        return np.fromfile(path, dtype).reshape(SHAPE)
    if path.suffix == ".h5":
        with pytest.importorskip("h5py").File(path, "r") as file:
            return file["data"][...]
    with octavo.open_array(path, memory=MEMORY) as again:
        return again[...]


@given(index=indices(SHAPE))
def test_reading_is_numpys(real: octavo.Array, index: Any) -> None:
    want = numbers(SHAPE, real.dtype.name)[index]
    got = real[index]
    assert type(got) is type(want)
    np.testing.assert_array_equal(got, want, strict=True)


@given(index=indices(SHAPE), wanted=st.sampled_from(TYPES), random=st.randoms(use_true_random=False), limit=st.integers(1, 300))
def test_read_permutes_and_converts_into_any_strides(real: octavo.Array, index: Any, wanted: str, random: Any, limit: int) -> None:
    want = np.asarray(numbers(SHAPE, real.dtype.name)[index])
    axes = random.sample(range(want.ndim), want.ndim)
    want = want.transpose(axes)
    whole = np.full([2 * extent + 1 for extent in want.shape], 55, wanted)
    before = whole.copy()
    out = whole[(*(random.choice((np.s_[1::2], np.s_[-2::-2])) for _ in want.shape), ...)]
    with small_blocks(limit):
        if not kind_of(real.dtype.name, wanted):
            with pytest.raises(octavo.UsageError, match="would lose"):
                real.read(index, axes=axes, out=out)
        else:
            assert real.read(index, axes=axes, out=out) is out
            np.testing.assert_array_equal(out, want.astype(wanted))
            out[...] = 55
    np.testing.assert_array_equal(whole, before)  # nothing beside it was touched


@given(data=st.data(), index=indices(SHAPE), given_type=st.sampled_from(TYPES), limit=st.integers(1, 300))
def test_writing_is_numpys(real: octavo.Array, data: Any, index: Any, given_type: str, limit: int) -> None:
    want = numbers(SHAPE, real.dtype.name)
    real[...] = want
    value = numbers(broadcastable(data.draw, np.asarray(want[index]).shape), given_type, 1)
    with small_blocks(limit):
        if not kind_of(given_type, real.dtype.name):
            with pytest.raises(octavo.UsageError, match="would lose"):
                real[index] = value
        else:
            want[index] = value
            real[index] = value
    np.testing.assert_array_equal(real[...], want)


def test_what_was_written_is_what_other_programs_read(real: octavo.Array) -> None:
    want = numbers(SHAPE, real.dtype.name)
    path = Path(real.path)
    for index, value in ((np.s_[::-2, 1:, 3], 9), (np.s_[2:3], numbers((5, 6), "uint8", 2)), (np.s_[..., -1], numbers((7, 1), "int8", 3))):
        real[index] = value
        want[index] = value
    if path.suffix != ".h5":  # HDF5 keeps a file locked while it is open for writing
        real.flush()
        np.testing.assert_array_equal(stored(path, real.dtype.name), want, strict=True)
    real[1, 2, 3] = want[1, 2, 3] = 77
    real.close()
    np.testing.assert_array_equal(stored(path, real.dtype.name), want, strict=True)


def test_an_array_on_disk_is_a_value(real: octavo.Array, tmp_path: Path) -> None:
    want = numbers(SHAPE, real.dtype.name)
    value = numbers((3, 5), "uint8", 4)
    with octavo.create_array(tmp_path / "value.zarr", (3, 5), "uint8", chunks=(2, 2), memory=MEMORY) as b, small_blocks(40):
        b[...] = value
        real.write(np.s_[2:7, 2, ::-2], b, axes=(1, 0))
    want[2:7, 2, ::-2] = value.T
    np.testing.assert_array_equal(real[...], want)


def test_opened_again_it_is_the_same(real: octavo.Array, kind: Kind) -> None:
    want = numbers(SHAPE, kind.dtype)
    real.close()
    layout = {"shape": SHAPE, "dtype": kind.dtype} if kind.file == "a.raw" else {}
    form = {".h5": "hdf5"}.get(Path(kind.file).suffix, Path(kind.file).suffix[1:])
    with octavo.open_array(real.path, memory=MEMORY, **layout) as a:
        assert (a.shape, a.dtype, a.chunks, a.format) == (SHAPE, np.dtype(kind.dtype), real.chunks, form)
        np.testing.assert_array_equal(a[::3], want[::3])
        with pytest.raises(octavo.UsageError, match=r"mode='r\+'"):
            a[0] = 1
        with pickle.loads(pickle.dumps(a)) as same, octavo.open_array(a, memory=MEMORY) as third:
            assert same.opening == a.opening == third.opening
            np.testing.assert_array_equal(same[..., 0], want[..., 0])
            np.testing.assert_array_equal(third[6], want[6])
    with octavo.open_array(real.path, mode="r+", memory=MEMORY, **layout) as b:
        b[0, 0, 0] = 8
        assert b[0, 0, 0] == 8
    assert stored(Path(real.path), kind.dtype)[0, 0, 0] == 8


def test_attributes_and_names_are_kept(kind: Kind, tmp_path: Path) -> None:
    if kind.file in ("a.npy", "a.raw"):
        pytest.skip("these formats have none")
    with kind.create(tmp_path, attrs={"unit": "K", "levels": [1, 2.5]}, dims=("z", None, "x")) as a:
        assert (dict(a.attrs), a.dims) == ({"unit": "K", "levels": [1, 2.5]}, ("z", None, "x"))
    found = octavo.info(tmp_path / kind.file)
    assert (found.attrs, found.dims) == ({"unit": "K", "levels": [1, 2.5]}, ("z", None, "x"))


def test_a_new_array_is_zeros_and_closing_ends_its_processes(kind: Kind, tmp_path: Path) -> None:
    before = set(children_of(os.getpid()))
    a = kind.create(tmp_path)
    np.testing.assert_array_equal(a[...], np.zeros(SHAPE, kind.dtype), strict=True)
    mine = set(children_of(os.getpid())) - before
    assert mine
    a.close()
    wait_for(lambda: not mine & set(children_of(os.getpid())), 20, "the processes of a closed array to end")


def test_a_memmap_is_read_at_its_place(tmp_path: Path) -> None:
    whole = np.memmap(tmp_path / "a.raw", ">i2", "w+", 12, (9, 50))
    whole[...] = np.arange(450).reshape(9, 50)
    with octavo.open_array(whole[3:7], memory=MEMORY) as a:
        np.testing.assert_array_equal(a[...], whole[3:7])
        np.testing.assert_array_equal(a[::-1, 4], whole[3:7][::-1, 4])


REFUSED: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("a.zarr", {"compressor": "nonsense"}, octavo.NotSupported, "nonsense"),
    ("a.zarr", {"shards": (3, 3), "chunks": (2, 2)}, octavo.UsageError, "shards of 3 x 3"),
    ("a.octavo", {"compressor": "zstd"}, octavo.UsageError, "for Zarr and HDF5"),
    ("a.h5", {"shards": (2, 2)}, octavo.NotSupported, "HDF5 has no shards"),
    ("a.h5", {"compressor": {"name": "gzip", "level": 99}, "chunks": (2, 2)}, octavo.UsageError, "level 99"),
]


@pytest.mark.parametrize(("name", "options", "error", "text"), REFUSED)
def test_what_the_format_cannot_is_refused_and_the_old_array_kept(
    name: str, options: dict[str, Any], error: type[Exception], text: str, tmp_path: Path
) -> None:
    pytest.importorskip("zarr" if name == "a.zarr" else "h5py" if name == "a.h5" else "numpy")
    for overwrite in (False, True):
        with pytest.raises(error, match=text) as raised:
            octavo.create_array(tmp_path / name, (4, 4), "f4", overwrite=overwrite, **options)
        assert str(tmp_path / name) in str(raised.value)
        assert ([] if not overwrite else [tmp_path / name]) == list(tmp_path.iterdir())
        if not overwrite:
            with octavo.create_array(tmp_path / name, (4, 4), "f4", memory=MEMORY) as a:
                a[...] = 3
    with octavo.open_array(tmp_path / name, memory=MEMORY) as a:
        assert (a[...] == 3).all()


def test_what_exists_is_replaced_only_if_asked_for(kind: Kind, tmp_path: Path) -> None:
    with kind.create(tmp_path) as a:
        a[...] = 5
    with pytest.raises(octavo.UsageError, match=r"exists.*overwrite=True"):
        kind.create(tmp_path)
    assert (stored(tmp_path / kind.file, kind.dtype) == 5).all()
    with kind.create(tmp_path, overwrite=True) as a:
        assert (a[...] == 0).all()


def test_a_budget_that_is_too_small_makes_nothing(kind: Kind, tmp_path: Path) -> None:
    with pytest.raises(octavo.Refused, match="Give memory at least"):
        kind.create(tmp_path, memory="1MiB")
    assert not (tmp_path / kind.file).exists()


@pytest.mark.parametrize("name", ["Q.NPY", "q.Zarr", "Q.OCTAVO", "Q.RAW", "Q.H5"])
def test_endings_in_capitals(name: str, tmp_path: Path) -> None:
    with octavo.create_array(tmp_path / name, (4,), "float32") as a:
        a[...] = 2
    again = {"shape": (4,), "dtype": "float32"} if name == "Q.RAW" else {}
    assert octavo.open_array(tmp_path / name, **again)[...].tolist() == [2] * 4
    made = octavo.copy(octavo.open_array(tmp_path / name, **again), tmp_path / f"t{name}", progress=False)
    assert made[...].tolist() == [2] * 4
