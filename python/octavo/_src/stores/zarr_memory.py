# SPDX-License-Identifier: Apache-2.0
"""How much memory zarr-python takes to decode and encode a unit, at most, when it does one at a time.

Read from its code (3.1) and checked by tests/python/stores/test_stores_memory.py for each codec: what a stage takes and what it makes are
there at once, the bytes of the file stay until all is decoded, and some codecs keep their output twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from octavo._src.stores.contract import GROUP_BYTES, GROUP_UNITS, SLACK_BYTES

LEAN = ("zstd", "blosc", "lz4", "zlib", "crc32c", "crc32", "adler32", "fletcher32")  # decode into memory of the right size at once
VIEWS = ("bytes", "transpose")  # decode without a copy


def encoded(count: int, chunks: int = 1) -> int:
    """What `count` bytes in so many chunks become when no codec can shorten them. Larger files are taken for damaged ones."""
    return count + count // 8 + 1024 * chunks


def name_of(codec: Any) -> str:
    """As in the metadata, without the prefix of those that zarr-python takes from numcodecs."""
    name = getattr(codec, "codec_name", None) or getattr(codec, "codec_id", None) or type(codec).__name__.removesuffix("Codec")
    return str(name).lower().removeprefix("numcodecs.")


def chain_of(array: Any) -> tuple[Any, ...]:
    """The codecs in the order of encoding."""
    metadata = array.metadata
    if metadata.zarr_format == 2:
        return (*(metadata.filters or ()), *((metadata.compressor,) if metadata.compressor is not None else ()))
    return tuple(metadata.codecs)


def widening(chain: tuple[Any, ...], itemsize: int) -> int:
    """How many times larger than the array's elements those are that a filter makes."""
    widest = itemsize
    for codec in chain:
        options = getattr(codec, "codec_config", None) or vars(codec) if hasattr(codec, "__dict__") else {}
        for key in ("encode_dtype", "decode_dtype", "astype", "dtype"):
            widest = max(widest, getattr(_dtype(options.get(key)), "itemsize", 0))
        if hasattr(codec, "codecs"):
            widest = max(widest, itemsize * widening(codec.codecs, itemsize))
    return -(-widest // itemsize)


def _dtype(value: Any) -> Any:
    try:
        return None if value is None else np.dtype(value)
    except TypeError:
        return None


def index_bytes(count: int) -> int:
    """A shard's table of offsets and lengths: as bytes, decoded, and as objects that search it."""
    return 64 * count + 4096


def decoding(chain: tuple[Any, ...], count: int) -> int:
    """The most that decoding one chunk of `count` bytes takes, its encoded bytes and the result included."""
    most, made = encoded(count), 0
    for codec in reversed(chain):
        name = name_of(codec)
        if name in VIEWS:
            continue
        extra = 0 if name in LEAN else encoded(count) + count
        if hasattr(codec, "codecs"):
            extra = sharded_decoding(codec, count, count)
        most = max(most, encoded(count) + made + count + extra)
        made = count
    return most


def sharded_decoding(codec: Any, read: int, inner: int, chunks: int = 1) -> int:
    """Reading `read` bytes of a shard, in inner chunks of `inner`: the result, the bytes of all of them, one decoded."""
    return read + encoded(read, max(1, read // max(1, inner))) + decoding(tuple(codec.codecs), inner) + index_bytes(chunks)


def encoding(chain: tuple[Any, ...], count: int, swapped: bool) -> int:
    """The most that encoding one chunk takes, the given elements not included. numcodecs copies what it made into the right size."""
    grown = count + count // 64 + 1024
    most = made = count if swapped or any(name_of(codec) == "transpose" for codec in chain) else 0
    for codec in chain:
        if name_of(codec) not in VIEWS:
            most = max(most, made + 2 * grown)
            made = grown
    return most


def bounds(array: Any, unit: int, shard: int, chunks: int, swapped: bool, cut: bool) -> tuple[int, int, int, int]:
    """Bytes: of a read, of a write, of the largest file, of the largest part of one.

    unit, shard: bytes of the read and the write chunk; chunks: inner chunks of a shard; swapped: elements are reordered when they are
    encoded; cut: units at the upper edges are incomplete.
    """
    chain = chain_of(array)
    wide = widening(chain, array.dtype.itemsize)
    unit, shard = unit * wide, shard * wide
    group, given = max(unit, min(GROUP_BYTES, GROUP_UNITS * unit)), max(shard, GROUP_BYTES)  # as unit_store.grouped
    file = encoded(shard, chunks) + 32 * chunks
    if unit != shard or (len(chain) == 1 and hasattr(chain[0], "codecs")):
        codec = chain[0]
        read = sharded_decoding(codec, group, unit, chunks)
        write = given + 3 * file + unit + encoding(tuple(codec.codecs), unit, swapped) + index_bytes(chunks) + 1024 * chunks
        part = max(encoded(unit), 32 * chunks + 4096)
    else:
        read = decoding(chain, unit)
        write = given + (shard if cut else 0) + encoding(chain, shard, swapped)
        part = file
    write = max(write, given + read)  # a box that does not cover its unit
    return read + SLACK_BYTES, write + SLACK_BYTES, file, part
