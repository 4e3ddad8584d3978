# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the fuzz targets again: what zarr-python and numpy write, and what nobody should.

python -m venv v && v/bin/pip install zarr numpy && v/bin/python tests/fuzz/kit/make_corpus.py
"""

import json
import struct
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import zarr

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
# Of no cluster: written by ClusterKey::save().
KEY = "octavo cluster key 1\noctavo-b0fb35150b01c656\n612ec63c2d84c5a6896f3984e7b5fdec17092b5365d63bf3a70236604d3879dd\n3bb2a7bc31721255\n"
PLAIN: dict[str, Any] = {"compressors": None, "filters": None}


def put(target: str, name: str, content: bytes | str) -> None:
    path = CORPUS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def zarr_text(file: str = "zarr.json", **how: Any) -> str:
    with tempfile.TemporaryDirectory() as folder:
        how = {"shape": (100, 60), "chunks": (32, 32), "dtype": "float64", **PLAIN, **how}
        zarr.create_array(store=f"{folder}/a.zarr", **how)
        return (Path(folder) / "a.zarr" / file).read_text()


def zarr_json() -> None:
    real: dict[str, dict[str, Any]] = {
        "float64": {"attributes": {"units": "K", "nested": [1, 2.5, None, {"µ": "\\"}]}, "dimension_names": ["x", None]},
        "complex64_nan": {"dtype": "complex64", "fill_value": complex(float("nan"), -0.0)},
        "big_endian": {"dtype": ">f4", "fill_value": float("inf")},
        "v2_keys": {"dtype": "int16", "fill_value": -7, "chunk_key_encoding": {"name": "v2", "separator": "."}},
        "uint64": {"dtype": "uint64", "shape": (7,), "chunks": (7,), "fill_value": 2**64 - 1},
        "no_dims": {"shape": (), "chunks": (), "dtype": "int8"},
        "zstd": {"compressors": "auto"},
        "sharded": {"shards": (64, 64)},
    }
    for name, how in real.items():
        put("zarr_json", f"{name}.json", zarr_text(**how))
    good = json.loads(zarr_text())
    nasty: dict[str, Any] = {
        "extent_2_62": {"shape": [2**62, 1], "data_type": "int8"},
        "extent_minus": {"shape": [-1, 2**64]},
        "chunk_0": {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0, 1]}}},
        "fill_bits": {"fill_value": "0x7ff8000000000001"},
        "extension": {"surely": {"must_understand": False}, "configuration": None},
        "wrong_kinds": {"codecs": [["bytes"]], "chunk_key_encoding": "v2", "attributes": 7},
    }
    for name, change in nasty.items():
        put("zarr_json", f"{name}.json", json.dumps({**good, **change}))
    text = json.dumps(good)
    put("zarr_json", "deep.json", text[:-1] + ', "attributes": ' + "[" * 70 + "]" * 70 + "}")
    put("zarr_json", "twice.json", text[:-1] + ', "shape": [1], "fill_value": 1e999}')
    put("zarr_json", "latin1.json", text.replace("attributes", "attribut\xe9s").encode("latin-1"))


def zarr2_json() -> None:
    real: dict[str, dict[str, Any]] = {
        "float64": {"attributes": {"units": "K"}},
        "big_endian": {"dtype": ">i4", "fill_value": -7, "chunk_key_encoding": {"name": "v2", "separator": "/"}},
        "complex": {"dtype": "complex64", "fill_value": complex(float("nan"), 1)},
        "no_dims": {"shape": (), "chunks": (), "dtype": "uint8"},
        "blosc": {"compressors": "auto"},
        "fortran": {"order": "F"},
    }
    for name, how in real.items():
        put("zarr2_json", f"{name}.json", zarr_text(".zarray", zarr_format=2, **how))
    good = json.loads(zarr_text(".zarray", zarr_format=2))
    nasty: dict[str, Any] = {
        "bare_nan": {"fill_value": float("nan")},
        "whole_float": {"dtype": "<u8", "fill_value": 18446744073709551616.0},
        "whole_minus": {"dtype": "<i8", "fill_value": -3.0},
        "null_fill": {"fill_value": None, "dtype": "|i1"},
        "extents": {"shape": [2**62, 2**63], "chunks": [1, 0]},
        "structured": {"dtype": [["a", "<f8"]]},
        "codec": {"compressor": {"id": 7}, "filters": [None]},
    }
    for name, change in nasty.items():
        put("zarr2_json", f"{name}.json", json.dumps({**good, **change}))
    for name, attributes in {
        "names": {"_ARRAY_DIMENSIONS": ["y", None], "a": {"b": [1e300]}},
        "names_3": {"_ARRAY_DIMENSIONS": [1, 2, 3]},
        "list": [1],
    }.items():
        put("zarr2_json", f"{name}.json", json.dumps(good) + "\0" + json.dumps(attributes))


def pages() -> None:
    def header(device: int = 0, devices: int = 1, dtype: bytes = b"float64", order: bytes = b"<", number: int = 4, page: tuple[int, ...] = (8, 8)) -> bytes:
        start = b"\x8fOctavo\n" + struct.pack("<II", 1, 0) + bytes(range(16)) + struct.pack("<II", device, devices) + dtype.ljust(16, b"\0")
        return start + order + bytes([len(page)]) + bytes(6) + struct.pack(f"<Q{len(page)}Q", number, *page)

    for name, content in {
        "whole": header(),
        "big_endian": header(2, 3, b"complex128", b">", 1, (1, 2, 3, 4, 5, 6, 7, 8)),
        "no_dims": header(number=1, page=()),
        "no_dims_two": header(number=2, page=()),
        "device_24": header(24, 25),
        "nine_dims": header(page=(1,) * 9),
        "huge": header(number=2**62, page=(2**62, 2)),
        "largest": header(dtype=b"int8", number=1, page=(2**62,)),
        "extent_0": header(page=(0, 4)),
        "dtype": header(dtype=b"float64 or other"),
        "order": header(order=b"="),
        "version": b"\x8fOctavo\n" + struct.pack("<I", 2),
        "short": b"\x8fOct",
        "rest": header().ljust(200, b"\0") + b"later",
    }.items():
        put("page_file_header", f"{name}.bin", content)
    good: dict[str, Any] = {"octavo_array": 1, "id": "00112233445566778899aabbccddeeff", "shape": [64, 60], "page": [8, 8], "dtype": "float32"}
    good |= {"byte_order": "little", "fill_value": 0, "map": {"kind": "circulant"}, "attributes": {}, "dimension_names": ["y", None]}
    good |= {"page_files": ["a.pages", "/d1/b.pages", "/d2/c.pages"]}
    for name, change in {
        "circulant": {},
        "block_cyclic": {"map": {"kind": "block_cyclic", "block": 4}, "byte_order": "big"},
        "block_huge": {"map": {"kind": "block_cyclic", "block": 2**62}},
        "no_map": {"map": []},
        "extents": {"shape": [2**62, 2**62], "page": [1, 2**62], "dimension_names": None},
        "long": {"shape": [2**40], "page": [1], "dtype": "int8", "dimension_names": ["t"]},
        "page_larger": {"shape": [3, 3], "page": [2**30, 2**30]},
        "eight": {"shape": [5] * 8, "page": [2, 3, 1, 5, 2, 3, 1, 5], "dimension_names": [None] * 8},
        "files_25": {"page_files": [str(i) for i in range(25)]},
        "files_up": {"page_files": ["../a", "", "a\0b", ".."]},
        "fill": {"fill_value": -0.0},
        "unknown": {"more": 1, "attributes": {"µ": [None, 1e300, "\ud800"]}},
        "version": {"octavo_array": 2},
    }.items():
        put("page_array_json", f"{name}.json", json.dumps({**good, **change}))


def npy(array: np.ndarray, version: tuple[int, int] | None = None) -> bytes:
    file = BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue()[:256]


def npy_header() -> None:
    for name, array in {
        "complex128": np.zeros((2, 3), "complex128"),
        "big_endian": np.zeros((2, 3), ">f4"),
        "int8": np.zeros(5, "int8"),
        "no_dims": np.zeros((), "uint16"),
        "fortran": np.zeros((4, 5), order="F"),
        "fields": np.zeros(2, [("a", "i4"), ("b", "f8")]),
        "empty": np.zeros((0, 3)),
        "text": np.zeros(1, "U9"),
    }.items():
        put("npy_header", f"{name}.npy", npy(array))
    for version in ((2, 0), (3, 0)):
        put("npy_header", f"version{version[0]}.npy", npy(np.zeros((3, 1, 2), "float32"), version))

    def by_hand(text: str, length: int | None = None, version: int = 1) -> bytes:
        size = struct.pack("<H" if version == 1 else "<I", len(text) if length is None else length)
        return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode("latin-1")

    nasty = {
        "python2": by_hand("{'descr': '<i8', 'fortran_order': False, 'shape': (3L, 4L), }"),
        "no_space": by_hand('{"shape":(4611686018427387904,),"fortran_order":False,"descr":"|u1"}'),
        "overflow": by_hand("{'descr': '<c16', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }"),
        "nine_dims": by_hand("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }"),
        "minus": by_hand("{'descr': '=f8', 'fortran_order': False, 'shape': (-1, 9223372036854775808), }"),
        "no_end": by_hand("{'descr': '<f8"),
        "too_long": by_hand("{}", 0xFFFFFFFF, 2),
        "version9": by_hand("{}", 2, 9),
        "code": by_hand("{'descr': __import__('os'), 'fortran_order': 1, 'shape': [3], }"),
    }
    for name, content in nasty.items():
        put("npy_header", f"{name}.npy", content)


def frame_bytes(body: bytes = b"", bulk: tuple[bytes, ...] = (), pages: int = 0, **header: int) -> bytes:
    h = {"magic": 0x56544346, "version": 1, "kind": 1, "page_count": pages, "bulk_count": len(bulk), "body_bytes": len(body), **header}
    start = struct.pack("<IHBB5QIIIIQ", h["magic"], h["version"], h["kind"], 0, 1, 2, 3, 4, 5, 6, h["page_count"], h["bulk_count"], 7, h["body_bytes"])
    tables = b"".join(struct.pack("<Q", len(part)) for part in bulk) + b"".join(struct.pack("<QQII", i << 12, 4096, 1, 0) for i in range(pages))
    return start + tables + body + b"".join(bulk)


def frames() -> None:
    whole = frame_bytes(b"body", (b"a" * 100, b"", b"b" * 10), 2)
    for number, (name, stream) in enumerate(
        {
            "empty": frame_bytes(),
            "whole": whole,
            "three": frame_bytes(kind=2) + whole + frame_bytes(b"x" * 300, kind=5),
            "cut": whole[:-3],
            "bulk_only": frame_bytes(bulk=(b"c" * 5000,), kind=4),
            "pages_only": frame_bytes(pages=64, kind=3),
            "pages_65": frame_bytes(pages=65),
            "magic": frame_bytes(magic=1),
            "kind": frame_bytes(kind=6),
            "version": frame_bytes(version=2),
            "body_huge": frame_bytes(body_bytes=2**64 - 1),
            "body_limit": frame_bytes(b"some", body_bytes=64 << 10),
            "bulk_many": frame_bytes(bulk_count=2**32 - 1),
            "bulk_overflow": frame_bytes(bulk_count=3) + struct.pack("<QQQ", 2**64 - 1, 2, 2**63),
        }.items()
    ):
        put("frame", f"{name}.bin", struct.pack("<Q", number * 977) + stream)


def record_bytes(kind: int, payload: bytes = b"", channel: int = 0, zero: bytes = b"\0\0\0", size: int | None = None) -> bytes:
    return struct.pack("<B3sIQ", kind, zero, len(payload) if size is None else size, channel) + payload


def records() -> None:
    hello = record_bytes(1, struct.pack("<IHHQ", 0x4B4E4C4F, 1, 0, 1 << 18))
    whole = hello + record_bytes(2, b"control") + record_bytes(3, b"data" * 100, 7) + record_bytes(4, u64(400), 7)
    whole += record_bytes(6) + record_bytes(7) + record_bytes(5, channel=7)
    for number, (name, stream) in enumerate(
        {
            "hello": hello,
            "whole": whole,
            "cut": whole[:-40],
            "no_hello": whole[len(hello) :],
            "hello_twice": hello + hello,
            "magic": b"GET / HTTP/1.1\r\nHost: there\r\n\r\n",
            "version": record_bytes(1, struct.pack("<IHHQ", 0x4B4E4C4F, 2, 0, 1 << 18)),
            "window": record_bytes(1, struct.pack("<IHHQ", 0x4B4E4C4F, 1, 0, 2**64 - 1)),
            "zero": hello + record_bytes(6, zero=b"\0\1\0"),
            "kind": hello + record_bytes(8),
            "control_empty": hello + record_bytes(2) + record_bytes(6),
            "control_long": hello + record_bytes(2, b"c" * 5000) + record_bytes(3, b"d" * 5000, 1),
            "control_limit": hello + record_bytes(2, b"c", size=64 << 10),
            "control_huge": hello + record_bytes(2, size=2**32 - 1),
            "data_huge": hello + record_bytes(3, channel=1, size=(64 << 10) + 1),
            "data_empty": hello + record_bytes(3, channel=1),
            "ping_of_channel": hello + record_bytes(6, channel=1),
        }.items()
    ):
        put("record", f"{name}.bin", struct.pack("<Q", number * 977) + stream)


def u64(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}Q", *values)


def text(value: str) -> bytes:
    return u64(len(value)) + value.encode()


def shape(*extents: int) -> bytes:
    return struct.pack(f"<i{len(extents)}q", len(extents), *extents)


def messages() -> None:
    point = struct.pack("<dd", 1, 2) + text("p")
    everything = u64(2) + point * 2 + u64(1) + text("k") + u64(2) + b"\1\0\0\0" * 2 + b"\0" + point + struct.pack("<i", 1) + text("either")
    everything += b"\1" + struct.pack("<d", 8.5) + b"\1" + b"\1\0" * 3 + u64(2) + text("a") + text("b") + u64(1) + bytes(16) + u64(1) + u64(2) + b"\1\0"
    storage = b"\0" + text("a.zarr") + shape(100, 60) + shape(32, 32) + b"\x09\0" + u64(0) + u64(8) + bytes(8) + b"\0/" + text("{}") + text("")
    storage += struct.pack("<i", 3) + u64(1) + text("pages.0") + b"\0" + u64(1) + shape() + text("") + u64(0)
    axes = u64(1) + struct.pack("<i", 1)
    one_pass = axes + shape(8, 8) + shape(8, 8) + shape(4, 8) + b"\0\2\1" + u64(1, 4096, 512, 512, 64, 64) + struct.pack("<d", 1) + u64(1, 4096)
    plan = shape(8, 8) + b"\x0b\x0b" + axes + b"\0\0" + u64(1) + one_pass + shape(4, 8) + b"\0" + shape() + u64(0) + struct.pack("<iii", 1, 2, 2)
    plan += u64(1, 2, 3, 4, 5, 6)
    address = u64(1) + struct.pack("<I", 2) + u64(3)
    facts = address + text("PageDevice") + text("box") + u64(4711) + bytes(8)
    obituary = facts + struct.pack("<di", 5, 9) + b"\0" + text("last words\n")
    failed = struct.pack("<i", 4) + u64(7) + text("message") + text("cure") + b"\0" + obituary
    long = struct.pack("<H", 4096)
    for name, head, body in (
        ("everything", b"\0\0\0\0", everything),
        ("doubles", b"\1\0\0\0", u64(2) + bytes(16)),
        ("doubles_bulk", b"\1\x10" + long, u64(512)),
        ("text_bulk", b"\2\x20" + long, u64(4096)),
        ("shape", b"\3\0\0\0", shape(3, 4, 5)),
        ("shape_nine", b"\3\0\0\0", struct.pack("<i", 9)),
        ("box", b"\4\0\0\0", shape(0, 0) + shape(3, 4)),
        ("storage", b"\5\0\0\0", storage),
        ("plan", b"\6\0\0\0", plan),
        ("map", b"\7\0\0\0", b"\1" + shape(2, 2) + u64(2, 4)),
        ("failed", b"\x08\0\0\0", failed),
        ("listing", b"\x08\0\0\0", struct.pack("<i", 9) + u64(7, 2) + facts * 2),
        ("no_notice", b"\x08\0\0\0", struct.pack("<i", -1)),
        ("pages", b"\x09\3\0\0", u64(3) + b"\1\0\1"),
        ("deep", b"\x0a\0\0\0", u64(1) * 80 + u64(0)),
        ("hashed", b"\x0b\0\0\0", u64(1) + struct.pack("<i", 5) + text("five") + u64(2, 8, 9)),
        ("move", b"\x0c\0\0\0", storage + shape(0, 0) + shape(8, 8) + shape(8, 8) + b"\x09"),
        ("rows_bulk", b"\x0d\x21" + long, u64(3, 1024, 1024, 0)),
        ("passes", b"\x0e\0\0\0", u64(2) + one_pass * 2),
        ("count_huge", b"\x0e\0\0\0", u64(4088) + bytes(4088)),
    ):
        put("message", f"{name}.bin", head + body)


def notices() -> None:
    number = struct.Struct("<i").pack
    address = u64(1) + struct.pack("<I", 2) + u64(3)
    facts = address + text("PageDevice") + text("box") + u64(4711) + bytes(8)
    obituary = facts + struct.pack("<di", 5, 9) + b"\0" + text("last words\n") + text("") + b"\0"
    kill = number(14) + u64(7) + address + number(9)
    listing = number(17) + u64(7, 2) + facts * 2
    failed = number(11) + u64(7) + b"\2" + text("message") + text("cure") + b"\1" + obituary
    watch = number(18) + u64(2) + address * 2
    for name, bytes_of in {"kill": kill, "listing": listing, "failed": failed, "watch": watch, "none": number(-1)}.items():
        put("notice", f"{name}.bin", b"\0" + bytes_of)
        if name == "none":
            continue
        put("notice", f"{name}_asked.bin", b"\1" + number(1) + u64(1, 3) + facts + bytes_of)
        put("notice", f"{name}_answered.bin", b"\1" + number(2) + u64(1) + bytes_of)
    put("notice", "left_over.bin", b"\0" + kill + b"\0")
    segment = number(0) + u64(7) + text("heat") + text("float64") + u64(10, 80) + b"\0" + u64(4096, 80) + struct.pack("<IHH", 3, 0, 1)
    put("notice", "open_segment.bin", b"\3\7" + segment)
    put("notice", "cut.bin", b"\0" + kill[:4])
    put("notice", "hello.bin", b"\1" + number(0) + struct.pack("<I", 1) + u64(9) + struct.pack("<I", 1) + text("box"))
    put("notice", "died.bin", b"\1" + number(3) + obituary)
    terms = u64(10000) + u64(20000) + u64(1 << 26) + u64(0)
    put("notice", "invitation.bin", b"\2" + struct.pack("<I", 2) + text("box") + text("10.0.0.1") + struct.pack("<H", 4711) + bytes(16) + terms)
    put("notice", "invitation_of_another_version.bin", b"\2" + struct.pack("<I", 3) + text("box"))


def cluster_keys() -> None:
    key = KEY
    for name, content in {
        "whole": key,
        "cut": key[:-1],
        "longer": key + "\n",
        "sum": key.replace(key[-3], "0" if key[-3] != "0" else "1"),
        "capitals": key.upper(),
        "no_title": key.replace("cluster", "clutter"),
        "empty": "",
    }.items():
        put("cluster_key", f"{name}.txt", content)


def error_reports() -> None:
    address = u64(1) + struct.pack("<I", 2) + u64(3)
    facts = address + text("PageDevice") + text("box") + u64(4711) + bytes(8)
    obituary = facts + struct.pack("<di", 5, 9) + b"\0" + text("last words\n") + text("") + b"\0"

    def report(name: str, rest: bytes = b"", kind: str = "some::type") -> bytes:
        return text(name) + text(kind) + text("what it says") + facts + u64(1) + text("in PageDevice::read") + rest

    for file, content in {
        "untyped": report(""),
        "unknown": report("mine::error"),
        "usage": report("octavo::usage_error", text("message") + text("cure")),
        "refused_cut": report("octavo::refused", text("message")),
        "died": report("octavo::process_died", obituary),
        "abandoned": report("octavo::lock_abandoned", text("mutex 'a'") + obituary),
        "system": report("std::system_error", struct.pack("<i", 2)),
        "runtime": report("std::runtime_error"),
        "empty": b"",
    }.items():
        put("error_report", f"{file}.bin", content)


def state_files() -> None:
    moment = 1795275232000

    def state(payload: bytes = b"payload", name: bytes = b"PageDevice", size: int | None = None, length: int | None = None, saved: int = moment) -> bytes:
        start = b"\x8fOState\n" + struct.pack("<II", 1, 2) + u64(0x8000000700000001, 3, len(payload) if size is None else size, 5, 6, 0, saved)
        start += struct.pack("<I", len(name) if length is None else length) + name
        return struct.pack("<H", len(start)) + start + payload

    for file, content in {
        "whole": state(),
        "empty": state(b""),
        "long": state(b"p" * 3000),
        "name_1024": state(name=b"n" * 1024),
        "name_1025": state(name=b"n" * 1025),
        "no_name": state(name=b""),
        "no_utf8": state(name=b"\xed\xa0\x80"),
        "utf8": state(name="Größe<\U0001f4d6>".encode()),
        "name_huge": state(length=2**32 - 1),
        "rest": state(name=b"T\0and more", length=1),
        "size": state(size=2**64 - 1),
        "size_wraps": state(size=2**64 - 4096 + 7),
        "no_time": state(saved=2**63),
        "version": struct.pack("<H", 12) + b"\x8fOState\n" + struct.pack("<I", 2),
        "short": b"\x03\0\x8fOS",
    }.items():
        put("state_file", f"{file}.bin", content)


if __name__ == "__main__":
    zarr_json()
    zarr2_json()
    pages()
    npy_header()
    frames()
    records()
    messages()
    notices()
    cluster_keys()
    error_reports()
    state_files()
