# SPDX-License-Identifier: Apache-2.0
"""Files of others here, ours with them: tensorstore's codecs, and the attributes and names of dimensions through every pair of formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from formats_kit import TARGETS, Target, directories
from kit import Array, assert_equal, noise, run

pytestmark = pytest.mark.timeout(120)
SHAPE, CHUNKS = (13, 10, 7), (4, 5, 7)
PLAIN = {"unit": "K", "scale": 2.5, "count": -7, "flag": True, "é": "ü", "texts": ["a", "bc"], "numbers": [1, 2, 3], "none at all": ""}
DEEP = {**PLAIN, "nested": {"a": [1, {"b": None}]}, "mixed": ["m", 1], "null": None, "big": 2**62 + 1}
NAMES = ("z", "y", "x")
BY_NAME: dict[str, Target] = {each.name: each for each in TARGETS}


def tensorstore_open(path: Path, driver: str, **more: Any) -> Any:
    tensorstore = pytest.importorskip("tensorstore")
    return tensorstore.open({"driver": driver, "kvstore": {"driver": "file", "path": str(path)}, **more}).result()


def little(name: str = "little") -> dict[str, Any]:
    return {"name": "bytes", "configuration": {"endian": name}}


def sharding(*inner: dict[str, Any], at: str = "end") -> list[dict[str, Any]]:
    configuration = {"chunk_shape": [4, 5, 7], "codecs": [little(), *inner], "index_codecs": [little(), {"name": "crc32c"}], "index_location": at}
    return [{"name": "sharding_indexed", "configuration": configuration}]


ZSTD, GZIP = {"name": "zstd", "configuration": {"level": 3}}, {"name": "gzip", "configuration": {"level": 1}}
BLOSC = {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "bitshuffle", "typesize": 8}}
TRANSPOSE = {"name": "transpose", "configuration": {"order": [2, 0, 1]}}
CODECS_V3 = {
    "plain": [little()],
    "big": [little("big")],
    "zstd": [little(), ZSTD],
    "gzip-crc": [little(), GZIP, {"name": "crc32c"}],
    "blosc-big": [little("big"), BLOSC],
    "transpose": [TRANSPOSE, little(), ZSTD],
    "sharded": sharding(),
    "sharded-zstd": sharding(ZSTD),
    "sharded-index-first": sharding(ZSTD, at="start"),
}
COMPRESSORS_V2: dict[str, Any] = {
    "plain": None,
    "zlib": {"id": "zlib", "level": 1},
    "zstd": {"id": "zstd", "level": 1},
    "blosc": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
    "bz2": {"id": "bz2", "level": 1},
}


def goes_through(source: Path, array: Array, folder: Path) -> None:
    """Read at once, copied and transformed."""
    with octavo.open_array(source) as opened:
        np.testing.assert_array_equal(opened[...], array, strict=True)
    run(octavo.Job(source, folder / "t.npy", axes=[0, 2], memory="64MiB"))
    assert_equal(np.load(folder / "t.npy"), np.fft.fftn(array, axes=[0, 2]))


@pytest.mark.parametrize("codecs", CODECS_V3)
def test_zarr_3_of_tensorstore(tmp_path: Path, codecs: str) -> None:
    array = noise(SHAPE, "float64")
    outer = [8, 10, 7] if "sharded" in codecs else list(CHUNKS)
    metadata = {"shape": SHAPE, "data_type": "float64", "codecs": CODECS_V3[codecs], "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": outer}}}
    tensorstore_open(tmp_path / "a.zarr", "zarr3", metadata=metadata, create=True).write(array).result()
    goes_through(tmp_path / "a.zarr", array, tmp_path)


@pytest.mark.parametrize(("compressor", "order"), list(zip(COMPRESSORS_V2, "FCFCF", strict=True)))
def test_zarr_2_of_tensorstore(tmp_path: Path, compressor: str, order: str) -> None:
    array = noise(SHAPE, "float64")
    metadata = {"shape": SHAPE, "chunks": CHUNKS, "dtype": ">f8" if order == "F" else "<f8", "compressor": COMPRESSORS_V2[compressor], "order": order}
    tensorstore_open(tmp_path / "a.zarr", "zarr", metadata={**metadata, "filters": None, "fill_value": 0}, create=True).write(array).result()
    goes_through(tmp_path / "a.zarr", array, tmp_path)


# tensorstore has no lz4 by itself.
@pytest.mark.parametrize("target", [each for each in TARGETS if each.file == "t.zarr" and each.name != "v2-lz4"], ids=lambda each: each.name)
def test_tensorstore_reads_and_writes_what_octavo_made(tmp_path: Path, target: Target) -> None:
    array = noise(SHAPE, "complex64")
    np.save(tmp_path / "a.npy", array)
    run(octavo.Job(tmp_path / "a.npy", tmp_path / "t.zarr", memory="64MiB", **target.asked(tmp_path, CHUNKS)))
    theirs = tensorstore_open(tmp_path / "t.zarr", "zarr" if target.options.get("zarr_format") == 2 else "zarr3")
    want = np.fft.fftn(array).astype("complex64")
    assert_equal(np.asarray(theirs.read().result()), want)
    theirs[2:9, :, 3].write(1).result()
    want[2:9, :, 3] = 1
    with octavo.open_array(tmp_path / "t.zarr", mode="r+", memory="64MiB") as ours:
        assert_equal(ours[...], want)
        ours[::2, 4] = 7
    want[::2, 4] = 7
    assert_equal(np.asarray(theirs.read().result()), want)


def annotated(folder: Path, form: str, attributes: dict[str, Any], names: tuple[str | None, ...]) -> Path:
    """An array that says what it is, as the users of its format write that."""
    array = noise(SHAPE, "float32")
    if form == "h5":
        with pytest.importorskip("h5py").File(folder / "a.h5", "w") as file:
            made = file.create_dataset("data", data=array)
            made.attrs.update(attributes)
            for dimension, name in zip(made.dims, names, strict=True):
                dimension.label = name or ""
        return folder / "a.h5"
    if form == "octavo":
        with octavo.create_array(folder / "a.octavo", SHAPE, "float32", devices=directories(folder / "of", 2), attrs=attributes, dims=names) as made:
            made[...] = array
        return folder / "a.octavo"
    zarr = pytest.importorskip("zarr")
    if form == "v2":
        options: dict[str, Any] = {"zarr_format": 2, "attributes": {**attributes, "_ARRAY_DIMENSIONS": list(names)}}  # as xarray
    else:
        options = {"dimension_names": names, "attributes": attributes}
    if form in ("v2", "v3"):
        options |= {"compressors": None, "filters": None}
    zarr.create_array(str(folder / "a.zarr"), shape=SHAPE, chunks=CHUNKS, dtype="float32", **options)[...] = array
    return folder / "a.zarr"


def said(path: Path, target: Target) -> tuple[dict[str, Any], tuple[str | None, ...] | None]:
    """Attributes and names, by the format's own library."""
    if target.file == "t.octavo":
        found = octavo.info(path)
        return found.attrs, found.dims
    if ".h5" in target.file:
        file, _, name = str(path).partition(".h5")
        with pytest.importorskip("h5py").File(file + ".h5", "r") as opened:
            made = opened[name.strip("/") or "data"]
            attributes = {key: made.attrs[key] for key in made.attrs if key not in ("DIMENSION_LABELS", "DIMENSION_LIST")}
            plain = {key: value.tolist() if isinstance(value, np.ndarray | np.generic) else value for key, value in attributes.items()}
            names = [dimension[0].name.rpartition("/")[2] if len(dimension) else dimension.label or None for dimension in made.dims]
            return plain, tuple(None if name and name.startswith("octavo_unnamed_") else name for name in names)
    array = pytest.importorskip("zarr").open_array(str(path), mode="r")
    attributes = dict(array.attrs)
    if target.options.get("zarr_format") == 2:
        names = attributes.pop("_ARRAY_DIMENSIONS", None)
        return attributes, None if names is None else tuple(names)
    return attributes, array.metadata.dimension_names


