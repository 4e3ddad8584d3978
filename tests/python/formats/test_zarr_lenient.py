# SPDX-License-Identifier: Apache-2.0
"""Metadata that Zarr's many writers make: what zarr-python reads, Octavo reads as the same values, or refuses by the name of the field."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
import zarr
from octavo._src import stores
from octavo._src.sources import open_source

pytestmark = pytest.mark.timeout(120)
FIELDS = "zarr.json|.zarray|.zattrs|dtype|type|shape|chunk|codec|filter|fill|order|separator|attributes|dimension|JSON|integer"
TYPES = ("int8", "uint8", "int16", "uint16", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128")
NUMBERS: list[Any] = [
    0,
    1,
    -1,
    7,
    255,
    300,
    2**53 + 1,
    2**63,
    2**64 - 1,
    2**64 + 1,
    -(2**63),
    10**30,
    0.0,
    -0.0,
    1.0,
    3.0,
    1.5,
    1e3,
    1e18,
    1e38,
    True,
    False,
    None,
]
TEXTS: list[Any] = [
    "0",
    "7",
    "-1",
    "+5",
    "0.0",
    "1.5",
    "1e3",
    "-1e-3",
    "NaN",
    "Infinity",
    "-Infinity",
    "nan",
    "inf",
    "",
    " 1",
    "1_0",
    "0x7fc00001",
    "0x3f800000",
]
TEXTS += ["0x3ff0000000000000", "0x3c00", "0xzz", "18446744073709551615", "18446744073709551616", "AAAAAAAAAAA=", "x", "٣"]
STRANGE: list[Any] = [float("nan"), float("inf"), -float("inf"), [], [0], [1, 2], [1.5, "NaN"], ["0x3f800000", 1], ["1", "2"], [True, False], {}, {"a": 1}]
VALUES = NUMBERS + TEXTS + STRANGE
MISSING = object()
ANY: list[Any] = [MISSING, None, 0, 1, 2, "", "x", True, [], {}, [0], [None], "/", ".", "C", "F"]
V2: dict[str, list[Any]] = {
    "fill_value": [*VALUES, MISSING],
    "compressor": [None, MISSING, False, {}],
    "filters": [None, MISSING, [], {}],
    "order": ["C", "F", "c", MISSING],
    "dimension_separator": [".", "/", MISSING, None, ""],
    "dtype": [
        "<i2",
        ">i2",
        "|i1",
        "<i1",
        "i2",
        "<f4",
        ">f8",
        "=f8",
        "|f4",
        "<c8",
        "|u1",
        "int16",
        "bfloat16",
        "<f16",
        "<f2",
        "|b1",
        "<M8[s]",
        "|S4",
        [["a", "<f4"]],
    ],
    "zarr_format": [2, 2.0, "2", 3],
    "chunks": [[2, 3], [2.0, 3], [0, 3], [10, 10], [3], 2, [True, 3]],
    "shape": [[3, 4], [0, 4], [3, 0], 3, [3.0, 4], ["3", 4], [-3, 4]],
    "extra": ["x", MISSING],
    ".zattrs": [
        MISSING,
        None,
        {},
        {"a": 2**64 + 1},
        [],
        {"a": "\ud800"},
        {"_ARRAY_DIMENSIONS": ["y", "x"]},
        {"_ARRAY_DIMENSIONS": "yx"},
        {"\x01": "\x01=#d800"},
    ],
}
V3: dict[str, list[Any]] = {
    "fill_value": [*VALUES, MISSING],
    "attributes": [None, MISSING, {}, [], {"a": 2**64 + 1}, {"a": [-(10**40), 1e300]}, {"\ud800": "\udfff"}, {"a": "\U0001f600\x01#NaN"}],
    "data_type": [*TYPES, {"name": "float32"}, {"name": "int16", "configuration": {}}, {"name": "float64", "configuration": {"x": 1}},
                  "<f4", "bool", "float16", "r8", ""],
    "dimension_names": [MISSING, None, ["y", "x"], ["y", None], ["y"], "yx", []],
    "chunk_key_encoding": ["default", "v2", {"name": "v2"}, {"name": "default", "configuration": {"separator": "."}},
                           {"name": "v2", "configuration": {"separator": "/"}},
                           {"name": "default", "configuration": None}, {"name": "default", "configuration": {"separator": None}}, {"name": "x"}],
    "codecs": ["bytes", ["bytes"], [{"name": "bytes"}], [{"name": "bytes", "configuration": {"endian": "big"}}],
               [{"name": "bytes", "configuration": {"endian": None}}],
               [{"name": "bytes", "configuration": {}}], [{"name": "endian", "configuration": {"endian": "little"}}], [], [{"name": "bytes"}, "crc32c"]],
    "chunk_grid": [{"name": "regular", "configuration": {"chunk_shape": each}} for each in ([2, 3], [0, 3], [2.0, 3], [3], 2, [True, 3])] + ["regular", {}],
    "shape": [[3, 4], [0, 4], [3, 0], 3, [3.0, 4], ["3", 4]],
    "storage_transformers": [MISSING, None, [], [{"name": "x"}]],
    "zarr_format": [3, 3.0, "3"],
    "node_type": ["array", "Array", MISSING],
    "extra": [MISSING, {"must_understand": False}, {"must_understand": True}, 1],
}  # fmt: skip


def plain(version: int, kind: str) -> dict[str, Any]:
    fill = [0.0, 0.0] if kind.startswith("complex") else 0
    if version == 2:
        about = {"zarr_format": 2, "shape": [3, 4], "chunks": [2, 3], "dtype": np.dtype(kind).str, "fill_value": fill, "order": "C"}
        return {**about, "compressor": None, "filters": None}
    about = {"zarr_format": 3, "node_type": "array", "shape": [3, 4], "data_type": kind, "fill_value": fill}
    grid = {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
    return {**about, "chunk_grid": grid, "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "codecs": codecs, "attributes": {}}


def made(path: Path, version: int, about: dict[str, Any], rng: random.Random, kind: str) -> Path:
    """With one chunk, under whichever name the metadata may mean; the others are the fill value."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    attributes = about.pop(".zattrs", MISSING)
    text = json.dumps(about, ensure_ascii=rng.random() < 0.7 or "\\ud" in json.dumps(about))
    (path / ("zarr.json" if version == 3 else ".zarray")).write_bytes(text.encode())
    if attributes is not MISSING:
        (path / ".zattrs").write_text(json.dumps(attributes))
    element = np.dtype(kind)
    block = np.arange(1, 7).astype(element).tobytes()
    separator = about.get("dimension_separator") if version == 2 else str(about.get("chunk_key_encoding"))
    name = ("0/0" if separator == "/" else "0.0") if version == 2 else {True: "c.0.0", False: "c/0/0"}["." in str(separator)]
    if version == 3 and "v2" in str(separator):
        name = "0/0" if "/" in str(separator) else "0.0"
    (path / name).parent.mkdir(parents=True, exist_ok=True)
    (path / name).write_bytes(block)
    return path


