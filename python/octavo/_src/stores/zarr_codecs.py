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
MOST_CODECS = 16  # of a chain: zarr-python's work grows with their square


def check_codecs(metadata: dict[str, Any], file: str) -> None:
    """NotSupported, or IoError for what is no codec at all, naming the file and the codec."""
    if metadata.get("zarr_format") == 2 or "codecs" not in metadata:
        compressor, filters = metadata.get("compressor"), metadata.get("filters")
        names = [_text(codec, "id", file) for codec in [*_list(filters, "filters", file), *([] if compressor is None else [compressor])]]
        for name in names:
            _check(name, NUMCODECS, file)
        _check_compressors(names, file)
        return
    _check_chain(metadata["codecs"], "codecs", file, [], 0)


def _check_chain(codecs: Any, field: str, file: str, outer: list[str], depth: int) -> None:
    """``outer``: the codecs that the bytes of this chain have passed before."""
    if depth > DEEPEST:
        raise NotSupported(f"'{file}' has shards nested more than {DEEPEST} deep. Write it again with fewer")
    chain = _list(codecs, field, file)
    names = [codec if isinstance(codec, str) else _text(codec, "name", file) for codec in chain]
    for name in names:
        _check(name.removeprefix("numcodecs."), NUMCODECS if name.startswith("numcodecs.") else ZARR3, file)
    if names.count("sharding_indexed") > 1:  # it makes bytes, which none of them takes
        raise IoError(f"'{file}': the field '{field}' has the codec 'sharding_indexed' twice. Mend this metadata, or write the array again")
    passed = [*outer, *(name.removeprefix("numcodecs.") for name in names)]
    _check_compressors(passed, file)
    for codec, name in zip(chain, names, strict=True):
        if name == "sharding_indexed":
            inner = codec.get("configuration") if isinstance(codec, dict) else None
            for each in ("codecs", "index_codecs"):
                _check_chain(inner.get(each) if isinstance(inner, dict) else None, each, file, passed, depth + 1)


def _check_compressors(names: list[str], file: str) -> None:
    """What one compressor after another makes of a few bytes has no bound: 49 bytes of Zstandard twice became 1 GiB."""
    found = [name for name in names if name in COMPRESSORS]
    if len(found) > 1:
        raise NotSupported(f"'{file}' is compressed more than once, by {' and '.join(found)}. If you trust it, write it again with one of them, by zarr-python")


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
    if len(value) > MOST_CODECS:
        raise NotSupported(f"'{file}': the field '{field}' has {len(value)} codecs; at most {MOST_CODECS} are read. Write the array again with fewer")
    return value


def _text(codec: Any, field: str, file: str) -> str:
    name = codec.get(field) if isinstance(codec, dict) else None
    if not isinstance(name, str):
        raise IoError(f"'{file}': a codec without a name in its field '{field}'. Mend this metadata, or write the array again")
    return name
