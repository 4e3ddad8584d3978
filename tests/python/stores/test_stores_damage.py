# SPDX-License-Identifier: Apache-2.0
"""A compressed chunk that was damaged gives an error that names its file, never other numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import octavo
import pytest
from octavo._src.stores import create_store, open_store

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("shards", [None, (64,)])
def test_any_flipped_byte_of_zstd(shards: tuple[int, ...] | None, zarr_format: int, tmp_path: Path) -> None:
    if shards and zarr_format == 2:
        pytest.skip("v2 has no shards")
    info = create_store("zarr", tmp_path / "a.zarr", shape=(64,), chunks=(64,), dtype="i2", compressor="zstd", zarr_format=zarr_format, shards=shards)
    values = np.random.default_rng(1).integers(-1000, 1000, 64).astype("i2")
    store = open_store(info.spec, writable=True)
    store.write((0,), values)
    chunk = tmp_path / "a.zarr" / ("0" if zarr_format == 2 else "c/0")
    whole = chunk.read_bytes()
    for at in range(len(whole)):
        chunk.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        found = np.empty_like(values)
        try:
            store.read((0,), found)
        except octavo.IoError as failure:
            assert str(chunk) in str(failure)
        else:
            np.testing.assert_array_equal(found, values, err_msg=f"byte {at} of {len(whole)}")
    store.close()


@pytest.mark.parametrize("order", ["C", "F"])
def test_longer_chunk_than_its_elements(order: str, tmp_path: Path) -> None:
    """C is read by Octavo itself, F by zarr-python."""
    zarr.create_array(str(tmp_path / "a.zarr"), shape=(4, 4), chunks=(2, 4), dtype="i4", zarr_format=2, order=order, compressors=None)[...] = 1
    chunk = tmp_path / "a.zarr/1.0"
    chunk.write_bytes(chunk.read_bytes() + b"\0")
    with octavo.open_array(tmp_path / "a.zarr", mode="r+") as a:
        assert a[:2].tolist() == [[1] * 4] * 2
        with pytest.raises(octavo.IoError, match=r"a\.zarr/1\.0'"):
            a[2:]
        with pytest.raises(octavo.IoError, match=r"a\.zarr/1\.0'"):
            a[3, 0] = 5


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("more", [40, -5])
def test_blosc_chunk_of_another_length(more: int, zarr_format: int, tmp_path: Path) -> None:
    """Blosc has no checksum and ignores what follows its block; a lost or doubled end is told nevertheless."""
    options = {"compressor": "blosc", "zarr_format": zarr_format, "chunks": (64,)}
    with octavo.create_array(tmp_path / "a.zarr", (64,), "i2", **options) as a:
        a[...] = values = np.random.default_rng(1).integers(-1000, 1000, 64).astype("i2")
    chunk = tmp_path / "a.zarr" / ("0" if zarr_format == 2 else "c/0")
    whole = chunk.read_bytes()
    with octavo.open_array(tmp_path / "a.zarr") as a:
        np.testing.assert_array_equal(a[...], values)
    chunk.write_bytes(whole[:more] if more < 0 else whole + bytes(more))
    with octavo.open_array(tmp_path / "a.zarr") as a, pytest.raises(octavo.IoError, match=f"has {len(whole) + more} bytes, and its header says {len(whole)}"):
        a[...]
