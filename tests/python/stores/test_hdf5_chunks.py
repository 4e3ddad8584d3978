# SPDX-License-Identifier: Apache-2.0
"""Chunked HDF5 read past its library: the same elements as by h5py, of any layout; and left to h5py where it might not be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import octavo
import pytest
from octavo import _core
from octavo._src.stores import open_store
from octavo._src.stores.unit_store import parts

pytestmark = pytest.mark.timeout(120)

TYPES = ("i1", "<u2", ">i4", "<i8", "<f4", ">f4", "<f8", ">f8", "<c8", "<c16", ">c16")
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"compression": "gzip", "compression_opts": 1},
    {"compression": "gzip", "compression_opts": 9, "shuffle": True},
    {"compression": "gzip", "shuffle": True, "fletcher32": True},
    {"fletcher32": True},
    {"compression": "gzip", "fletcher32": True},
    {"compression": "lzf"},
    {"compression": "lzf", "shuffle": True, "fletcher32": True},
)


COMPRESSORS = {h5py.h5z.FILTER_DEFLATE: "numcodecs.zlib", h5py.h5z.FILTER_LZF: "lzf"}
needs_gzip = pytest.mark.skipif("numcodecs.zlib" not in _core.native_codecs(), reason="this build has no gzip: HDF5 reads and writes what has it")


def is_native(path: Path) -> bool:
    return octavo.info(path).native


def made(path: Path, seed: int) -> h5py.Dataset:
    """A dataset of random shape, type, chunks, filters and version of the format, some of whose chunks were written. The file stays open."""
    random = np.random.default_rng(seed)
    dims = int(random.integers(1, 4))
    shape = tuple(int(extent) for extent in random.integers(1, (200, 40, 20)[dims - 1], dims))
    chunks = tuple(int(random.integers(1, extent + 1)) for extent in shape)
    kind = np.dtype(TYPES[random.integers(len(TYPES))])
    version = [("earliest", "v108"), ("v110", "v110"), ("latest", "latest")][random.integers(3)]
    file = h5py.File(path, "w", libver=version)
    growing = bool(random.random() < 0.4)
    more = {"maxshape": tuple(None if random.random() < 0.7 else extent for extent in shape)} if growing else {}
    fill = {"fillvalue": np.array(3, kind)[()]} if random.random() < 0.5 else {}
    dataset = file.create_dataset("d", shape, kind, chunks=chunks, **FILTERS[random.integers(len(FILTERS))], **more, **fill)
    for _ in range(int(random.integers(0, 4))):
        lo = [int(random.integers(0, extent)) for extent in shape]
        box = tuple(slice(at, int(random.integers(at + 1, extent + 1))) for at, extent in zip(lo, shape, strict=True))
        part = random.integers(0, 100, dataset[box].shape)
        dataset[box] = (part + 1j * part if kind.kind == "c" else part).astype(kind)
    if growing and random.random() < 0.5:
        dataset.resize(tuple(extent if most is not None else max(1, extent // 2) for extent, most in zip(shape, dataset.maxshape, strict=True)))
    return dataset


@pytest.mark.parametrize("seed", range(40))
def test_any_layout_reads_as_by_h5py(seed: int, tmp_path: Path) -> None:
    dataset = made(tmp_path / "a.h5", seed)
    expected, random = dataset[...], np.random.default_rng(seed + 1000)
    dataset.file.close()
    assert is_native(tmp_path / "a.h5") != is_doubtful(tmp_path / "a.h5")
    with octavo.open_array(tmp_path / "a.h5", memory="32MiB") as a:
        np.testing.assert_array_equal(a[...], expected)
        for _ in range(5):
            lo = [int(random.integers(0, extent)) for extent in expected.shape]
            box = tuple(slice(at, int(random.integers(at + 1, extent + 1)), int(random.integers(1, 4))) for at, extent in zip(lo, expected.shape, strict=True))
            np.testing.assert_array_equal(a[box], expected[box])


@pytest.mark.parametrize("filters", [each for each in FILTERS if each], ids=str)
def test_chunks_that_hdf5_keeps_unencoded_are_replaced_right(filters: dict[str, Any], tmp_path: Path) -> None:
    """HDF5 forgets which filters a chunk has that is replaced by one of the same length: thousands of small ones, near the limit where encoding pays."""
    random = np.random.default_rng(7)
    for kind, below in (("<i2", 300), ("<i2", 20000), ("u1", 200), ("<i4", 1000)):
        before, after = (random.integers(0, below, 32 * 1500).astype(kind) for _ in range(2))
        with h5py.File(tmp_path / "a.h5", "w") as f:
            f.create_dataset("d", data=before, chunks=(32,), **filters)
        with octavo.open_array(tmp_path / "a.h5", mode="r+") as a:
            a[:] = after
            np.testing.assert_array_equal(a[...], after)
        with h5py.File(tmp_path / "a.h5") as f:
            np.testing.assert_array_equal(f["d"][...], after)


@pytest.mark.parametrize("seed", range(16))
def test_any_layout_is_written_as_by_h5py(seed: int, tmp_path: Path) -> None:
    dataset = made(tmp_path / "a.h5", seed)
    expected, chunks, random = dataset[...], tuple(dataset.chunks), np.random.default_rng(seed + 2000)
    dataset.file.close()
    with octavo.open_array(tmp_path / "a.h5", mode="r+", memory="64MiB") as a:
        for step in range(6):
            # Of every second box the chunks are whole.
            unit = chunks if step % 2 else (1,) * expected.ndim
            lo = [int(random.integers(0, extent)) // each * each for extent, each in zip(expected.shape, unit, strict=True)]
            box = tuple(slice(at, at + each * int(random.integers(1, 4))) for at, each in zip(lo, unit, strict=True))
            part = random.integers(0, 100, expected[box].shape).astype(expected.dtype)
            a[box], expected[box] = part, part
            np.testing.assert_array_equal(a[box], part)
    with h5py.File(tmp_path / "a.h5") as file:
        np.testing.assert_array_equal(file["d"][...], expected)
    if not is_doubtful(tmp_path / "a.h5"):
        with octavo.open_array(tmp_path / "a.h5") as a:
            assert is_native(tmp_path / "a.h5")
            np.testing.assert_array_equal(a[...], expected)


@needs_gzip
def test_whole_chunks_are_encoded_here_and_others_left_to_hdf5(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", (70, 64), "f8", chunks=(32, 32), compression="gzip", shuffle=True, fletcher32=True, fillvalue=2)
    values = np.random.default_rng(1).integers(0, 9, (70, 64)).astype("f8")
    store = open_store({"kind": "hdf5", "path": f"{tmp_path}/a.h5/d"}, writable=True)
    encoded: list[tuple[int, ...]] = []
    encoder, inner = store._encoder, store._encoder.write  # type: ignore[attr-defined]

    def write(lo: tuple[int, ...], hi: tuple[int, ...], block: Any) -> Any:
        rest = inner(lo, hi, block)
        encoded.extend(begin for begin, _ in parts(lo, hi, (32, 32)) if begin not in [at for at, _ in rest])
        return rest

    encoder.write = write
    store.write((0, 0), values)
    store.write((33, 0), values[33:65])  # a part of two rows of chunks
    store.close()
    assert encoded == [(0, 0), (0, 32), (32, 0), (32, 32)]
    with h5py.File(tmp_path / "a.h5") as file:
        np.testing.assert_array_equal(file["d"][...], values)


def is_built(dataset: h5py.Dataset) -> bool:
    how = dataset.id.get_create_plist()
    wanted = [COMPRESSORS.get(how.get_filter(i)[0]) for i in range(how.get_nfilters())]
    return all(name is None or name in _core.native_codecs() for name in wanted)


def is_doubtful(path: Path) -> bool:
    """Whether filters were left out for a chunk, or one at the edge is as long as if they were, or the chunks' indices are not those that HDF5 tells, or this
    build has no such compressor."""
    doubtful = []
    with h5py.File(path) as file:
        dataset = file["d"]
        if not is_built(dataset):
            return True
        if dataset.maxshape.count(None) == 1 and dataset.maxshape[0] is not None:
            return True
        whole = int(np.prod(dataset.chunks)) * dataset.dtype.itemsize

        def look(found: Any) -> None:
            ends = [at + each for at, each in zip(found.chunk_offset, dataset.chunks, strict=True)]
            if found.filter_mask or (found.size == whole and any(end > extent for end, extent in zip(ends, dataset.shape, strict=True))):
                doubtful.append(found)

        dataset.id.chunk_iter(look)
        return bool(doubtful) and dataset.id.get_create_plist().get_nfilters() > 0


def test_what_was_never_written_is_the_fill_value(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("d", (100, 100), "f4", chunks=(10, 10), compression="gzip", shuffle=True, fillvalue=np.float32(2.5))
        dataset[35:37, 72:75] = 7
        expected = dataset[...]
        built = is_built(dataset)
    assert is_native(tmp_path / "a.h5") == built
    with octavo.open_array(tmp_path / "a.h5") as a:
        np.testing.assert_array_equal(a[...], expected)
        assert a[35:37, 70:76].max() == 7


@pytest.mark.parametrize("why", ["filter", "order", "skipped", "user block", "scaled", "twelve bits"])
def test_what_only_hdf5_reads_right_is_left_to_it(why: str, tmp_path: Path) -> None:
    path, values = tmp_path / "a.h5", np.arange(4096, dtype="i4").reshape(64, 64)
    with h5py.File(path, "w", userblock_size=512 if why == "user block" else 0) as file:
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_chunk((16, 16))
        kind = h5py.h5t.STD_I32LE.copy()
        if why == "filter":
            how.set_deflate(1)
            how.set_filter(h5py.h5z.FILTER_LZF, h5py.h5z.FLAG_OPTIONAL)
        elif why == "order":
            how.set_fletcher32()
            how.set_deflate(1)
        elif why == "scaled":
            how.set_filter(h5py.h5z.FILTER_SCALEOFFSET, 0, (2, 0))
        elif why == "twelve bits":
            kind.set_precision(20)
        else:
            how.set_deflate(1)
        dataset = h5py.Dataset(h5py.h5d.create(file.id, b"d", kind, h5py.h5s.create_simple(values.shape), dcpl=how))
        dataset[...] = values
        file.flush()
        if why == "skipped":  # the filter was left out for this chunk
            dataset.id.write_direct_chunk((16, 16), values[16:32, 16:32].tobytes(), filter_mask=1)
    assert not is_native(path)
    with octavo.open_array(path) as a:
        np.testing.assert_array_equal(a[...], values)


@needs_gzip
def test_a_damaged_chunk_is_named_and_nothing_of_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("d", data=np.arange(4096.0).reshape(64, 64), chunks=(16, 64), compression="gzip", fletcher32=True)
        found = dataset.id.get_chunk_info(2)
    with path.open("r+b") as raw:
        raw.seek(found.byte_offset + found.size // 2)
        byte = raw.read(1)[0]
        raw.seek(-1, 1)
        raw.write(bytes([byte ^ 4]))
    with octavo.open_array(path) as a:
        with pytest.raises(octavo.IoError, match=rf"a\.h5' is damaged: its chunk at byte {found.byte_offset}, encoded by .*fletcher32.*Restore it"):
            a[...]
        np.testing.assert_array_equal(a[:32], np.arange(2048.0).reshape(32, 64))


def test_a_job_from_it(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(48, 40, 20))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("in/d", data=values, chunks=(20, 16, 20), compression="gzip", shuffle=True)
    with octavo.fft.fftn(tmp_path / "a.h5/in/d", out=tmp_path / "b.npy", memory="16MiB", progress=False) as b:
        np.testing.assert_allclose(b[...], np.fft.fftn(values), atol=1e-9)
    with octavo.copy(tmp_path / "a.h5/in/d", tmp_path / "c.zarr", memory="16MiB", progress=False) as c:
        np.testing.assert_array_equal(c[...], values)


def test_it_keeps_writers_out_and_is_kept_out_by_them(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        for name in ("d", "e"):
            file.create_dataset(name, data=np.arange(100), chunks=(10,), compression="gzip")
    with octavo.open_array(path / "d") as a:
        with pytest.raises(OSError, match="lock"):
            h5py.File(path, "r+")
        with pytest.raises(octavo.IoError, match="open elsewhere"):
            octavo.open_array(path / "e", mode="r+")
        assert a[99] == 99
    with octavo.open_array(path / "d", mode="r+") as a:
        a[5] = 1
        with pytest.raises(octavo.IoError, match="open elsewhere"):
            octavo.open_array(path / "e")
    with octavo.open_array(path / "d") as a:
        assert a[:7].tolist() == [0, 1, 2, 3, 4, 1, 6]


def test_without_locks_it_is_left_to_hdf5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=np.arange(100), chunks=(10,), compression="gzip")
    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "FALSE")
    with octavo.open_array(tmp_path / "a.h5") as a:
        assert a[99] == 99
        assert a.opening.open().storage.format == "store"


@needs_gzip
def test_a_file_that_was_replaced_is_an_error(tmp_path: Path) -> None:
    for name, extent in (("a.h5", 100), ("b.h5", 200)):
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("d", data=np.arange(extent), chunks=(10,), compression="gzip")
    with octavo.open_array(tmp_path / "a.h5") as a:
        (tmp_path / "b.h5").replace(tmp_path / "a.h5")
        with pytest.raises(octavo.IoError, match="was replaced by another one while it was in use"):
            a[...]
