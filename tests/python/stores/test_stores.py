# SPDX-License-Identifier: Apache-2.0
"""The contract of a store (python/octavo/_src/stores/contract.py, S-1 to S-10) on every kind of array."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from octavo import _core
from octavo._src.stores import describe, open_store
from stores_kit import KINDS, SHAPE, Array, Kind, direct, opened, values

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def only(*names: str) -> pytest.MarkDecorator:
    """These kinds."""
    found = [kind for kind in KINDS if kind.name in names]
    assert len(found) == len(names)
    return pytest.mark.parametrize("kind", found, ids=lambda kind: kind.name)


Box = tuple[tuple[int, ...], tuple[int, ...]]


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """A box within SHAPE, empty ones too: its begin and its end."""
    ends = [sorted((draw(st.integers(0, extent)), draw(st.integers(0, extent)))) for extent in SHAPE]
    return tuple(each[0] for each in ends), tuple(each[1] for each in ends)


def index(box: Box) -> tuple[slice, ...]:
    return tuple(map(slice, *box))


def extents(box: Box) -> tuple[int, ...]:
    return tuple(hi - lo for lo, hi in zip(*box, strict=True))


def filled(kind: Kind, folder: Path, dtype: str = "float64") -> tuple[dict[str, Any], Array]:
    """A spec, and what the array holds: some units were never written, so they are zero."""
    spec = kind.make(folder, dtype)
    wanted = np.zeros(SHAPE, dtype)
    wanted[:9, 2:, :6] = values((9, 8, 6), dtype)
    if spec["kind"] != "memory":
        with opened(spec) as store:
            store.write((0, 2, 0), np.ascontiguousarray(wanted[:9, 2:, :6]))
    return spec, wanted


@every_kind
def test_what_it_says_of_itself(kind: Kind, tmp_path: Path) -> None:
    """S-1, S-2, S-6: attributes that a planner needs."""
    spec = kind.make(tmp_path, "float64")
    with opened(spec, writable=False) as store:
        assert (store.shape, store.dtype.newbyteorder("=")) == (SHAPE, np.dtype("float64"))
        assert (store.read_chunk, store.write_chunk) == (kind.read_chunk, kind.write_chunk)
        assert store.read_bytes > 0
        assert store.write_bytes > 0
        if spec["kind"] != "memory":
            info = describe(spec["path"])
            assert (info.spec, info.dtype, info.fill, info.big_endian) == (spec, "float64", 0, kind.name == "v3-big")
            assert (info.read_chunk, info.write_chunk) == (store.read_chunk, store.write_chunk)
            assert (info.read_bytes, info.write_bytes) == (store.read_bytes, store.write_bytes)


@every_kind
def test_any_box_is_read(kind: Kind, tmp_path: Path) -> None:
    """S-3: against NumPy, within units and across them, and where nothing was written."""
    spec, wanted = filled(kind, tmp_path)
    with opened(spec, writable=spec["kind"] == "memory") as store:
        if spec["kind"] == "memory":
            store.write((0, 0, 0), wanted)

        @settings(max_examples=25)
        @given(boxes())
        def check(box: Box) -> None:
            out = np.full(extents(box), -1.0)
            store.read(box[0], out)
            np.testing.assert_array_equal(out, wanted[index(box)])

        check()


@every_kind
def test_any_box_is_written(kind: Kind, tmp_path: Path) -> None:
    """S-4, S-7: what surrounds a box stays; the library itself reads the same after a flush."""
    spec = kind.make(tmp_path, "float64")
    wanted = np.zeros(SHAPE)
    with opened(spec) as store:

        @settings(max_examples=12)
        @given(boxes(), st.integers(0, 1000))
        def write(box: Box, seed: int) -> None:
            wanted[index(box)] = values(extents(box), "float64", seed)
            store.write(box[0], np.ascontiguousarray(wanted[index(box)]))
            out = np.full(SHAPE, -1.0)
            store.read((0, 0, 0), out)
            np.testing.assert_array_equal(out, wanted)

        write()
        store.flush()
        if spec["kind"] == "hdf5":
            store.close()
        found = direct(spec)
    if found is not None:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.name.startswith(("v2-zstd", "v2-F", "v3-zstd", "v3-shards", "v3-gzip", "v3-blosc"))], ids=lambda k: k.name
)
def test_tensorstore_reads_what_was_written(kind: Kind, tmp_path: Path) -> None:
    """S-7: a reader that shares no code with the writer."""
    ts = pytest.importorskip("tensorstore")
    spec, wanted = filled(kind, tmp_path)
    driver = "zarr" if kind.name.startswith("v2") else "zarr3"
    found = ts.open({"driver": driver, "kvstore": {"driver": "file", "path": spec["path"]}}).result().read().result()
    np.testing.assert_array_equal(found, wanted)


def allowed(source: str, target: str) -> bool:
    """As src/data/io/convert_rows.cpp has it."""
    return source == target or (target[0] in "fc" and (source[0] != "c" or target[0] == "c"))


@pytest.mark.parametrize("stored", _core.dtypes)
@only("v2-F", "v3-zstd", "v3-big", "v3-shards", "h5-contiguous", "h5-gzip", "memory")
def test_conversions(kind: Kind, stored: str, tmp_path: Path) -> None:
    """S-5: every pair of types, both ways; those that are refused change nothing."""
    spec = kind.make(tmp_path, stored)
    whole = values(SHAPE, stored)
    with opened(spec) as store:
        store.write((0, 0, 0), whole)
        for other in _core.dtypes:
            out = np.full((5, 4, 7), 7, other)
            if allowed(stored, other):
                store.read((2, 2, 0), out)
                np.testing.assert_array_equal(out, whole[2:7, 2:6].astype(other))
            else:
                with pytest.raises(octavo.NotSupported, match=f"{stored} to {other}"):
                    store.read((2, 2, 0), out)
                assert (out == 7).all()
            block = values((5, 4, 7), other, 1)
            if allowed(other, stored):
                whole[2:7, 2:6] = block.astype(stored)
                store.write((2, 2, 0), block)
            else:
                with pytest.raises(octavo.NotSupported, match=f"{other} to {stored}"):
                    store.write((2, 2, 0), block)
            now = np.empty(SHAPE, stored)
            store.read((0, 0, 0), now)
            np.testing.assert_array_equal(now, whole)


@every_kind
def test_boxes_and_arrays_that_do_not_fit(kind: Kind, tmp_path: Path) -> None:
    """S-10: a UsageError, and the store works on."""
    spec = kind.make(tmp_path, "float64")
    with opened(spec) as store:
        for lo, shape in [((0, 0, 5), (13, 10, 3)), ((-1, 0, 0), (1, 1, 1)), ((0, 0), (1, 1)), ((0, 0, 0), (1, 1))]:
            with pytest.raises(octavo.UsageError, match="box"):
                store.read(lo, np.empty(shape))
            with pytest.raises(octavo.UsageError, match="box"):
                store.write(lo, np.empty(shape))
        with pytest.raises(octavo.UsageError, match="contiguous"):
            store.read((0, 0, 0), np.empty((4, 4, 4))[:, ::2])
        out = np.ones(SHAPE)
        store.read((0, 0, 0), out)
        assert (out == 0).all()


@every_kind
def test_opened_for_reading(kind: Kind, tmp_path: Path) -> None:
    """S-10: nothing is written, whatever is tried."""
    spec = kind.make(tmp_path, "float64")
    with opened(spec, writable=False) as store, pytest.raises(octavo.UsageError, match="writable=True"):
        store.write((0, 0, 0), np.ones(SHAPE))
    found = direct(spec)
    assert found is None or (found == 0).all()


@every_kind
def test_closed(kind: Kind, tmp_path: Path) -> None:
    """S-8."""
    store = open_store(kind.make(tmp_path, "float64"), True)
    store.close()
    store.close()
    for use in (lambda: store.read((0, 0, 0), np.empty(SHAPE)), lambda: store.write((0, 0, 0), np.empty(SHAPE)), store.flush):
        with pytest.raises(octavo.UsageError, match="closed"):
            use()


@only(*(kind.name for kind in KINDS if not kind.name.startswith("memory")))
def test_flush_syncs_files_and_directories(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-7: every chunk file that there is, and the directories that name them."""
    spec = kind.make(tmp_path, "float64")
    synced: set[str] = set()
    real = os.fsync

    def watch(descriptor: int) -> None:
        synced.add(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    with opened(spec) as store:
        store.write((0, 0, 0), values(SHAPE, "float64"))
        store.flush()
    if spec["kind"] == "hdf5":
        assert {str(tmp_path), spec["path"].removesuffix("/group/data")} <= synced
        return
    made = {str(path) for path in Path(spec["path"]).rglob("*") if path.name not in ("zarr.json", ".zarray", ".zattrs")}
    assert len(made) > 8
    assert made | {spec["path"]} <= synced


@pytest.mark.parametrize(
    "kind", [k for k in KINDS if k.name in ("v2-zstd", "v2-gzip", "v2-blosc", "v3-zstd", "v3-gzip", "v3-crc", "v3-shards", "v2-none")], ids=lambda k: k.name
)
@pytest.mark.parametrize("harm", ["garbage", "half", "longer", "empty"])
def test_damaged_chunks(kind: Kind, harm: str, tmp_path: Path) -> None:
    """S-10: an IoError that names the file of the chunk; others are still read."""
    spec, wanted = filled(kind, tmp_path)
    file = next(path for path in (Path(spec["path"]) / "0.0.0", Path(spec["path"]) / "c/0/0/0") if path.exists())
    good = file.read_bytes()
    bad = {"garbage": os.urandom(len(good)), "half": good[: len(good) // 2], "longer": good * 1000, "empty": b""}[harm]
    file.write_bytes(bad)
    if (kind.name, harm) in (("v2-none", "garbage"), ("v3-shards", "longer")):
        return  # no codec, no check; a shard may have bytes that its index does not mention
    with opened(spec, writable=False) as store:
        with pytest.raises(octavo.IoError, match=str(file)):
            store.read((0, 0, 0), np.empty(SHAPE))
        out = np.empty((1, 10, 7))
        store.read((8, 0, 0), out)
        np.testing.assert_array_equal(out, wanted[8:9])


def test_nothing_goes_on_after_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-10: zarr-python raises the first failure while its other tasks run; none may still read into `out` when we have returned."""
    files = pytest.importorskip("octavo._src.stores.zarr_files")
    spec, _ = filled(next(kind for kind in KINDS if kind.name == "v3-zstd"), tmp_path)
    (Path(spec["path"]) / "c/0/0/0").write_bytes(b"damaged")
    begun, ended = [], []
    real = files.BoundedFiles.get

    async def slow(self: Any, key: str, *arguments: Any, **more: Any) -> Any:
        begun.append(key)
        if key.startswith("c/") and key != "c/0/0/0":
            await asyncio.sleep(0.01)  # so that the failure comes first
        try:
            return await real(self, key, *arguments, **more)
        finally:
            ended.append(key)

    with opened(spec, writable=False) as store:
        monkeypatch.setattr(files.BoundedFiles, "get", slow)
        with pytest.raises(octavo.IoError, match="c/0/0/0"):
            store.read((0, 0, 0), np.empty(SHAPE))
        assert len(begun) == len(ended) > 2


def test_damaged_hdf5_chunk(tmp_path: Path) -> None:
    """S-10: HDF5's checksum finds it."""
    h5py = pytest.importorskip("h5py")
    kind = next(kind for kind in KINDS if kind.name == "h5-gzip")
    spec, _ = filled(kind, tmp_path)
    file = tmp_path / "h5-gzip.h5"
    with h5py.File(file, "r") as opened_file:
        chunk = opened_file["group/data"].id.get_chunk_info(0)
    with file.open("r+b") as raw:
        raw.seek(chunk.byte_offset)
        raw.write(os.urandom(chunk.size))
    with opened(spec, writable=False) as store, pytest.raises(octavo.IoError, match=r"h5-gzip\.h5"):
        store.read((0, 0, 0), np.empty(SHAPE))
