# SPDX-License-Identifier: Apache-2.0
"""Zarr v2 and v3 between Octavo and others: what zarr-python writes is read right, what Octavo writes zarr-python and tensorstore read."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
import scipy.fft
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kit import Array, assert_equal, noise, read, run, worked

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(120)

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, width=32) | NAMES
ATTRIBUTES = st.dictionaries(NAMES, st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)), max_size=4)
NUMBERS = itertools.count()  # a directory for each example


@st.composite
def stores(draw: st.DrawFn) -> dict[str, Any]:
    """A small array as one might write it, in both versions."""
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    dtype = draw(st.sampled_from(DTYPES))
    kind = np.dtype(dtype).kind
    if kind in "iu":
        limits = np.iinfo(dtype)
        fill: complex = draw(st.integers(int(limits.min), int(limits.max)))
    else:
        part = st.floats(-1e6, 1e6, width=32)
        fill = complex(draw(part), draw(part)) if kind == "c" else draw(part)
    return {
        "version": draw(st.sampled_from([2, 3])),
        "shape": shape,
        "chunks": tuple(draw(st.integers(1, extent)) for extent in shape),
        "dtype": dtype,
        "big": draw(st.booleans()),
        "separator": draw(st.sampled_from("./")),
        "fill": fill,
        "missing": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "attributes": draw(ATTRIBUTES),
        "names": draw(st.none() | st.lists(NAMES, min_size=len(shape), max_size=len(shape))),
        "seed": draw(st.integers(0, 1000)),
    }


PLAIN = {"shape": (5, 7), "chunks": (2, 3), "dtype": "float64", "big": True, "separator": ".", "fill": 2.5, "missing": 0.5, "seed": 1}


def write(path: Path, store: dict[str, Any]) -> Array:
    """By zarr-python, some chunks left out; what zarr-python then reads."""
    dtype = np.dtype(store["dtype"])
    options: dict[str, Any] = {"shape": store["shape"], "chunks": store["chunks"], "compressors": None, "filters": None}
    options |= {"fill_value": dtype.type(store["fill"]), "attributes": dict(store["attributes"])}
    if store["version"] == 2:
        options |= {"zarr_format": 2, "dtype": dtype.newbyteorder(">" if store["big"] else "<")}
        options["chunk_key_encoding"] = {"name": "v2", "separator": store["separator"]}
        if store["names"] is not None:
            options["attributes"]["_ARRAY_DIMENSIONS"] = store["names"]
    else:
        endian = None if dtype.itemsize == 1 else "big" if store["big"] else "little"
        options |= {"dtype": dtype, "serializer": zarr.codecs.BytesCodec(endian=endian), "dimension_names": store["names"]}
        options["chunk_key_encoding"] = {"name": "default", "separator": store["separator"]}
    stored = zarr.create_array(str(path), **options)
    values, random = noise(store["shape"], store["dtype"], store["seed"]), np.random.default_rng(store["seed"])
    for index in np.ndindex(*(-(-extent // chunk) for extent, chunk in zip(store["shape"], store["chunks"], strict=True))):
        block = tuple(slice(i * chunk, (i + 1) * chunk) for i, chunk in zip(index, store["chunks"], strict=True))
        if random.random() >= store["missing"]:
            stored[block] = values[block]
    return read(path)


@given(stores())
@example({**PLAIN, "version": 2, "attributes": {"unit": "K"}, "names": ["y", "x"]})
@example({**PLAIN, "version": 3, "attributes": {"unit": "K"}, "names": ["y", "x"]})
@settings(max_examples=40)
def test_info_of_what_zarr_python_writes(tmp_path: Path, store: dict[str, Any]) -> None:
    path = tmp_path / f"{next(NUMBERS)}.zarr"
    write(path, store)
    found = octavo.info(path)
    assert (found.format, found.shape, found.chunk, found.dtype) == ("zarr", store["shape"], store["chunks"], store["dtype"])
    assert found.big_endian == (store["big"] and np.dtype(store["dtype"]).itemsize > 1)
    assert found.nbytes == int(np.prod(store["shape"])) * np.dtype(store["dtype"]).itemsize


@given(stores())
@example({**PLAIN, "version": 2, "attributes": {"unit": "K", "_ARRAY_DIMENSIONS": "odd"}, "names": None})
@example({**PLAIN, "version": 2, "attributes": {"unit": "K"}, "names": ["y", "x"]})
@example({**PLAIN, "version": 3, "attributes": {"unit": "K"}, "names": ["y", "x"]})
@settings(max_examples=15)
def test_transform_of_what_zarr_python_writes(tmp_path: Path, store: dict[str, Any]) -> None:
    number = next(NUMBERS)
    source, target = tmp_path / f"{number}.zarr", tmp_path / f"{number}.spectrum.zarr"
    array = write(source, store)
    run(octavo.Job(source, target, memory="32MiB", norm="forward", unpack=False))  # a fill value of v2 says what is missing
    single = store["dtype"] in ("float32", "complex64")
    want = scipy.fft.fftn(array.astype("complex128"), norm="forward").astype("complex64" if single else "complex128")
    result = zarr.open_array(str(target), mode="r")
    assert_equal(np.asarray(result[...]), want)
    assert dict(result.attrs) == store["attributes"]
    assert result.metadata.dimension_names == (None if store["names"] is None else tuple(store["names"]))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(("dtype", "fill"), [("float64", np.nan), ("float32", -np.inf), ("complex64", complex(np.inf, 1)), ("complex128", complex(2, np.nan))])
def test_fill_values_that_are_not_finite(tmp_path: Path, version: int, dtype: str, fill: complex) -> None:
    array = write(tmp_path / "a.zarr", {**PLAIN, "version": version, "dtype": dtype, "fill": fill, "missing": 1.0, "attributes": {}, "names": None})
    assert not np.isfinite(array).any()
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.npy", memory="32MiB"))
    assert not np.isfinite(read(tmp_path / "b.npy")).any()


def test_no_fill_value_is_zero(tmp_path: Path) -> None:
    stored = zarr.create_array(str(tmp_path / "a.zarr"), shape=(6,), chunks=(3,), dtype="<f8", zarr_format=2, compressors=None, fill_value=None)
    stored[:3] = [1, 2, 3]
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.npy", memory="32MiB"))
    assert_equal(read(tmp_path / "b.npy"), scipy.fft.fft(np.array([1, 2, 3, 0, 0, 0], complex)))


@pytest.mark.parametrize("version", [2, 3])
def test_attributes_that_are_no_json(tmp_path: Path, version: int) -> None:
    """Python writes NaN into them, as xarray's missing values."""
    write(tmp_path / "a.zarr", {**PLAIN, "version": version, "attributes": {"missing": np.nan, "range": [-np.inf, np.inf]}, "names": None})
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.zarr", memory="32MiB"))
    attributes = dict(zarr.open_array(str(tmp_path / "b.zarr"), mode="r").attrs)
    assert np.isnan(attributes["missing"])
    assert attributes["range"] == [-np.inf, np.inf]


