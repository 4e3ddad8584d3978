# SPDX-License-Identifier: Apache-2.0
"""Opening, making, describing, pickling and closing an octavo.Array, and what importing octavo does not do."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from fake_handle import array_of, core
from octavo._src.open_create import Creation, Opening
from octavo._src.validation import RawSpec, TargetSpec

MIB = 1 << 20


def test_facts() -> None:
    a, handle = array_of(np.zeros((4, 3, 2), "complex64"), [2, 3, 2])
    assert (a.shape, a.ndim, a.size, a.nbytes, len(a), a.chunks) == ((4, 3, 2), 3, 24, 192, 4, (2, 3, 2))
    assert a.dtype == np.dtype("complex64") and isinstance(a.dtype, np.dtype)
    assert (a.path, a.format, dict(a.attrs), a.dims) == ("/fake/a.zarr", "zarr", {}, None)
    assert repr(a) == "<octavo.Array '/fake/a.zarr' (4, 3, 2) complex64, 192 B, chunks (2, 3, 2)>"
    handle.attributes_json, handle.dimension_names_json = '{"unit": "m"}', '["z", null, "x"]'
    b = octavo.Array(handle, a.opening)
    assert dict(b.attrs) == {"unit": "m"}
    assert b.dims == ("z", None, "x")
    with pytest.raises(TypeError):
        b.attrs["unit"] = "s"
    assert a != b and a == a and len({a, b}) == 2


@pytest.mark.parametrize(("name", "text"), [("attributes_json", "{"), ("attributes_json", "[1]"), ("dimension_names_json", '{"a": 1}')])
def test_broken_facts_are_an_io_error(name: str, text: str) -> None:
    a, handle = array_of(np.zeros(3))
    setattr(handle, name, text)
    with pytest.raises(octavo.IoError, match=r"'/fake/a\.zarr' are no JSON"):
        octavo.Array(handle, a.opening)


def test_numpys_protocol() -> None:
    data = np.arange(12.0).reshape(4, 3)
    a, _ = array_of(data)
    got = np.asarray(a)
    np.testing.assert_array_equal(got, data, strict=True)
    np.testing.assert_array_equal(np.array(a, dtype="int16", copy=True), data.astype("int16"), strict=True)
    np.testing.assert_array_equal(a + np.ones(3), data + 1)
    np.testing.assert_array_equal(np.sqrt(a), np.sqrt(data))
    with pytest.raises(ValueError, match="without a copy"):
        a.__array__(copy=False)
    if int(np.__version__.partition(".")[0]) >= 2:
        with pytest.raises(ValueError, match="without a copy"):
            np.array(a, copy=False)
    c, _ = array_of(data * 1j)
    with pytest.warns(np.exceptions.ComplexWarning):
        np.testing.assert_array_equal(np.asarray(c, "float64"), np.zeros((4, 3)))


def test_iterating_gives_rows_and_stops() -> None:
    data = np.arange(12).reshape(4, 3)
    a, handle = array_of(data)
    rows = iter(a)
    assert handle.events == []
    np.testing.assert_array_equal(list(rows), data)
    line, _ = array_of(data[0])
    assert [type(value) for value in line] == [np.int64] * 3
    assert list(reversed(line)) == [2, 1, 0]


def test_an_array_without_axes() -> None:
    a, handle = array_of(np.array(2.5))
    assert a[()] == 2.5 and type(a[()]) is np.float64
    assert a[...].shape == () and a[None].shape == (1,)
    a[...] = 3
    a[()] = np.float32(a[()] + 1)
    assert handle.data == 4
    assert a.read(dtype=">f4") == 4
    for use in (len, iter):
        with pytest.raises(TypeError):
            use(a)


def test_what_is_closed_says_so() -> None:
    a, handle = array_of(np.zeros((4, 3)))
    with a as same:
        assert same is a
        a[0] = 1
    assert handle.events == ["write", "flush", "close"]
    a.close()
    for use in (lambda: a[0], lambda: a.__setitem__(0, 1), a.flush, lambda: np.asarray(a), lambda: next(iter(a)), lambda: pickle.dumps(a), a.__enter__):
        with pytest.raises(octavo.UsageError, match=r"'/fake/a\.zarr': it is closed\. Open it again"):
            use()
    assert handle.events[-1] == "close"
    assert repr(a).endswith(", closed>") and a.shape == (4, 3)
    b, _ = array_of(np.zeros(3))
    with pytest.raises(octavo.UsageError, match="closed"):
        b[...] = a[...]


def test_an_array_opened_for_reading_is_not_written() -> None:
    a, handle = array_of(np.zeros(3), writable=False)
    with pytest.raises(octavo.UsageError, match=r"mode='r\+'"):
        a[0] = 1
    a.close()
    assert handle.events == ["close"]


def test_an_array_is_not_assigned_to_a_part_of_itself() -> None:
    a, handle = array_of(np.arange(3))
    b, _ = array_of(np.arange(3))
    for same in (a, b):
        with pytest.raises(octavo.UsageError, match="a part of itself"):
            a[::-1] = same
    a[::-1] = b[...]
    np.testing.assert_array_equal(handle.data, [2, 1, 0])


def test_open_gives_what_it_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with core() as files:
        files[str(tmp_path / "a.zarr")] = np.arange(6).reshape(2, 3)
        files["/other/a.raw"] = np.zeros(1)
        a = octavo.open_array("a.zarr")
        octavo.open_array(Path("a.zarr"), mode="r+", memory="1MiB", shape=[np.int64(2), 3], dtype=">i8", offset=16)
        octavo.open_array(b"/other/a.raw", memory=5, shape=6, dtype=float, big_endian=True)
        octavo.open_array(a, mode="r+", memory=7)
        path = str(tmp_path / "a.zarr")
        assert files["calls"] == [
            Opening(path, False, 256 * MIB),
            Opening(path, True, MIB, RawSpec((2, 3), "int64", 16, True)),
            Opening("/other/a.raw", False, 5, RawSpec((6,), "float64", 0, True)),
            Opening(path, True, 7),
        ]
        monkeypatch.chdir("/")
        again = pickle.loads(pickle.dumps(a))
        np.testing.assert_array_equal(again[...], a[...])
        assert files["calls"][-1] == files["calls"][0]


def test_pickling_writes_first() -> None:
    a, handle = array_of(np.zeros(3))
    a[...] = 1
    pickle.dumps(a)
    assert handle.events == ["write", "flush"]


WRONG_OPENINGS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"mode": "w"}, octavo.UsageError, r"mode 'w'.*create_array"),
    ({"memory": 0}, octavo.UsageError, "memory 0"),
    ({"memory": "much"}, octavo.UsageError, "much"),
    ({"shape": (3,)}, octavo.UsageError, "at least shape and dtype"),
    ({"dtype": "f4"}, octavo.UsageError, "at least shape and dtype"),
    ({"offset": 5}, octavo.UsageError, "at least shape and dtype"),
    ({"shape": (3,), "dtype": "f4", "offset": -1}, octavo.UsageError, "offset"),
    ({"shape": (-1,), "dtype": "f4"}, octavo.UsageError, r"shape \(-1,\)"),
    ({"shape": (1.5,), "dtype": "f4"}, octavo.UsageError, "not made of integers"),
    ({"shape": (3,), "dtype": "f2"}, octavo.NotSupported, "float16"),
    ({"shape": (3,), "dtype": "nonsense"}, octavo.UsageError, "nonsense"),
]


@pytest.mark.parametrize(("options", "error", "text"), WRONG_OPENINGS)
def test_what_cannot_be_opened_is_refused_before_a_file_is_touched(options: dict[str, Any], error: type[Exception], text: str) -> None:
    with core() as files, pytest.raises(error, match=text):
        octavo.open_array("a.raw", **options)
    assert files["calls"] == []


@pytest.mark.parametrize("part", [np.s_[:], np.s_[700:], np.s_[3:9, :5000], np.s_[5]])
def test_a_memmap_is_opened_by_its_file(tmp_path: Path, part: Any) -> None:
    path = tmp_path / "a.raw"
    whole = np.memmap(path, ">i2", "w+", 12, (900, 5000))
    whole[...] = np.arange(4500000).reshape(900, 5000) % 30000
    with core() as files:
        files[str(path)] = np.zeros(1)
        octavo.open_array(whole[part])
        (call,) = files["calls"]
    raw = call.raw
    assert (raw.shape, raw.dtype, raw.big_endian, raw.part) == (whole[part].shape, "int16", True, True)
    np.testing.assert_array_equal(np.fromfile(path, ">i2", whole[part].size, offset=raw.offset).reshape(whole[part].shape), whole[part])


def test_memmaps_that_are_no_part_of_a_file_are_refused(tmp_path: Path) -> None:
    whole = np.memmap(tmp_path / "a.raw", "f4", "w+", 0, (9, 5))
    changed = np.memmap(tmp_path / "a.raw", "f4", "c", 0, (9, 5))
    changed[0] = 100  # in memory only
    with core() as files:
        for of_it in (changed, changed[2:]):
            with pytest.raises(octavo.UsageError, match="mode 'c'"):
                octavo.open_array(of_it)
        for wrong, error in ((whole[:, 1:], octavo.NotSupported), (whole.T, octavo.NotSupported), (whole.copy(), octavo.UsageError)):
            with pytest.raises(error, match="memmap"):
                octavo.open_array(wrong)
        with pytest.raises(octavo.UsageError, match="Leave them out"):
            octavo.open_array(whole, dtype="f4")
        with pytest.raises(octavo.UsageError, match=r"an array of shape \(3,\) in memory"):
            octavo.open_array(np.zeros(3))
        with pytest.raises(octavo.UsageError, match=r"an array of shape \(0, \d+\), which has no elements"):  # NumPy's, and no memmap any more
            octavo.open_array(whole[0:0])
        for no_path in (["a.zarr"], 3):
            with pytest.raises(octavo.UsageError, match=rf"is of type .*{type(no_path).__name__}"):
                octavo.open_array(no_path)
        assert files["calls"] == []


def test_create_gives_what_it_was_told(tmp_path: Path) -> None:
    with core() as files:
        path = str(tmp_path / "a.octavo")
        a = octavo.create_array(path, (1024, 1024), "c16", devices=["/d0", Path("/d1")], attrs={"unit": ["m", 1]}, dims=("y", None), memory="8MiB")
        assert files["calls"] == [
            Creation(
                target=TargetSpec(path=path, chunks=(512, 512), devices=("/d0", "/d1")),
                format="octavo",
                shape=(1024, 1024),
                dtype="complex128",
                attributes_json='{"unit": ["m", 1]}',
                dimension_names_json='["y", null]',
                fill_json="",
                memory=8 * MIB,
                overwrite=False,
            )
        ]
        assert (a.format, dict(a.attrs), a.dims) == ("octavo", {"unit": ["m", 1]}, ("y", None))
        a[3, 4] = 5
        assert pickle.loads(pickle.dumps(a))[3, 4] == 5


def test_what_is_created_depends_on_the_ending(tmp_path: Path) -> None:
    with core() as files:
        for name, chunks, want in (("a.zarr", (2, 1), (2, 1)), ("A.NPY", None, (3, 4)), ("a.raw", None, (3, 4)), ("a.h5", None, (3, 4))):
            made = octavo.create_array(tmp_path / name, (3, 4), "int8", chunks=chunks, zarr_format=2, overwrite=True)
            call = files["calls"][-1]
            assert (call.target.chunks, call.target.zarr_format, call.memory, call.overwrite) == (want, 2, 256 * MIB, True)
            raw = RawSpec((3, 4), "int8") if name == "a.raw" else None  # a raw file does not know
            assert made.opening == Opening(str(tmp_path / name), True, 256 * MIB, raw)
            pickle.loads(pickle.dumps(made))
            assert files["calls"][-1] == made.opening
        octavo.create_array(tmp_path / "b.h5", (3, 4), "f4", chunks=(3, 2), compressor={"name": "gzip", "level": 5})
        assert (files["calls"][-1].format, files["calls"][-1].target.compressor, files["calls"][-1].target.level) == ("hdf5", "gzip", 5)
        octavo.create_array(tmp_path / "b.zarr", (3, 4), "f4", chunks=(3, 2), shards=(3, 4), compressor="zstd")
        assert (files["calls"][-1].target.shards, files["calls"][-1].target.compressor) == ((3, 4), "zstd")


WRONG_CREATIONS: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("a.tif", {}, octavo.UsageError, r"End it in \.zarr"),
    ("a", {}, octavo.UsageError, r"End it in \.zarr"),
    ("a.zarr", {"dtype": ">f8"}, octavo.NotSupported, "big-endian"),
    ("a.zarr", {"dtype": "bool"}, octavo.NotSupported, "bool"),
    ("a.zarr", {"dtype": None}, octavo.NotSupported, "None"),
    ("a.zarr", {"shape": (3, -4)}, octavo.UsageError, "shape"),
    ("a.zarr", {"chunks": (3,)}, octavo.UsageError, r"chunks \(3,\).* 2 axes"),
    ("a.zarr", {"chunks": (3, 0)}, octavo.UsageError, r"chunks \(3, 0\)"),
    ("a.zarr", {"dims": ("x",)}, octavo.UsageError, "dims"),
    ("a.zarr", {"dims": ("x", 1)}, octavo.UsageError, "str or None"),
    ("a.zarr", {"attrs": {"x": {1, 2}}}, octavo.UsageError, "JSON"),
    ("a.zarr", {"devices": ["/d"]}, octavo.UsageError, "devices"),
    ("a.zarr", {"zarr_format": 4}, octavo.UsageError, "zarr_format 4"),
    ("a.npy", {"chunks": (1, 1)}, octavo.UsageError, "no chunks"),
    ("a.raw", {"attrs": {"a": 1}, "dims": ("y", "x")}, octavo.UsageError, "no attrs and no dims"),
    ("a.h5", {"devices": ["/d"]}, octavo.UsageError, "devices"),
    ("a.npy", {"compressor": "zstd", "shards": (3, 4)}, octavo.UsageError, "no shards and no compressor"),
    ("a.zarr", {"compressor": {"name": {1}}}, octavo.UsageError, "Give its name"),
    ("a.zarr", {"shards": (3,)}, octavo.UsageError, r"shards \(3,\).* 2 axes"),
    ("", {}, octavo.UsageError, "empty"),
]


@pytest.mark.parametrize(("name", "options", "error", "text"), WRONG_CREATIONS)
def test_what_cannot_be_made_is_refused_before_a_file_is_touched(name: str, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with core() as files, pytest.raises(error, match=text):
        octavo.create_array(name, **{"shape": (3, 4), "dtype": "f4", **options})
    assert files["calls"] == []


ALONE = """
import json, os, sys
import octavo
facts = {
    "heavy": sorted({"zarr", "h5py", "rich", "typer", "matplotlib", "numpy", "threading", "multiprocessing", "subprocess"} & set(sys.modules)),
    "threads": len(os.listdir("/proc/self/task")),
    "children": [open(f"/proc/self/task/{task}/children").read() for task in os.listdir("/proc/self/task")],
    "missing": [name for name in octavo.__all__ if name not in dir(octavo)],
}
facts["later"] = [name for name in octavo.__all__ if getattr(octavo, name, None) is None]
facts["heavy later"] = sorted({"zarr", "h5py", "rich", "typer", "matplotlib"} & set(sys.modules))
print(json.dumps(facts))
"""


def test_importing_starts_nothing_and_loads_nothing_heavy() -> None:
    ended = subprocess.run([sys.executable, "-I", "-c", ALONE], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"heavy": [], "threads": 1, "children": [""], "missing": [], "later": [], "heavy later": []}


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        octavo.nothing  # noqa: B018
