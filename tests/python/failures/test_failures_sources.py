# SPDX-License-Identifier: Apache-2.0
"""Sources that cannot be transformed: one paragraph that names what, where and the cure, and nothing written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from kit import noise, nothing_left, run_command, write_zarr

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(60)

SHAPE, CHUNK = (32, 24, 16), (16, 12, 16)


def good_zarr(path: Path) -> None:
    write_zarr(path, noise(SHAPE), CHUNK)


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Rewrites the metadata."""
    metadata = json.loads((path / "zarr.json").read_text())
    change(metadata)
    (path / "zarr.json").write_text(json.dumps(metadata))


def corrupt(path: Path, text: str) -> None:
    good_zarr(path)
    (path / "zarr.json").write_text(text)


def cut_chunk(path: Path, size: int) -> None:
    good_zarr(path)
    os.truncate(path / "c" / "1" / "0" / "0", size)


def cut_npy(path: Path, size: int) -> None:
    np.save(path, noise(SHAPE))
    os.truncate(path, size)


def without(path: Path, key: str) -> None:
    good_zarr(path)
    edit(path, lambda metadata: metadata.pop(key))


def changed(path: Path, key: str, value: object) -> None:
    good_zarr(path)
    edit(path, lambda metadata: metadata.update({key: value}))


def created(path: Path, **more: Any) -> None:
    """As zarr-python makes it when told no more than this."""
    zarr.create_array(str(path), **{"shape": (8, 8), "chunks": (4, 4), "dtype": "f8", **more})


def damaged(path: Path, harm: Callable[[bytes], bytes], compressor: str | None) -> None:
    """One chunk of a compressed array, or one shard, is no longer what was written."""
    codecs = {"zstd": zarr.codecs.ZstdCodec(), "gzip": zarr.codecs.GzipCodec(), None: None}
    created(path, shape=SHAPE, chunks=CHUNK if compressor else (4, 4, 4), shards=None if compressor else CHUNK, compressors=codecs[compressor])
    zarr.open_array(str(path))[...] = noise(SHAPE, "float64")
    chunk = path / "c" / "1" / "0" / "0"
    chunk.write_bytes(harm(chunk.read_bytes()))


def unknown_codec(path: Path) -> None:
    created(path)
    edit(path, lambda metadata: metadata["codecs"].append({"name": "squeeze-9000", "configuration": {}}))


def one_chunk(path: Path) -> None:
    """64 MiB as they are; nobody decodes a part of a chunk."""
    created(path, shape=(256, 512, 32), chunks=(256, 512, 32), dtype="c16")


