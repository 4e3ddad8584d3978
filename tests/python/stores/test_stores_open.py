# SPDX-License-Identifier: Apache-2.0
"""Finding, describing and making stores: names, types, attributes, and what is said when it cannot be."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from octavo import _core
from octavo._src.stores import create_store, describe, open_store
from octavo._src.stores.zarr_memory import chain_of, name_of
from stores_kit import opened, values

zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")


def test_importing_octavo_imports_no_library() -> None:
    code = "import sys, octavo, octavo._src.stores; print([m for m in ('zarr', 'h5py', 'numcodecs', 'hdf5plugin') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("missing", ["zarr", "h5py"])
def test_a_library_that_is_missing(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = {"zarr": "zarr", "h5py": "hdf5"}[missing]
    for module in [name for name in sys.modules if name.startswith("octavo._src.stores.") and kind in name and not name.endswith("_path")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(octavo.NotSupported, match="pip install"):
        create_store(kind, tmp_path / "a", shape=(4,), chunks=(2,), dtype="f8")


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("compressor", ["zstd", "gzip", "blosc", "lz4", "none"])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_made_zarr(zarr_format: int, compressor: str, dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "a.zarr"
    more: dict[str, Any] = {"attributes": {"unit": "K"}, "dimension_names": ("y", "x"), "zarr_format": zarr_format, "compressor": compressor}
    if (zarr_format, compressor) == (3, "lz4"):
        with pytest.raises(octavo.NotSupported, match="zstd, gzip, blosc, none"):
            create_store("zarr", path, shape=(9, 5), chunks=(4, 5), dtype=dtype, **more)
        assert not path.exists()
        return
    info = create_store("zarr", path, shape=(9, 5), chunks=(4, 5), dtype=dtype, **more)
    assert info == describe(path)
    assert (info.kind, info.shape, info.dtype, info.attributes, info.dimension_names) == ("zarr", (9, 5), dtype, {"unit": "K"}, ("y", "x"))
    assert json.loads(json.dumps(info.json_able(), allow_nan=False))["read_chunk"] == [4, 5]
    with opened(info.spec) as store:
        store.write((0, 0), values((9, 5), dtype))
    np.testing.assert_array_equal(zarr.open_array(str(path), mode="r")[...], values((9, 5), dtype))
    used = [name_of(each) for each in chain_of(zarr.open_array(str(path), mode="r"))]
    assert (compressor in used) == (compressor != "none"), used


@pytest.mark.parametrize("compressor", ["gzip", "lzf", "none", "zstd", "lz4", "blosc"])
def test_made_hdf5(compressor: str, tmp_path: Path) -> None:
    if compressor in ("zstd", "lz4", "blosc"):
        pytest.importorskip("hdf5plugin")
    path = tmp_path / "a.h5.unfinished"
    more = {"attributes": {"unit": "K"}, "dimension_names": ("y", None)}
    info = create_store("hdf5", path, dataset="gas/density", shape=(9, 5), chunks=(4, 5), dtype="complex64", compressor=compressor, **more)
    assert info == describe(path) == describe(f"{path}/gas/density")
    assert (info.path, info.dtype, info.attributes, info.dimension_names) == (f"{path}/gas/density", "complex64", {"unit": "K"}, ("y", None))
    with opened(info.spec) as store:
        store.write((0, 0), values((9, 5), "complex64"))
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["gas/density"][...], values((9, 5), "complex64"))
    with pytest.raises(octavo.IoError, match="already"):
        create_store("hdf5", path, dataset="gas/density", shape=(9, 5), chunks=None, dtype="f8")
    assert create_store("hdf5", path, dataset="gas/heat", shape=(9, 5), chunks=None, dtype="f8").read_chunk == (9, 5)


def test_shards_are_made(tmp_path: Path) -> None:
    info = create_store("zarr", tmp_path / "a.zarr", shape=(16, 16), chunks=(2, 4), shards=(8, 8), dtype="f4")
    assert (info.read_chunk, info.write_chunk) == ((2, 4), (8, 8))


BAD = [
    ("zarr", {"shards": (3, 3)}, octavo.UsageError, "whole chunks"),
    ("zarr", {"chunks": (2,)}, octavo.UsageError, "for each dimension"),
    ("zarr", {"chunks": (0, 2)}, octavo.UsageError, "positive"),
    ("zarr", {"zarr_format": 2, "shards": (4, 4)}, octavo.NotSupported, "no shards"),
    ("zarr", {"zarr_format": 4}, octavo.NotSupported, "2 and 3"),
    ("zarr", {"level": 100}, octavo.UsageError, "from 1 to 22"),
    ("zarr", {"compressor": "none", "level": 1}, octavo.UsageError, "leave the level out"),
    ("zarr", {"compressor": "zip"}, octavo.NotSupported, "zstd, gzip"),
    ("zarr", {"colour": 1}, octavo.UsageError, "colour"),
    ("zarr", {"dimension_names": ("x",)}, octavo.UsageError, "one for each"),
    ("hdf5", {"dtype": "float16"}, octavo.NotSupported, "float16"),
    ("hdf5", {"compressor": "bzip2"}, octavo.NotSupported, "gzip, lzf"),
    ("hdf5", {"compressor": "gzip", "level": 10}, octavo.UsageError, "up to 9"),
    ("hdf5", {"compressor": "gzip", "chunks": None}, octavo.UsageError, "Give chunks"),
    ("hdf5", {"shards": (4, 4)}, octavo.NotSupported, "no shards"),
    ("memory", {}, octavo.UsageError, "zarr or hdf5"),
    ("tiff", {}, octavo.UsageError, "zarr, hdf5"),
]


@pytest.mark.parametrize(("kind", "more", "error", "text"), BAD)
def test_what_cannot_be_made(kind: str, more: dict[str, Any], error: type[Exception], text: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=text):
        create_store(kind, tmp_path / "a", **{"shape": (4, 4), "chunks": (2, 2), "dtype": "f8", **more})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore")  # of types that are in no specification
@pytest.mark.parametrize("dtype", ["float16", "bool", "M8[s]", "S5", [("a", "i4"), ("b", "f8")], "complex256"])
@pytest.mark.parametrize("kind", ["zarr2", "zarr3", "hdf5"])
def test_types_that_octavo_does_not_have(kind: str, dtype: Any, tmp_path: Path) -> None:
    """The type is named, and the cure."""
    try:
        if kind == "hdf5":
            with h5py.File(tmp_path / "a", "w") as file:
                file.create_dataset("data", (4,), dtype)
        else:
            zarr.create_array(str(tmp_path / "a"), shape=(4,), chunks=(2,), dtype=np.dtype(dtype), zarr_format=int(kind[-1]))
    except (TypeError, ValueError):
        pytest.skip("the library has no such type")
    with pytest.raises(octavo.NotSupported, match=r"of type .*astype"):
        describe(tmp_path / "a")


def test_names_of_datasets(tmp_path: Path) -> None:
    path = tmp_path / "many.bin"
    with h5py.File(path, "w") as file:
        for i in range(12):
            file[f"group/d{i:02}"] = np.zeros(3)
    with pytest.raises(octavo.UsageError, match=r"many datasets.*group/d00.*\.\.\.") as failure:
        describe(path)
    assert str(failure.value).count("/group/d") == 10
    assert describe(f"{path}/group/d07").shape == (3,)
    with pytest.raises(octavo.UsageError, match="is a group"):
        describe(f"{path}/group")
    with pytest.raises(octavo.IoError, match="no 'none'"):
        describe(f"{path}/none")
    with pytest.raises(octavo.IoError, match="no such file"):
        describe(tmp_path / "absent.h5/data")
    with h5py.File(tmp_path / "none.nc", "w"):
        pass
    with pytest.raises(octavo.UsageError, match="no datasets"):
        describe(tmp_path / "none.nc")


def test_netcdf(tmp_path: Path) -> None:
    """Dimension scales are not the array; they name its dimensions. Attributes that JSON has no words for are left out."""
    with h5py.File(tmp_path / "a.nc", "w") as file:
        file["lat"], file["lon"] = np.arange(3.0), np.arange(4.0)
        file["t"] = np.zeros((3, 4), ">f4")
        for axis, name in enumerate(("lat", "lon")):
            file[name].make_scale(name)
            file["t"].dims[axis].attach_scale(file[name])
        file["t"].attrs.update({"units": "K", "_FillValue": np.float32("nan"), "range": np.array([1, 2]), "raw": np.bytes_(b"abc"), "ref": file["lat"].ref})
    info = describe(tmp_path / "a.nc")
    assert (info.path, info.dtype, info.big_endian) == (f"{tmp_path}/a.nc/t", "float32", True)
    assert info.dimension_names == ("lat", "lon")
    assert np.isnan(info.attributes.pop("_FillValue"))
    assert info.attributes == {"units": "K", "range": [1, 2], "raw": "abc"}


@pytest.mark.parametrize("names", [("r", "i"), ("real", "imag"), ("Re", "Im")])
def test_complex_of_other_writers(names: tuple[str, str], tmp_path: Path) -> None:
    pair = np.dtype([(names[0], ">f8"), (names[1], ">f8")])
    wanted = values((5, 3), "complex128")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("z", (5, 3), pair)[...] = wanted.astype(">c16").view(pair)
    info = describe(tmp_path / "a.h5")
    assert (info.dtype, info.big_endian, info.fill) == ("complex128", True, [0.0, 0.0])
    with opened(info.spec) as store:
        out = np.empty((5, 3), np.complex64)
        store.read((0, 0), out)
        np.testing.assert_array_equal(out, wanted)
        store.write((1, 1), np.array([[7 + 8j]]))
        store.read((0, 0), out)
    assert out[1, 1] == 7 + 8j


@pytest.mark.parametrize("fill", [np.nan, -np.inf, 3.5])
def test_fill_values(fill: float, tmp_path: Path) -> None:
    """S-3, and how StoreInfo says it."""
    zarr.create_array(str(tmp_path / "a"), shape=(4,), chunks=(2,), dtype="f8", fill_value=fill)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("data", (4,), "f8", fillvalue=fill)
    for path in (tmp_path / "a", tmp_path / "b.h5"):
        info = describe(path)
        assert info.fill == ({"nan": "NaN", "-inf": "-Infinity"}.get(str(fill), fill))
        with opened(info.spec, writable=False) as store:
            out = np.zeros(4)
            store.read((0,), out)
            np.testing.assert_array_equal(out, np.full(4, fill))


def test_attributes_and_names(tmp_path: Path) -> None:
    """S-9: what JSON can hold; a name or None for each dimension, or None."""
    told, names = {"unit": "m", "deep": {"levels": [1, None]}}, ("y", None)
    zarr.create_array(str(tmp_path / "a.zarr"), shape=(4, 6), chunks=(2, 3), dtype="f4", attributes=told, dimension_names=names)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        data = file.create_dataset("named", (4, 6), "f4", chunks=(2, 3))
        data.attrs.update({"unit": "m", "root": 1j, "here": data.ref})
        data.dims[0].label = "y"
        file.create_dataset("plain", (4, 6), "f4", chunks=(2, 3))
    expected = {"a.zarr": (told, names), "b.h5/named": ({"unit": "m"}, names), "b.h5/plain": ({}, None)}
    for path, (attributes, dimension_names) in expected.items():
        with opened(describe(tmp_path / path).spec, writable=False) as store:
            assert (store.attributes, store.dimension_names) == (attributes, dimension_names), path
            assert json.loads(json.dumps(store.attributes)) == attributes


@pytest.mark.parametrize("dtype", _core.dtypes)
def test_arrays_without_dimensions(dtype: str, tmp_path: Path) -> None:
    for kind, path in (("zarr", tmp_path / "a"), ("hdf5", tmp_path / "a.h5")):
        info = create_store(kind, path, shape=(), chunks=() if kind == "zarr" else None, dtype=dtype, compressor="none")
        with opened(info.spec) as store:
            store.write((), values((), dtype, 3))
            out = np.zeros((), dtype)
            store.read((), out)
            assert out == values((), dtype, 3) != 0


def test_groups_files_and_nothing(tmp_path: Path) -> None:
    group = zarr.open_group(str(tmp_path / "g"), mode="w")
    group.create_array("inside", shape=(4,), dtype="f8")
    (tmp_path / "a.zip").write_bytes(b"PK\3\4")
    with pytest.raises(octavo.UsageError, match="inside"):
        describe(tmp_path / "g")
    with pytest.raises(octavo.NotSupported, match="zip"):
        describe(tmp_path / "a.zip")
    with pytest.raises(octavo.IoError, match="Check the path"):
        describe(tmp_path / "absent")
    (tmp_path / "g/inside/zarr.json").write_text('{"zarr_format": 3, "node_type": "array"')
    with pytest.raises(octavo.IoError, match=r"inside.*metadata"):
        describe(tmp_path / "g/inside")
    (tmp_path / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(40))
    with pytest.raises(octavo.IoError, match=r"a\.h5"):
        describe(tmp_path / "a.h5")


def test_a_codec_that_nobody_has(tmp_path: Path) -> None:
    zarr.create_array(str(tmp_path / "a"), shape=(4,), chunks=(2,), dtype="f8", compressors=None)
    metadata = json.loads((tmp_path / "a/zarr.json").read_text())
    metadata["codecs"].append({"name": "squeeze-9000", "configuration": {}})
    (tmp_path / "a/zarr.json").write_text(json.dumps(metadata))
    with pytest.raises(octavo.NotSupported, match="squeeze-9000"):
        describe(tmp_path / "a")


def test_a_locked_file(tmp_path: Path) -> None:
    """HDF5 locks what is open for writing; the cure says so."""
    create_store("hdf5", tmp_path / "a.h5", shape=(4,), chunks=None, dtype="f8")
    code = f"import h5py, sys; f = h5py.File({str(tmp_path / 'a.h5')!r}, 'r+'); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(octavo.IoError, match="HDF5_USE_FILE_LOCKING"):
            describe(tmp_path / "a.h5")
        other.communicate()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_disk_that_fails(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-10: the file, the cure; and the store can be used on."""
    info = create_store("zarr", tmp_path / "a", shape=(4, 4), chunks=(2, 4), dtype="f8")
    with opened(info.spec) as store:

        def fails(*_: object, **__: object) -> int:
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as patch:
            patch.setattr("zarr.storage._local._put", fails)
            with pytest.raises(octavo.IoError, match=rf"a/c/0/0.*{os.strerror(number)}"):
                store.write((0, 0), np.ones((4, 4)))
        store.write((0, 0), np.ones((4, 4)))
        out = np.zeros((4, 4))
        store.read((0, 0), out)
    assert (out == 1).all()


def test_hdf5_on_a_full_disk(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk's."""
    code = f"""
import resource, signal, numpy as np, octavo
from octavo._src.stores import create_store, open_store
info = create_store("hdf5", {str(tmp_path / "a.h5")!r}, shape=(1 << 20,), chunks=None, dtype="f8")
store = open_store(info.spec, True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    store.write((0,), np.ones(1 << 20))
    store.flush()
except octavo.IoError as e:
    print(e, flush=True)
import os; os._exit(0)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "a.h5" in ended.stdout
    assert "File too large" in ended.stdout or "errno" in ended.stdout


def test_faults_on_order() -> None:
    """The memory store fails the n-th call, once."""
    spec = {"kind": "memory", "shape": [4], "chunk": [2], "dtype": "f8", "fail_read": 2, "fail_write": 1, "fill": 5}
    store = open_store(spec, True)
    out = np.zeros(3)
    with pytest.raises(octavo.IoError, match="write 1 fails"):
        store.write((0,), np.ones(3))
    store.read((0,), out)
    assert (out == 5).all()
    with pytest.raises(octavo.IoError, match="read 2 fails"):
        store.read((0,), out)
    store.write((0,), np.ones(3))
    store.read((0,), out)
    assert (out == 1).all()