def by_zarr(path: Path) -> tuple[Any, dict[str, Any]] | None:
    """Values and attributes; None for what it refuses, in whichever way."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        opened = zarr.open_array(str(path), mode="r")
        return np.asarray(opened[...]), dict(opened.attrs)
    return None


def by_octavo(path: Path) -> tuple[Any, dict[str, Any]] | str:
    """Values and attributes, or the refusal. A store is read in this process: it is its reader that is tested."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = open_source(path)
            attributes = json.loads(found.attributes_json or "{}")
            if found.format != "store":
                return octavo.open_array(path)[...], attributes
            values = np.empty(found.shape, found.dtype)
            with contextlib.closing(stores.open_store({"kind": "zarr", "path": str(path)}, writable=False)) as store:
                store.read((0,) * values.ndim, values)
            return values, attributes
    except (octavo.UsageError, octavo.NotSupported, octavo.IoError) as refusal:
        return f"{type(refusal).__name__}: {refusal}"


def same(got: Any, want: Any) -> bool:
    """Bits of NaN aside, which zarr-python's numbers lose."""
    return got.dtype == want.dtype.newbyteorder("=") and got.shape == want.shape and np.array_equal(got, want, equal_nan=got.dtype.kind in "fc")


@pytest.mark.parametrize("version", [2, 3])
def test_the_values_are_those_of_zarr_python_or_the_field_is_named(tmp_path: Path, version: int) -> None:
    rng = random.Random(40 + version)
    fields = V2 if version == 2 else V3
    each = [(field, value) for field, values in fields.items() for value in values]
    cases = [[one] for one in each for _ in range(2 if one[0] == "fill_value" else 1)]
    cases += [[*{field: (field, rng.choice(fields[field])) for field in rng.sample(sorted(fields), rng.randint(2, 3))}.values()] for _ in range(60)]
    cases += [[(rng.choice(sorted(fields)), rng.choice(ANY))] for _ in range(40)]
    read = refused = 0
    for changes in cases:
        kind = rng.choice(TYPES)
        about = plain(version, kind)
        for field, value in changes:
            about.pop(field, None)
            if value is not MISSING:
                about[field] = value
        told = about.get("data_type" if version == 3 else "dtype")
        with contextlib.suppress(TypeError):
            kind = np.dtype(told.get("name") if isinstance(told, dict) else told).name if told else kind
        path = made(tmp_path / "a.zarr", version, dict(about), rng, kind if kind in octavo._core.dtypes else "int8")
        want, got = by_zarr(path), by_octavo(path)
        where = f"{changes} of {kind}: {got}"
        if isinstance(got, str):
            refused += want is not None
            assert want is None or not got.startswith("IoError"), where
            assert want is None or any(word in got for word in FIELDS.split("|")), where
        elif want is not None:
            read += 1
            assert same(got[0], want[0]), f"{where}; zarr-python: {want[0]}"
            names = {"_ARRAY_DIMENSIONS"} if version == 2 else set()
            assert {name: value for name, value in want[1].items() if name not in names} == {k: v for k, v in got[1].items() if k not in names}, where
    assert read > 4 * refused, "most of what zarr-python reads is read"