PLACES = [BY_NAME[name] for name in ("v2", "v3", "h5", "octavo-1-circulant", "v3-sharded-zstd", "v2-gzip", "h5-gzip")]


def pairs() -> list[Any]:
    """Each with each; the ones with another library on either side are slow, but for one form."""
    found = [(form, target) for form in ("v2", "v3", "v3-zstd", "h5", "octavo") for target in PLACES]
    often = [form == "v3" or not (target.library or form == "v3-zstd") for form, target in found]
    return [pytest.param(*pair, id=f"{pair[0]}-to-{pair[1].name}", marks=() if now else pytest.mark.slow) for pair, now in zip(found, often, strict=True)]


@pytest.mark.parametrize(("form", "target"), pairs())
def test_attributes_and_names_come_along(tmp_path: Path, form: str, target: Target) -> None:
    attributes = PLAIN if form == "h5" else DEEP
    source = annotated(tmp_path, form, attributes, NAMES)
    found = octavo.info(source)
    assert (found.attrs, found.dims) == (attributes, NAMES)
    path = tmp_path / target.file
    run(octavo.Job(source, path, "copy", memory="64MiB", **target.asked(tmp_path, CHUNKS)))
    attributes_there, names = said(path, target)
    if ".h5" in target.file:  # holds neither objects nor null nor mixed lists: they are there as JSON
        for key in set(attributes) & {"nested", "mixed", "null"}:
            attributes_there[key] = json.loads(attributes_there[key])
    if form == "v2" and target.options.get("zarr_format") != 2:  # its fill_value is what xarray takes for missing: elsewhere an attribute says that
        assert attributes_there.pop("_FillValue") == ("AAAAAAAAAAA=" if target.file.endswith(".zarr") else 0)
    assert attributes_there == attributes
    assert names == NAMES
    with octavo.open_array(path) as made:
        assert made.dims == NAMES
        assert {key: made.attrs[key] for key in PLAIN} == PLAIN
        np.testing.assert_array_equal(made[...], noise(SHAPE, "float32"), strict=True)


