# SPDX-License-Identifier: Apache-2.0
"""Zarr whose chunks are encoded by codecs that Octavo has itself: zarr-python is the judge, in both directions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from formats_kit import is_built
from kit import Array, noise, worked

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")
pytestmark = pytest.mark.timeout(120)
CNAMES = ("blosclz", "lz4", "lz4hc", "zlib", "zstd")
SHAPE, CHUNKS, SHARDS = (21, 34, 13), (8, 9, 5), (16, 18, 10)  # chunks stand over every edge


def _blosc(cname: str, shuffle: str) -> Callable[[int], Any]:
    return lambda itemsize: zarr.codecs.BloscCodec(cname=cname, clevel=3, shuffle=shuffle, typesize=itemsize)


V3: dict[str, Callable[[int], Any]] = {
    "zstd": lambda _: zarr.codecs.ZstdCodec(level=3),
    "zstd-checksum": lambda _: zarr.codecs.ZstdCodec(level=1, checksum=True),
    "gzip": lambda _: zarr.codecs.GzipCodec(level=1),
    "crc32c": lambda _: zarr.codecs.Crc32cCodec(),
    "zstd-crc32c": lambda _: [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()],
    **{f"blosc-{cname}-{shuffle}": _blosc(cname, shuffle) for cname in CNAMES for shuffle in ("noshuffle", "shuffle", "bitshuffle")},
}
V2: dict[str, Callable[[], Any]] = {
    "zstd": lambda: numcodecs.Zstd(level=1),
    "gzip": lambda: numcodecs.GZip(level=1),
    "zlib": lambda: numcodecs.Zlib(level=1),
    "blosc": lambda: numcodecs.Blosc("lz4", 5, numcodecs.Blosc.AUTOSHUFFLE),
    "blosc-bit": lambda: numcodecs.Blosc("zstd", 1, numcodecs.Blosc.BITSHUFFLE),
    "lz4": lambda: numcodecs.LZ4(acceleration=1),
    "lz4-fast": lambda: numcodecs.LZ4(acceleration=100),
}


def put_some(array: Any, values: Array) -> Array:
    """All but the middle, where no chunk is; what is then to be read."""
    array[:9], array[16:] = values[:9], values[16:]
    want = np.asarray(array[...])
    assert np.array_equal(want[:9], values[:9])
    return want


def check(path: Path, want: Array) -> None:
    """Whole, by parts, by steps and converted, without another process of Python."""
    with octavo.open_array(path, memory="64MiB") as found:
        assert np.array_equal(found[...], want)
        assert np.array_equal(found[3:20, 8:10, 4:6], want[3:20, 8:10, 4:6])
        assert np.array_equal(found[::5, -1, 2::3], want[::5, -1, 2::3])
    about = octavo.info(path)
    assert about.codecs
    assert about.native == all(map(is_built, about.codecs))


@pytest.mark.parametrize("codec", V3)
@pytest.mark.parametrize("sharded", [False, True], ids=["chunks", "shards"])
def test_what_zarr_python_writes_in_v3_is_read(tmp_path: Path, codec: str, sharded: bool) -> None:
    big = len(codec) % 2 == 0
    dtype = ("float32", "complex128", "int16", "float64")[len(codec) % 4]
    values = noise(SHAPE, dtype, 1)
    options: dict[str, Any] = {"shards": SHARDS} if sharded else {}
    options |= {"serializer": zarr.codecs.BytesCodec(endian="big" if big else "little"), "compressors": V3[codec](np.dtype(dtype).itemsize)}
    array = zarr.create_array(tmp_path / "a.zarr", shape=SHAPE, chunks=CHUNKS, dtype=dtype, fill_value=7, **options)
    want = put_some(array, values)
    check(tmp_path / "a.zarr", want)
    with octavo.open_array(tmp_path / "a.zarr", mode="r+") as found:
        found[2:19, 3:30, 1:12] = values[2:19, 3:30, 1:12]
    want[2:19, 3:30, 1:12] = values[2:19, 3:30, 1:12]
    assert np.array_equal(zarr.open_array(tmp_path / "a.zarr", mode="r")[...], want)


@pytest.mark.parametrize("codec", V2)
@pytest.mark.parametrize("order", "<>")
def test_what_zarr_python_writes_in_v2_is_read(tmp_path: Path, codec: str, order: str) -> None:
    values = noise(SHAPE, "float32", 2)
    dtype = np.dtype("float32").newbyteorder(order)
    array = zarr.create_array(tmp_path / "a.zarr", shape=SHAPE, chunks=CHUNKS, dtype=dtype, compressors=V2[codec](), filters=None, zarr_format=2, fill_value=3)
    want = put_some(array, values)
    check(tmp_path / "a.zarr", want)
    with octavo.open_array(tmp_path / "a.zarr", mode="r+") as found:
        found[2:19] = values[2:19]
    want[2:19] = values[2:19]
    assert np.array_equal(zarr.open_array(tmp_path / "a.zarr", mode="r")[...], want)


@pytest.mark.parametrize("compressor", ["zstd", "gzip", "blosc"])
@pytest.mark.parametrize("form", ["v2", "v3", "shards"])
def test_zarr_python_reads_what_octavo_writes(tmp_path: Path, compressor: str, form: str) -> None:
    values = noise(SHAPE, "complex64", 3)
    options: dict[str, Any] = {"shards": SHARDS} if form == "shards" else {"zarr_format": 2 if form == "v2" else 3}
    options |= {"chunks": CHUNKS, "compressor": compressor, "level": 1, "fill_value": 2, "attrs": {"unit": "K"}}
    with octavo.create_array(tmp_path / "a.zarr", SHAPE, "complex64", **options) as made:
        assert np.all(made[...] == 2)
        made[4:, 5:] = values[4:, 5:]
    got = zarr.open_array(tmp_path / "a.zarr", mode="r")
    assert got.chunks == CHUNKS
    assert got.shards == (SHARDS if form == "shards" else None)
    assert dict(got.attrs) == {"unit": "K"}
    want = np.full(SHAPE, 2, "complex64")
    want[4:, 5:] = values[4:, 5:]
    assert np.array_equal(got[...], want)
    check(tmp_path / "a.zarr", want)


@pytest.mark.parametrize("shards", [None, (32, 32)], ids=["chunks", "shards"])
def test_a_job_reads_and_writes_them(tmp_path: Path, shards: tuple[int, int] | None) -> None:
    values = noise((96, 70), "float64", 4)
    zarr.create_array(tmp_path / "a.zarr", data=values, chunks=(16, 16), shards=shards)
    octavo.fft.fftn(tmp_path / "a.zarr", out=tmp_path / "b.zarr", chunks=(16, 16), shards=shards, compressor="blosc", memory="16MiB", progress=False).close()
    np.testing.assert_allclose(zarr.open_array(tmp_path / "b.zarr", mode="r")[...], np.fft.fftn(values), atol=1e-9)


def test_a_damaged_chunk_is_named_with_file_and_codec(tmp_path: Path) -> None:
    values = noise((16, 16), "float64", 5)
    zarr.create_array(tmp_path / "a.zarr", data=values, chunks=(8, 8))
    chunk = tmp_path / "a.zarr" / "c" / "1" / "0"
    chunk.write_bytes(chunk.read_bytes()[:-9])
    with octavo.open_array(tmp_path / "a.zarr") as found:
        with pytest.raises(octavo.IoError, match=r"a\.zarr/c/1/0' is damaged: its chunk, encoded by zstd, cannot be decoded: zstd: "):
            found[...]
        assert np.array_equal(found[:8], values[:8])


def test_what_is_not_native_is_read_by_zarr_python_and_the_log_says_so_once(tmp_path: Path) -> None:
    values = noise((16, 16), "float64", 6)
    codecs = {"a": numcodecs.LZMA(), "b": numcodecs.LZMA(preset=3), "c": numcodecs.BZ2(), "d": numcodecs.BZ2()}
    for name, codec in codecs.items():
        zarr.create_array(tmp_path / f"{name}.zarr", data=values, chunks=(8, 8), compressors=codec, zarr_format=2)
    program = f"import octavo\nfor each in 'aabcdb':\n    print(octavo.open_array(f'{tmp_path}/{{each}}.zarr')[...].sum())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("like it are read and written by zarr-python") == 2
    for name, codec in (("a", "lzma"), ("c", "bz2")):
        assert f"'{tmp_path}/{name}.zarr/.zarray': the codec '{codec}' is not read in C++" in done.stderr
    about = octavo.info(tmp_path / "a.zarr")
    assert (about.native, about.codecs) == (False, ("lzma",))


def test_info_says_codec_ratio_and_shards(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", data=np.ones((64, 64)), chunks=(8, 8), shards=(32, 32), compressors=zarr.codecs.BloscCodec(cname="lz4"))
    about = octavo.info(tmp_path / "a.zarr")
    assert (about.codecs, about.shards) == (("blosc lz4",), (32, 32))
    assert about.ratio is not None
    assert about.ratio > 2  # ones
    assert "shards of 32 x 32\nencoded by blosc lz4, " in worked("info", tmp_path / "a.zarr").out