DIGITS: dict[str, Any] = {"id": 2**64 + 1, "far": [-(10**40), {"more": 2**63}], "half": "a\ud800b", "\udc01": 1, "near": 2**64 - 1, "one": "\x01#NaN \x01"}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("compressor", [None, "zstd"])
def test_attributes_keep_their_digits_and_halves_of_pairs_also_in_copies(tmp_path: Path, version: int, compressor: Any) -> None:
    with octavo.create_array(tmp_path / "a.zarr", (4,), "float32", zarr_format=version, compressor=compressor, attrs=DIGITS) as a:
        assert a.attrs == DIGITS
    octavo.copy(tmp_path / "a.zarr", tmp_path / "b.zarr", zarr_format=5 - version, progress=False).close()
    octavo.copy(tmp_path / "b.zarr", tmp_path / "c.octavo", progress=False).close()
    octavo.copy(tmp_path / "c.octavo", tmp_path / "d.zarr", compressor="gzip", progress=False).close()
    for name in ("a.zarr", "b.zarr", "d.zarr"):
        assert dict(zarr.open_array(str(tmp_path / name)).attrs) == DIGITS
        assert octavo.info(tmp_path / name).attrs == DIGITS


ENCODINGS = [(2, ".", "/"), (2, "/", "."), (3, ".", "/"), (3, "/", "."), ("3 by v2", ".", "/"), ("3 by v2", "/", ".")]


@pytest.mark.parametrize(("kind", "told", "used"), ENCODINGS)
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("shape", [(6, 4), (6, 1, 4)])
def test_chunks_by_the_other_separator_are_not_taken_for_missing(
    tmp_path: Path, kind: Any, told: str, used: str, compressed: bool, shape: tuple[int, ...]
) -> None:
    path = tmp_path / "a.zarr"
    names = {"name": "default" if kind == 3 else "v2", "separator": used}
    about: dict[str, Any] = {"chunks": (2,) * len(shape), "zarr_format": 2 if kind == 2 else 3, "chunk_key_encoding": names}
    made_by = zarr.create_array(str(path), shape=shape, dtype="f4", compressors="auto" if compressed else None, **about)
    made_by[4:] = 7  # the first chunks are not there
    metadata = path / ("zarr.json" if made_by.metadata.zarr_format == 3 else ".zarray")
    before = json.loads(metadata.read_text())
    assert (octavo.open_array(path)[4:] == 7).all()
    for change in (("told",), ("missing",)) if kind == 2 and told == "." else (("told",),):
        after = json.loads(json.dumps(before))
        if kind == 2:
            after["dimension_separator"] = told
            if change == ("missing",):
                del after["dimension_separator"]
        else:
            after["chunk_key_encoding"]["configuration"]["separator"] = told
        metadata.write_text(json.dumps(after))
        for mode in ("r", "r+"):
            with pytest.raises(octavo.UsageError, match=rf"such as '[c0-9./]+', but by its metadata.*separator\": \"{used}\""):
                octavo.open_array(path, mode=mode)
        with pytest.raises(octavo.UsageError, match="the fill value"):
            octavo.fft.fftn(path, out=tmp_path / "b.npy", progress=False)
    for each in path.iterdir():
        if each.name not in ("zarr.json", ".zarray", ".zattrs"):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    assert (octavo.open_array(path)[...] == 0).all(), "without any chunk it is the fill value"


def test_a_name_that_is_no_chunk_does_not_matter(tmp_path: Path) -> None:
    zarr.create_array(str(tmp_path / "a.zarr"), shape=(4, 4), chunks=(2, 2), dtype="f4", zarr_format=2, compressors=None)  # "0.0"
    (tmp_path / "a.zarr" / "0" / "1" / "2").mkdir(parents=True)
    (tmp_path / "a.zarr" / "1").mkdir()
    (tmp_path / "a.zarr" / "1" / "x").touch()
    assert (octavo.open_array(tmp_path / "a.zarr")[...] == 0).all()


