# SPDX-License-Identifier: Apache-2.0
"""S-6: what a read and a write take besides the caller's block is within what the store declares, by the peak of a process of its own.

The elements are random bits, so that no codec makes them smaller: that is when it needs most.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from octavo._src.stores.contract import MIB, PROCESS_BYTES
from stores_footprint import random_bits
from stores_kit import codec, filter_v2, several

FOOTPRINT = Path(__file__).with_name("stores_footprint.py")
Options = dict[str, Any]
PACKED = {"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32767}
KINDS: dict[str, Options] = {
    "v2-zstd": {"zarr_format": 2, "compressors": filter_v2("Zstd")},
    "v2-gzip": {"zarr_format": 2, "compressors": filter_v2("GZip", level=1)},
    "v2-blosc": {"zarr_format": 2, "compressors": filter_v2("Blosc")},
    "v2-F": {"zarr_format": 2, "order": "F", "compressors": filter_v2("LZ4")},
    "v2-filters": {"zarr_format": 2, "filters": several(filter_v2("Delta", dtype="f8"), filter_v2("Shuffle")), "compressors": filter_v2("Zlib", level=1)},
    "v3-none": {"compressors": None},
    "v3-zstd": {"compressors": codec("ZstdCodec", level=1)},
    "v3-gzip": {"compressors": codec("GzipCodec", level=1)},
    "v3-transpose": {
        "filters": several(codec("TransposeCodec", order=(2, 1, 0))),
        "compressors": several(codec("BloscCodec", cname="lz4"), codec("Crc32cCodec")),
    },
    "v3-big": {"serializer": codec("BytesCodec", endian="big"), "compressors": codec("ZstdCodec", level=1)},
    "v3-shards": {"shards": (64, 512, 256), "chunks": (32, 256, 128), "compressors": codec("ZstdCodec", level=1)},
    "v3-shards-gzip": {"shards": (64, 512, 256), "chunks": (8, 16, 256), "compressors": codec("GzipCodec", level=1)},
    "v3-small": {"chunks": (16, 64, 64), "compressors": codec("ZstdCodec", level=1)},
    "h5-contiguous": {"chunks": None},
    "h5-chunked": {},
    "h5-gzip": {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True},
    "h5-gzip-0": {"compression": "gzip", "compression_opts": 0, "shuffle": True, "fletcher32": True},  # the same memory in a third of the time
    "h5-lzf": {"compression": "lzf"},
    "h5-big": {"dtype": ">f8", "compression": "lzf"},
    "v3-packed": {"dtype": "<i2", "attributes": PACKED, "compressors": codec("ZstdCodec", level=1)},
    "v3-packed-none": {"dtype": "<i4", "attributes": PACKED, "compressors": None},
    "h5-packed": {"dtype": ">i2", "compression": "gzip", "compression_opts": 1},
}
QUICK = ("v2-F", "v3-zstd", "v3-shards", "v3-small", "h5-contiguous", "h5-gzip-0", "v3-packed")
SHAPE, CHUNK = (64, 512, 504), (64, 512, 256)  # 64 MiB, and nearly that much again: neither is contiguous in the caller's block


def make(folder: Path, name: str) -> dict[str, Any]:
    """The spec of an array whose units are written; of one that is packed, of its values."""
    options = {"chunks": CHUNK, "dtype": "<f8", **{key: value() if callable(value) else value for key, value in KINDS[name].items()}}
    more = {"unpack": True} if "packed" in name else {}
    data = random_bits(SHAPE) if not more else np.random.default_rng(1).integers(-30000, 30000, SHAPE, "i4")
    if name.startswith("h5"):
        path = folder / "a.h5"
        with pytest.importorskip("h5py").File(path, "w") as file:
            made = file.create_dataset("data", SHAPE, **options)
            made[...] = data
            made.attrs.update(PACKED if more else {})
        return {"kind": "hdf5", "path": f"{path}/data", **more}
    zarr = pytest.importorskip("zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.create_array(str(folder / "a.zarr"), shape=SHAPE, **options)[...] = data
    return {"kind": "zarr", "path": str(folder / "a.zarr"), **more}


def footprint(spec: dict[str, Any], mode: str) -> dict[str, int]:
    ended = subprocess.run([sys.executable, str(FOOTPRINT), json.dumps(spec), mode], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, int] = json.loads(ended.stdout)
    return found


def slow_unless(quick: Callable[[str], bool]) -> list[Any]:
    return [pytest.param(name, marks=() if quick(name) else pytest.mark.slow) for name in KINDS]


@pytest.mark.parametrize("name", slow_unless(QUICK.__contains__))
def test_memory_is_within_the_bound(name: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    spec = make(tmp_path, name)
    for mode in ("read", "write", "part") if "unpack" not in spec else ("read",):
        found = footprint(spec, mode)
        record_property(mode, found)
        print(name, mode, {key: round(value / MIB, 1) for key, value in found.items()})
        assert found["took"] <= found["bound"], (mode, found)
        assert found["kept"] <= 8 * MIB, (mode, found)
        assert found["opened"] <= PROCESS_BYTES, (mode, found)