# Name of the source, how it is made, words of the message (what and cure; where is the name itself).
CASES: dict[str, tuple[str, Callable[[Path], object], list[str]]] = {
    "no such source": ("a.zarr", lambda path: None, ["no such source", "Check the path"]),
    "no such file": ("a.npy", lambda path: None, ["no such source", "Check the path"]),
    "empty zarr.json": ("a.zarr", lambda path: corrupt(path, ""), ["a.zarr/zarr.json", "not JSON", "again"]),
    "half a zarr.json": ("a.zarr", lambda path: corrupt(path, '{"zarr_format": 3, "sha'), ["a.zarr/zarr.json", "line 1", "again"]),
    "zarr.json is a list": ("a.zarr", lambda path: corrupt(path, "[]"), ["a.zarr/zarr.json", "JSON object"]),
    "zarr.json is deep": ("a.zarr", lambda path: corrupt(path, "[" * 100_000), ["a.zarr/zarr.json"]),
    "zarr.json is binary": ("a.zarr", lambda path: (good_zarr(path), (path / "zarr.json").write_bytes(bytes(range(256)))), ["a.zarr/zarr.json"]),
    "no shape": ("a.zarr", lambda path: without(path, "shape"), ["'shape' is missing"]),
    "no codecs": ("a.zarr", lambda path: without(path, "codecs"), ["'codecs' is missing"]),
    "shape of words": ("a.zarr", lambda path: changed(path, "shape", ["a", "b", "c"]), ["'shape'", "integer"]),
    "negative shape": ("a.zarr", lambda path: changed(path, "shape", [-1, 2, 3]), ["'shape'", "-1"]),
    "huge shape": ("a.zarr", lambda path: changed(path, "shape", [2**60, 2**60, 2**60]), ["a.zarr"]),
    "no zarr.json": ("a.zarr", lambda path: path.mkdir(), ["no zarr.json"]),
    "zarr group": ("a.zarr", lambda path: zarr.create_group(str(path)), ["group", "Name one of the arrays"]),
    "truncated chunk": ("a.zarr", lambda path: cut_chunk(path, 1000), ["c/1/0/0", "truncated", "49152", "1000"]),
    "empty chunk": ("a.zarr", lambda path: cut_chunk(path, 0), ["c/1/0/0", "truncated", "49152"]),
    "truncated npy": ("a.npy", lambda path: cut_npy(path, 5000), ["truncated", "5000", "again"]),
    "npy header cut": ("a.npy", lambda path: cut_npy(path, 50), ["truncated", "50"]),
    "npy empty": ("a.npy", lambda path: cut_npy(path, 0), ["a.npy"]),
    "no npy at all": ("a.npy", lambda path: path.write_text("hello, this is text, and rather long"), ["not a .npy file", "numpy.save"]),
    "float16 npy": ("a.npy", lambda path: np.save(path, np.zeros(8, "<f2")), ["f2", "float32"]),
    "bool npy": ("a.npy", lambda path: np.save(path, np.zeros(8, bool)), ["b1", "uint8"]),
    "text npy": ("a.npy", lambda path: np.save(path, np.array(["a", "bc"])), ["U2"]),
    "structured npy": ("a.npy", lambda path: np.save(path, np.zeros(3, [("a", "f4")])), ["structured", "field"]),
    "fortran npy": ("a.npy", lambda path: np.save(path, np.asfortranarray(noise(SHAPE))), ["Fortran", "mmap_mode"]),
    "float16 zarr": ("a.zarr", lambda path: created(path, dtype="float16", compressors=None), ["float16", "float32"]),
    "bool zarr": ("a.zarr", lambda path: created(path, dtype="bool", compressors=None), ["bool", "uint8"]),
    "text zarr": ("a.zarr", lambda path: created(path, dtype="S5"), ["null_terminated_bytes", "float64"]),
    "compressed float16": ("a.zarr", lambda path: created(path, dtype="float16", zarr_format=2), ["float16", "float32"]),
    "compressed bool": ("a.zarr", lambda path: created(path, dtype="bool"), ["bool", "uint8"]),
    "unknown codec": ("a.zarr", unknown_codec, ["the codec 'squeeze-9000' is none of those that Octavo reads", "zstd"]),
    "truncated zstd": ("a.zarr", lambda path: damaged(path, lambda whole: whole[:-9], "zstd"), ["a.zarr/c/1/0/0", "damaged", "write it again"]),
    "corrupt gzip": ("a.zarr", lambda path: damaged(path, lambda whole: b"hello" + whole, "gzip"), ["a.zarr/c/1/0/0", "damaged", "write it again"]),
    "empty gzip": ("a.zarr", lambda path: damaged(path, lambda whole: b"", "gzip"), ["a.zarr/c/1/0/0", "empty", "write it again"]),
    "corrupt shard": ("a.zarr", lambda path: damaged(path, lambda whole: whole[:-7], None), ["a.zarr/c/1/0/0", "damaged", "write it again"]),
    "chunk beyond the budget": ("a.zarr", one_chunk, ["planning", "256 x 512 x 32", "64 MiB", "memory of 32 MiB", "smaller chunks, or at least"]),
    "zero extent npy": ("a.npy", lambda path: np.save(path, np.zeros((4, 0, 3))), ["4 x 0 x 3", "no elements to transform"]),
    "zero extent zarr": ("a.zarr", lambda path: created(path, shape=(4, 0), compressors=None), ["4 x 0", "no elements to transform"]),
    "no dimensions npy": ("a.npy", lambda path: np.save(path, np.float64(3)), ["without dimensions"]),
    "no dimensions zarr": ("a.zarr", lambda path: created(path, shape=(), chunks=(), compressors=None), ["without dimensions"]),
    "unknown format": ("a.txt", lambda path: path.write_text("hello"), ["no format that is known", "shape and dtype"]),
    "raw without shape": ("a.raw", lambda path: noise(SHAPE).tofile(path), ["no format that is known", "shape and dtype"]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ending", ["zarr", "npy"])
@pytest.mark.filterwarnings("ignore:.*does not have a Zarr V3 specification")
def test_source_that_cannot_be_transformed(tmp_path: Path, name: str, ending: str) -> None:
    source, make, words = CASES[name]
    make(tmp_path / source)
    target = tmp_path / f"target.{ending}"
    with nothing_left(target):
        message = run_command("fft", tmp_path / source, target, "--memory", "32MiB").paragraph()
    for word in [source, *words]:
        assert word in message, message


@pytest.mark.parametrize("name", ["no such source", "half a zarr.json", "float16 npy", "compressed bool", "unknown codec", "raw without shape"])
def test_info_of_such_a_source(tmp_path: Path, name: str) -> None:
    source, make, words = CASES[name]
    make(tmp_path / source)
    message = run_command("info", tmp_path / source).paragraph()
    for word in [source, *words]:
        assert word in message, message


def test_missing_permission(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    source = tmp_path / "a.npy"
    np.save(source, noise(SHAPE))
    source.chmod(0)
    assert "Permission denied" in run_command("fft", source, tmp_path / "target.npy").paragraph()


def test_what_a_file_says_need_not_be_text(tmp_path: Path) -> None:
    source = tmp_path / "a.npy"
    np.save(source, noise(SHAPE))
    source.write_bytes(source.read_bytes().replace(b"'<c16'", b"'<\xff\xb56'"))
    assert "of the NumPy type '\\xff\\xb56'" in run_command("info", source).paragraph()


def test_octavo_array_with_too_many_attributes(tmp_path: Path) -> None:
    octavo.create_array(tmp_path / "a.octavo", (4,), "float32").close()
    metadata = json.loads((tmp_path / "a.octavo/array.json").read_text())
    (tmp_path / "a.octavo/array.json").write_text(json.dumps({**metadata, "attributes": {f"a{i}": i for i in range(60_000)}}))
    for call in (octavo.info, octavo.open_array):
        with pytest.raises(octavo.NotSupported, match=r"a\.octavo/array\.json' has an object of more than \d+ fields"):
            call(tmp_path / "a.octavo")