CHAIN = [{"name": "bytes", "configuration": {"endian": "little"}}]
ZSTD, GZIP = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}, {"name": "gzip", "configuration": {"level": 1}}
SHARDED = {"chunk_shape": [2, 3], "codecs": CHAIN, "index_codecs": CHAIN}


def sharded(**inner: Any) -> list[dict[str, Any]]:
    return [{"name": "sharding_indexed", "configuration": {**SHARDED, **inner}}]


MANY = 100_000
HEAVY: list[tuple[int, dict[str, Any], str]] = [
    (3, {"codecs": CHAIN + [{"name": "crc32c"}] * MANY}, "'codecs' has 100001 codecs; at most 16"),
    (3, {"codecs": sharded(codecs=CHAIN + ["crc32c"] * MANY)}, "'codecs' has 100001 codecs"),
    (3, {"codecs": sharded(index_codecs=CHAIN + ["crc32c"] * MANY)}, "'index_codecs' has 100001 codecs"),
    (2, {"filters": [{"id": "crc32"}] * MANY}, "'filters' has 100000 codecs"),
    (3, {"codecs": [*CHAIN, ZSTD, ZSTD]}, "compressed more than once, by zstd and zstd"),
    (3, {"codecs": [*CHAIN, GZIP, {"name": "crc32c"}, {"name": "numcodecs.lzma", "configuration": {}}]}, "compressed more than once, by gzip and lzma"),
    (3, {"codecs": [*sharded(codecs=[*CHAIN, ZSTD]), GZIP]}, "compressed more than once, by gzip and zstd"),
    (3, {"codecs": sharded(codecs=sharded(codecs=[*CHAIN, ZSTD, ZSTD]))}, "compressed more than once"),
    (3, {"codecs": sharded(index_codecs=[*CHAIN, ZSTD, ZSTD])}, "compressed more than once"),
    (2, {"compressor": {"id": "zstd"}, "filters": [{"id": "zlib"}]}, "compressed more than once, by zlib and zstd"),
    (2, {"filters": [{"id": "bz2"}, {"id": "shuffle"}, {"id": "lz4"}]}, "compressed more than once, by bz2 and lz4"),
    (3, {"shape": [1] * MANY, "codecs": [*CHAIN, ZSTD]}, "dimensions; at most 8"),
    (2, {"shape": [1] * MANY, "chunks": [1] * MANY, "compressor": {"id": "zstd"}}, "dimensions; at most 8"),
    (3, {"dimension_names": ["x"] * MANY, "codecs": [*CHAIN, ZSTD]}, "dimension"),
]


@pytest.mark.parametrize(("version", "fields", "words"), HEAVY, ids=[f"{v}-{w[:40]}" for v, _, w in HEAVY])
def test_metadata_that_would_cost_much_is_refused_at_once(tmp_path: Path, version: int, fields: dict[str, Any], words: str) -> None:
    path = made(tmp_path / "a.zarr", version, plain(version, "float32") | fields, random.Random(1), "float32")
    with pytest.raises((octavo.NotSupported, octavo.UsageError), match=words):
        octavo.info(path)


def test_what_is_no_compressor_may_stand_beside_one(tmp_path: Path) -> None:
    values = np.arange(12.0).reshape(3, 4)
    shuffle = zarr.codecs.numcodecs.Shuffle(elementsize=8) if hasattr(zarr.codecs, "numcodecs") else None
    for name, codecs in {"a": [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()], "b": [*([shuffle] if shuffle else []), zarr.codecs.GzipCodec()]}.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zarr.create_array(str(tmp_path / f"{name}.zarr"), data=values, chunks=(2, 2), shards=(4, 4), compressors=codecs)
        assert (octavo.open_array(tmp_path / f"{name}.zarr")[...] == values).all()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("chunks", [[0, 2], [0, 5], [1, 2]])
def test_chunks_without_extent_where_there_are_no_elements(tmp_path: Path, version: int, compressed: bool, chunks: list[int]) -> None:
    about = plain(version, "float32") | {"shape": [0, 5]}
    if version == 2:
        about |= {"chunks": chunks, "compressor": {"id": "zstd", "level": 1} if compressed else None}
    else:
        about |= {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}}, "codecs": [*CHAIN, *([ZSTD] if compressed else [])]}
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / ("zarr.json" if version == 3 else ".zarray")).write_text(json.dumps(about))
    with octavo.open_array(tmp_path / "a.zarr", mode="r+") as a:
        assert a[...].shape == (0, 5) == zarr.open_array(str(tmp_path / "a.zarr"), mode="r").shape
        a[...] = 1
