# SPDX-License-Identifier: Apache-2.0
"""Which codecs an array may name: those that only turn bytes into bytes, or numbers into numbers. Others make objects of what they read, and
pickle runs what it reads as a program; so the list is of those that are known, not of those that are bad. Asked before zarr-python sees the array.
"""

from __future__ import annotations

from typing import Any

from octavo.errors import IoError, NotSupported

# By numcodecs' names: in Zarr v2 so, in v3 after "numcodecs.".
CHECKSUMS = frozenset({"adler32", "crc32", "crc32c", "fletcher32", "jenkins_lookup3"})
COMPRESSORS = frozenset({"blosc", "bz2", "gzip", "lz4", "lzma", "pcodec", "zfpy", "zlib", "zstd"})
FILTERS = frozenset({"astype", "base64", "bitround", "delta", "fixedscaleoffset", "packbits", "quantize", "shuffle"})
NUMCODECS = CHECKSUMS | COMPRESSORS | FILTERS
ZARR3 = frozenset({"blosc", "bytes", "crc32c", "endian", "gzip", "sharding_indexed", "transpose", "zstd"})
DEEPEST = 8  # shards within shards


def check_codecs(metadata: dict[str, Any], file: str) -> None:
    """NotSupported, or IoError for what is no codec at all, naming the file and the codec."""
    if metadata.get("zarr_format") == 2 or "codecs" not in metadata:
        compressor, filters = metadata.get("compressor"), metadata.get("filters")
        for codec in [*_list(filters, "filters", file), *([] if compressor is None else [compressor])]:
            _check(_text(codec, "id", file), NUMCODECS, file)
        return
    _check_chain(metadata["codecs"], file, 0)


def _check_chain(codecs: Any, file: str, depth: int) -> None:
    if depth > DEEPEST:
        raise NotSupported(f"'{file}' has shards nested more than {DEEPEST} deep. Write it again with fewer")
    for codec in _list(codecs, "codecs", file):
        name = codec if isinstance(codec, str) else _text(codec, "name", file)
        _check(name.removeprefix("numcodecs."), NUMCODECS if name.startswith("numcodecs.") else ZARR3, file)
        if name == "sharding_indexed":
            inner = codec.get("configuration") if isinstance(codec, dict) else None
            for chain in ("codecs", "index_codecs"):
                _check_chain(inner.get(chain) if isinstance(inner, dict) else None, file, depth + 1)


def _check(name: str, known: frozenset[str], file: str) -> None:
    if name not in known:
        raise NotSupported(
            f"'{file}': the codec {name[:80]!r} is none of those that Octavo reads: {', '.join(sorted(known))}. "
            "An array may run the program that another codec takes from it; if you trust it, write it again with one of these, by zarr-python"
        )


def _list(value: Any, field: str, file: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise IoError(f"'{file}': the field '{field}' is no list of codecs. Mend this metadata, or write the array again")
    return value


def _text(codec: Any, field: str, file: str) -> str:
    name = codec.get(field) if isinstance(codec, dict) else None
    if not isinstance(name, str):
        raise IoError(f"'{file}': a codec without a name in its field '{field}'. Mend this metadata, or write the array again")
    return name
