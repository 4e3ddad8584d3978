# SPDX-License-Identifier: Apache-2.0
"""Makes Zarr arrays by zarr-python: their metadata; chunks come with the writes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import zarr

from octavo._src.stores.contract import Shape, StoreInfo
from octavo._src.stores.elements import attributes_for, fill_of_json
from octavo._src.stores.failures import told
from octavo._src.stores.new_array import NewZarr
from octavo._src.stores.zarr_files import BoundedFiles
from octavo._src.stores.zarr_store import V2_NAMES, ZarrStore, bounded
from octavo.errors import IoError, NotSupported, UsageError

# By format: what every reader of it knows. LZ4 by itself is in no specification of v3; Blosc uses it.
COMPRESSORS = {2: ("zstd", "gzip", "blosc", "lz4", "none"), 3: ("zstd", "gzip", "blosc", "none")}
LEVELS = {"zstd": (1, 22, 3), "gzip": (0, 9, 5), "blosc": (0, 9, 5), "lz4": (1, 65537, 1)}  # least, most, if not given


def create(path: str, new: NewZarr) -> StoreInfo:
    """An array, little-endian, in C order, of its fill value (None: zeros, which v2 then calls undefined). Nothing may be at `path`, an empty directory
    excepted."""
    where = f"the Zarr array '{path}'"
    kind = new.stored_type(where)
    if new.zarr_format not in COMPRESSORS:
        raise NotSupported(f"making {where} in format {new.zarr_format!r}. There are 2 and 3")
    if new.shards is not None and new.zarr_format == 2:
        raise NotSupported(f"making {where}: Zarr v2 has no shards. Choose zarr_format 3, or leave the shards out")
    _check_shapes(where, new.shape, new.chunks, new.shards)
    options: dict[str, Any] = {
        "zarr_format": new.zarr_format,
        "compressors": codec(new.compressor, new.level, new.zarr_format, kind.itemsize, where),
        "filters": None,
        "fill_value": 0 if new.fill is None and new.zarr_format == 3 else fill_of_json(new.fill, kind),
        "attributes": dict(attributes_for(new.attributes, kind, new.zarr_format == 3)),
    }
    names = new.dimension_names
    if names is not None and new.zarr_format == 2 and None not in names:
        options["attributes"][V2_NAMES] = list(names)
    elif names is not None and new.zarr_format == 3:
        options["dimension_names"] = list(names)
    if new.shards is not None:
        options["shards"] = new.shards
    with told(f"making {where}", "Check the arguments"), bounded(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = Path(path)
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise IoError(f"making {where}: there is something already. Choose another path, or remove it")
        files = BoundedFiles(root, read_only=False)
        zarr.create_array(files, shape=new.shape, chunks=new.chunks, dtype=kind, **options)
        files.sync()
    return ZarrStore(path, writable=False).info(path)


def _check_shapes(where: str, shape: Shape, chunks: Shape, shards: Shape | None) -> None:
    for name, extents in (("chunks", chunks), ("shards", shards)):
        if extents is not None and (len(extents) != len(shape) or any(each < 1 for each in extents)):
            raise UsageError(f"making {where} of shape {shape}: {name} of {extents}. Give a positive extent for each dimension")
    if shards is not None and any(shard % chunk for shard, chunk in zip(shards, chunks, strict=True)):
        raise UsageError(f"making {where}: shards of {shards} do not consist of whole chunks of {chunks}. Give multiples of the chunks")


def codec(name: str, level: int | None, zarr_format: int, itemsize: int, where: str) -> Any:
    """The compressor as zarr-python wants it; None: no compression."""
    if name not in COMPRESSORS[zarr_format]:
        also = ". blosc compresses by LZ4" if name == "lz4" else ""
        raise NotSupported(f"making {where}: Zarr v{zarr_format} with the compressor {name!r}. There are {', '.join(COMPRESSORS[zarr_format])}{also}")
    if name == "none":
        if level is not None:
            raise UsageError(f"making {where}: level {level} without a compressor. Name one, or leave the level out")
        return None
    least, most, usual = LEVELS[name]
    level = usual if level is None else level
    if not least <= level <= most:
        raise UsageError(f"making {where}: level {level} of {name}. Give one from {least} to {most}")
    return _v2_codec(name, level) if zarr_format == 2 else _v3_codec(name, level, itemsize)


def _v2_codec(name: str, level: int) -> Any:
    import numcodecs

    if name == "zstd":
        return numcodecs.Zstd(level=level, checksum=True)
    if name == "gzip":
        return numcodecs.GZip(level=level)
    if name == "lz4":
        return numcodecs.LZ4(acceleration=level)
    return numcodecs.Blosc(cname="lz4", clevel=level, shuffle=numcodecs.Blosc.SHUFFLE)


def _v3_codec(name: str, level: int, itemsize: int) -> Any:
    from zarr import codecs

    if name == "zstd":
        return codecs.ZstdCodec(level=level, checksum=True)
    if name == "gzip":
        return codecs.GzipCodec(level=level)
    return codecs.BloscCodec(cname="lz4", clevel=level, shuffle="shuffle", typesize=itemsize)