@pytest.mark.parametrize("target", [BY_NAME[name] for name in ("v3", "h5", "octavo-1-circulant")], ids=lambda each: each.name)
@pytest.mark.parametrize("form", ["v3", "h5", "octavo"])
def test_some_axes_have_no_name(tmp_path: Path, form: str, target: Target) -> None:
    """v2 has no way to say that."""
    source = annotated(tmp_path, form, {"unit": "m"}, ("z", None, "x"))
    run(octavo.Job(source, tmp_path / target.file, memory="64MiB", axes=[1], **target.asked(tmp_path, CHUNKS)))
    assert said(tmp_path / target.file, target) == ({"unit": "m"}, ("z", None, "x"))


def test_scales_of_netcdf_are_names(tmp_path: Path) -> None:
    with pytest.importorskip("h5py").File(tmp_path / "a.nc", "w") as file:
        field = file.create_dataset("density", data=noise((4, 6), "float64"), chunks=(2, 3), compression="gzip")
        for axis, name in enumerate(["lat", "lon"]):
            scale = file.create_dataset(name, data=np.arange(float(field.shape[axis])))
            scale.make_scale(name)
            field.dims[axis].attach_scale(scale)
    assert octavo.info(tmp_path / "a.nc").dims == ("lat", "lon")
    made = octavo.copy(tmp_path / "a.nc", tmp_path / "t.zarr", memory="64MiB", progress=False)
    assert made.dims == ("lat", "lon") and dict(made.attrs) == {}
    np.testing.assert_array_equal(made[...], noise((4, 6), "float64"), strict=True)