@pytest.mark.parametrize("version", [2, 3])
def test_groups_name_their_arrays(tmp_path: Path, version: int) -> None:
    group = zarr.create_group(str(tmp_path / "g.zarr"), zarr_format=version)
    for name in ["density", "fields/x", "fields/y"]:
        stored = group.create_array(name, shape=(4, 6), chunks=(2, 3), dtype="<f8", compressors=None, filters=None)
        stored[...] = noise((4, 6), "float64")
    with pytest.raises(octavo.UsageError, match=rf"v{version} group.*'density', 'fields/x', 'fields/y'.*Name one of the arrays.*g\.zarr/density'"):
        octavo.info(tmp_path / "g.zarr")
    run(octavo.Job(tmp_path / "g.zarr" / "fields" / "x", tmp_path / "b.npy", memory="32MiB"))
    assert_equal(read(tmp_path / "b.npy"), scipy.fft.fftn(noise((4, 6), "float64")))


def test_command_reads_version_2(tmp_path: Path) -> None:
    array = write(tmp_path / "a.zarr", {**PLAIN, "version": 2, "attributes": {}, "names": ["y", "x"]})
    assert "5 x 7 float64" in worked("info", tmp_path / "a.zarr").out
    worked("fft", tmp_path / "a.zarr", tmp_path / "b.zarr", "--memory", "32MiB", "--no-unpack")
    assert_equal(read(tmp_path / "b.zarr"), scipy.fft.fftn(array))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("big", [False, True], ids=["little", "big"])
def test_tensorstore(tmp_path: Path, version: int, big: bool) -> None:
    tensorstore = pytest.importorskip("tensorstore")

    def opened(path: Path, driver: str, **more: Any) -> Any:
        return tensorstore.open({"driver": driver, "kvstore": {"driver": "file", "path": str(path)}, **more}).result()

    array = noise((9, 14), "complex64")
    if version == 2:
        metadata: dict[str, Any] = {"shape": [9, 14], "chunks": [4, 5], "dtype": ">c8" if big else "<c8", "compressor": None, "order": "C", "filters": None}
        metadata |= {"fill_value": [1.0, "NaN"], "dimension_separator": "/"}
    else:
        bytes_codec = {"name": "bytes", "configuration": {"endian": "big" if big else "little"}}
        metadata = {"shape": [9, 14], "data_type": "complex64", "codecs": [bytes_codec], "dimension_names": ["y", "x"], "attributes": {"unit": "K"}}
        metadata["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": [4, 5]}}
    driver = "zarr" if version == 2 else "zarr3"
    opened(tmp_path / "a.zarr", driver, metadata=metadata, create=True).write(array).result()
    assert octavo.info(tmp_path / "a.zarr").big_endian == big
    run(octavo.Job(tmp_path / "a.zarr", tmp_path / "b.zarr", memory="32MiB"))
    result = opened(tmp_path / "b.zarr", "zarr3")
    assert_equal(np.asarray(result.read().result()), scipy.fft.fftn(array))
    if version == 3:
        assert result.domain.labels == ("y", "x")
        assert json.loads((tmp_path / "b.zarr" / "zarr.json").read_text())["attributes"] == {"unit": "K"}
