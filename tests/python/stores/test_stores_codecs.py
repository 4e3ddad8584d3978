# SPDX-License-Identifier: Apache-2.0
"""What is read cannot run code: arrays that name a codec which takes a program from them, wherever they name it."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from octavo._src.stores import describe
from octavo._src.stores.zarr_codecs import NUMCODECS, ZARR3, check_codecs

zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")
pytestmark = pytest.mark.timeout(60)
PICKLE: dict[str, Any] = {"id": "pickle", "protocol": 5}


class Program:
    """What runs when its pickle is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


def v2(folder: Path, **fields: Any) -> Path:
    path = folder / "evil.zarr"
    path.mkdir()
    about = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f4", "fill_value": 0, "order": "C", "compressor": None, "filters": None, **fields}
    (path / ".zarray").write_text(json.dumps(about))
    (path / "0").write_bytes(pickle.dumps(Program(folder / "OWNED")))
    return path


@pytest.mark.parametrize("fields", [{"filters": [PICKLE]}, {"compressor": PICKLE}, {"filters": [{"id": "shuffle"}, PICKLE]}], ids=str)
def test_pickle_in_zarr2(fields: dict[str, Any], tmp_path: Path) -> None:
    path = v2(tmp_path, **fields)
    for work in (lambda: octavo.open_array(path)[...], lambda: octavo.copy(path, tmp_path / "t.npy", progress=False), lambda: octavo.info(path)):
        with pytest.raises(octavo.NotSupported, match=r"evil.zarr/.zarray': the codec 'pickle' is none of those that Octavo reads: adler32, "):
            work()
    assert not (tmp_path / "OWNED").exists()


@pytest.mark.parametrize("name", ["json2", "msgpack2", "vlen-utf8", "vlen-bytes", "vlen-array", "categorize", "pickle", "imagecodecs_jpeg2k", ""])
def test_codecs_that_are_not_known(name: str) -> None:
    with pytest.raises(octavo.NotSupported, match="is none of those"):
        check_codecs({"zarr_format": 2, "filters": [{"id": name}]}, "a/.zarray")
    inner = {"chunk_shape": [2], "codecs": [{"name": "bytes"}], "index_codecs": [{"name": "bytes"}]}
    for named in (name, f"numcodecs.{name}"):
        for chain in ("codecs", "index_codecs"):
            nested = {**inner, chain: [{"name": "bytes"}, {"name": named}]}
            with pytest.raises(octavo.NotSupported, match="is none of those"):
                check_codecs({"zarr_format": 3, "codecs": [{"name": "sharding_indexed", "configuration": nested}]}, "a/zarr.json")
        with pytest.raises(octavo.NotSupported, match="is none of those"):
            check_codecs({"zarr_format": 3, "codecs": ["bytes", named]}, "a/zarr.json")


def test_shards_in_shards_without_end() -> None:
    codecs: list[Any] = ["bytes"]
    for _ in range(20):
        codecs = [{"name": "sharding_indexed", "configuration": {"codecs": codecs, "index_codecs": []}}]
    with pytest.raises(octavo.NotSupported, match="nested more than 8 deep"):
        check_codecs({"zarr_format": 3, "codecs": codecs}, "a/zarr.json")


@pytest.mark.parametrize(
    "metadata", [{"zarr_format": 2, "filters": 5}, {"zarr_format": 2, "filters": [5]}, {"codecs": {}}, {"codecs": [{"id": "bytes"}]}], ids=str
)
def test_codecs_that_are_none(metadata: dict[str, Any]) -> None:
    with pytest.raises(octavo.IoError, match=r"a/zarr\.json"):
        check_codecs(metadata, "a/zarr.json")


def test_consolidated_metadata_is_not_believed(tmp_path: Path) -> None:
    """A group's copy of the metadata may say something else than the array's own, which is what was checked."""
    group = zarr.open_group(str(tmp_path / "g.zarr"), mode="w", zarr_format=2)
    group.create_array("a", shape=(4,), chunks=(4,), dtype="f4", compressors=None)[...] = 1
    zarr.consolidate_metadata(str(tmp_path / "g.zarr"), zarr_format=2)
    found = json.loads((tmp_path / "g.zarr/.zmetadata").read_text())
    own = json.loads((tmp_path / "g.zarr/a/.zarray").read_text())
    found["metadata"]["a/.zarray"]["filters"] = [PICKLE]
    (tmp_path / "g.zarr/.zmetadata").write_text(json.dumps(found))
    (tmp_path / "g.zarr/a/.zarray").write_text(json.dumps({**own, "compressor": {"id": "zlib", "level": 1}}))
    (tmp_path / "g.zarr/a/0").write_bytes(__import__("zlib").compress(np.arange(4, dtype="f4").tobytes()))
    assert octavo.open_array(tmp_path / "g.zarr/a")[...].tolist() == [0, 1, 2, 3]


def test_known_codecs_are_pure() -> None:
    """The lists hold nothing that makes objects."""
    assert not {"pickle", "json2", "msgpack2", "categorize"} & (NUMCODECS | ZARR3)
    assert not [name for name in NUMCODECS | ZARR3 if name.startswith("vlen")]


def test_hdf5_filter_of_an_unknown_number(tmp_path: Path) -> None:
    """Its library would be looked for by its number on HDF5_PLUGIN_PATH."""
    with h5py.File(tmp_path / "a.h5", "w") as f:
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_chunk((4,))
        how.set_filter(31999, h5py.h5z.FLAG_OPTIONAL, (1, 2))
        h5py.h5d.create(f.id, b"data", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((8,)), dcpl=how)
    with pytest.raises(octavo.NotSupported, match=r"by filter 31999 .*which Octavo does not know"):
        describe(tmp_path / "a.h5")


@pytest.mark.parametrize("chunks", [None, (2, 4)], ids=["contiguous", "chunked"])
def test_external_link(chunks: tuple[int, ...] | None, tmp_path: Path) -> None:
    inside = np.arange(16, dtype="f8").reshape(4, 4)
    with h5py.File(tmp_path / "inner.h5", "w") as f:
        f.create_dataset("data", data=inside, chunks=chunks)
    with h5py.File(tmp_path / "outer.h5", "w") as f:
        f["pad"] = np.full((4, 4), 7.0)
        f["data"] = h5py.ExternalLink("inner.h5", "/data")
    with octavo.open_array(tmp_path / "outer.h5/data", mode="r+") as a:
        np.testing.assert_array_equal(a[...], inside)
        a[0, :] = -1
    inside[0, :] = -1
    with h5py.File(tmp_path / "outer.h5") as f:
        assert (f["pad"][...] == 7).all()
        np.testing.assert_array_equal(f["data"][...], inside)
