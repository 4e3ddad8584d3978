# SPDX-License-Identifier: Apache-2.0
"""How the chunks of a Zarr array are encoded, and by how much that makes them smaller; from its metadata and the lengths of its files."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from octavo import _core

MOST_METADATA = 16 << 20  # bytes, as largest_json in src/data/text/json.hpp
MOST_FILES = 10_000  # that are looked at: enough of them tell the ratio of all
METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")


@dataclass(frozen=True)
class Encoding:
    """``codecs`` as Zarr calls them, blosc with what it compresses by; ``shards``: the elements of a file along each axis, where it has several chunks."""

    codecs: tuple[str, ...] = ()
    shards: tuple[int, ...] | None = None


def encoding_of(storage: _core.Storage) -> Encoding:
    """Of what is no Zarr array: none."""
    if storage.encoded:
        names = tuple(_name(codec) for codec in json.loads(storage.spec)["codecs"])
        return Encoding(names, tuple(storage.block) if storage.block != storage.chunk else None)
    if not storage.served or json.loads(storage.spec).get("kind") != "zarr":
        return Encoding()
    metadata = _metadata(storage.path)
    if metadata.get("zarr_format") == 2:
        return Encoding(tuple(_name(codec) for codec in (*(metadata.get("filters") or ()), metadata.get("compressor")) if codec))
    return Encoding(tuple(_names(metadata.get("codecs") or [])))


def ratio_of(storage: _core.Storage) -> float | None:
    """How many bytes of elements a byte of its files holds; None if there is no file, or it is no Zarr array."""
    zarr = storage.format == "zarr" or (storage.served and json.loads(storage.spec).get("kind") == "zarr")
    sizes = [size for size in islice(_sizes(storage.path), MOST_FILES) if size] if zarr else []
    return len(sizes) * math.prod(storage.block) * np.dtype(storage.dtype).itemsize / sum(sizes) if sizes else None


def _sizes(folder: str) -> Iterator[int]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _sizes(entry.path)
            elif entry.name not in METADATA:
                yield entry.stat().st_size


def _metadata(path: str) -> dict[str, Any]:
    for name in METADATA[:2]:
        try:
            with Path(path, name).open(encoding="utf-8", errors="surrogateescape") as file:
                found = json.loads(file.read(MOST_METADATA))
        except FileNotFoundError:
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _names(codecs: list[Any]) -> Iterator[str]:
    """Also of those within shards; 'bytes' is how elements lie there, and encodes nothing."""
    for codec in codecs:
        name = _name(codec)
        if name == "sharding_indexed":
            yield name
            yield from _names(codec["configuration"]["codecs"])
        elif name != "bytes":
            yield name


def _name(codec: Any) -> str:
    if isinstance(codec, str):
        return codec
    name = str(codec.get("name", codec.get("id"))).removeprefix("numcodecs.")
    inner = codec.get("configuration", codec).get("cname") if name == "blosc" else None
    return f"blosc {inner}" if inner else name
