# SPDX-License-Identifier: Apache-2.0
"""What a stranger's file says is shown, not obeyed: no control character of it reaches the terminal, and it begins no line of its own."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import octavo
import pytest
from octavo._src.paths import shown

pytestmark = pytest.mark.timeout(180)
PARTS = ("\x1b]0;owned\x07", "\x1b[2J", "\nfake: line\n", "\r", "\x7f", "\x9b31m", "\u202e", "\u200b", "\u2028", "\t", "\x01#9", "\ud800", "é", "%s{}")
WORK = """
import json, sys, warnings
from octavo import cli
for arguments in json.load(open(sys.argv[1])):
    print("==", ascii(arguments), flush=True)
    print("==", file=sys.stderr, flush=True)
    warnings.resetwarnings()
    sys.argv = ["octavo", *arguments]
    try:
        cli.main()
    except SystemExit:
        pass
"""
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
REGULAR = {"name": "regular", "configuration": {"chunk_shape": [2, 2]}}
V3 = {
    "zarr_format": 3, "node_type": "array", "shape": [4, 4], "data_type": "float32", "fill_value": 0, "chunk_grid": REGULAR, "codecs": [BYTES],
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "attributes": {"units": "m"}, "dimension_names": ["y", "x"],
}  # fmt: skip
ZSTD3 = {**V3, "codecs": [BYTES, {"name": "zstd", "configuration": {"level": 1, "checksum": False}}]}
V2 = {
    "zarr_format": 2,
    "shape": [4, 4],
    "chunks": [2, 2],
    "dtype": "<f4",
    "fill_value": 0,
    "order": "C",
    "compressor": {"id": "zstd", "level": 1},
    "filters": None,
}
V2_PLAIN = {**V2, "compressor": None, "dimension_separator": "."}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Each value within, by the way to it."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*at, key))


def changed(value: Any, at: tuple[Any, ...], text: str, how: str) -> Any:
    """With the text in the place of a value, of the key that leads to it, or beside it."""
    new = copy.deepcopy(value)
    inside = new
    for key in at[:-1]:
        inside = inside[key]
    if how == "value" or not isinstance(inside, dict):
        inside[at[-1]] = text
    elif how == "key":
        inside[text] = inside.pop(at[-1])
    else:
        inside[text] = {"must_understand": False}
    return new


def put(folder: Path, text: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    for name, content in text.items():
        (folder / name).write_text(json.dumps(content))
    return folder


def zarr_arrays(root: Path, rng: random.Random, hostile: Any) -> Iterator[Path]:
    for kind, about in {"v3": V3, "v3 zstd": ZSTD3, "v2": V2, "v2 plain": V2_PLAIN}.items():
        for i, at in enumerate(places(about)):
            if at:
                new = changed(about, at, hostile(), rng.choice(["value", "value", "key", "more"]))
                yield put(root / f"{kind} {i}.zarr", {"zarr.json" if "3" in kind else ".zarray": new})
        for i in range(2):
            attributes = {hostile(): hostile(), "_ARRAY_DIMENSIONS": [hostile(), hostile()], "_FillValue": hostile(), "coordinates": hostile()}
            if "3" in kind:
                yield put(root / f"{kind} attributes {i}.zarr", {"zarr.json": {**about, "attributes": attributes, "dimension_names": [hostile(), "x"]}})
            else:
                yield put(root / f"{kind} attributes {i}.zarr", {".zarray": about, ".zattrs": attributes})
    for version, name in ((3, "zarr.json"), (2, ".zgroup")):
        group = put(root / f"group {version}.zarr", {name: {"zarr_format": version, "node_type": "group"}})
        for _ in range(3):
            put(group / hostile().encode("utf-8", "replace").decode().replace("/", ""), {"zarr.json": V3} if version == 3 else {".zarray": V2})
        yield group
    named = put(root / "chunks.zarr", {".zarray": V2_PLAIN})
    (named / "0").mkdir()
    (named / "0" / "0").write_bytes(b"")
    yield named
    for i, content in enumerate((hostile(), f'{{"a": {hostile()}', f'{{"{hostile()}": 1', "[" * 100)):
        (root / f"broken {i}.zarr").mkdir()
        (root / f"broken {i}.zarr" / "zarr.json").write_bytes(content.encode("utf-8", "surrogatepass"))
        yield root / f"broken {i}.zarr"


def npy_files(root: Path, hostile: Any) -> Iterator[Path]:
    for i, header in enumerate(
        (
            "{'descr': '<%s', 'fortran_order': False, 'shape': (2, 2), }",
            "{'descr': '%s', 'fortran_order': False, 'shape': (2, 2), }",
            "{'%s': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
            "{'descr': '<f4', 'fortran_order': %s, 'shape': (2, 2), }",
            "{'descr': '<f4', 'fortran_order': True, 'shape': (%s), }",
            "%s",
        )
    ):
        text = (header % hostile().replace("'", "")).encode("utf-8", "replace")
        path = root / f"{i}.npy"
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(16))
        yield path


def hdf5_files(root: Path, hostile: Any) -> Iterator[Path]:
    def name() -> str:
        return hostile().encode("utf-8", "replace").decode().replace("/", "")

    with h5py.File(root / "many.h5", "w") as file:
        for _ in range(3):
            file.create_group(name())[name()] = np.ones(2)
    with h5py.File(root / "one.h5", "w") as file:
        scale = file.create_dataset(name(), data=np.ones(2))
        scale.make_scale(name())
        array = file.create_dataset("d", data=np.ones((2, 2)), chunks=(1, 2))
        array.dims[0].label, array.dims[1].label = name(), name()
        array.dims[0].attach_scale(scale)
        array.attrs[name()], array.attrs["units"], array.attrs["coordinates"] = 1 + 2j, name(), name()
        file["compound"] = np.zeros(2, [(name(), "f4"), ("b", "i2")])
        file.create_dataset("opaque", data=np.zeros(2, "V3")).attrs.create(name(), np.zeros(3, "V2"))
        file["link"] = h5py.SoftLink("/" + name())
        file["away"] = h5py.ExternalLink("no.h5", "/" + name())
    yield root / "many.h5"
    for each in ("", "/d", "/compound", "/opaque", "/link", "/away", f"/{name()}"):
        yield Path(f"{root}/one.h5{each}")
    (root / "no.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + hostile().encode("utf-8", "surrogatepass"))
    yield root / "no.h5"


def octavo_arrays(root: Path, rng: random.Random, hostile: Any) -> Iterator[Path]:
    octavo.create_array(root / "good.octavo", (4, 4), "float32", dims=("y", "x"), attrs={"units": "m"}).close()
    about = json.loads((root / "good.octavo" / "array.json").read_text())
    for i, at in enumerate(places(about)):
        if at:
            yield put(root / f"{i}.octavo", {"array.json": changed(about, at, hostile(), rng.choice(["value", "key"]))})


def test_nothing_of_a_file_is_obeyed_by_the_terminal(tmp_path: Path) -> None:
    rng = random.Random(5)

    def hostile() -> str:
        return "a" + "".join(rng.sample(PARTS, rng.randint(1, len(PARTS))))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = tmp_path / "r"
        root.mkdir()
        sources = [*zarr_arrays(root, rng, hostile), *npy_files(root, hostile), *hdf5_files(root, hostile), *octavo_arrays(root, rng, hostile)]
    odd = root / f"{hostile().encode('utf-8', 'replace').decode()}.raw".replace("/", "").replace("\0", "")
    odd.write_bytes(bytes(7))
    (root / "zip.zarr").write_bytes(b"PK\x03\x04" + bytes(22) + (9).to_bytes(2, "little") + b"\0\0" + b"\x1b[2Ja.npy")
    sources += [odd, root / "zip.zarr"]
    calls = [["info", str(source)] for source in sources]
    calls += [[rng.choice(["fft", "copy"]), str(source), str(root / f"t{i}.{rng.choice(['zarr', 'h5'])}"), "--plan"] for i, source in enumerate(sources)]
    run = [source for source in sources if "attributes" in source.name or source.name in ("d", "5.octavo")]
    calls += [["copy", str(source), str(root / f"r{i}.zarr"), "--memory", "64MiB"] for i, source in enumerate(run)]
    calls += [["info", str(odd), "--shape", "2", "--dtype", hostile().replace("\ud800", "")], ["info", str(odd), "--shape", "2,2", "--dtype", "int8"]]
    calls += [["info", str(source), "--json"] for source in run]
    (tmp_path / "calls.json").write_text(json.dumps(calls))
    ended = subprocess.run([sys.executable, "-c", WORK, str(tmp_path / "calls.json")], capture_output=True, check=False, timeout=150)
    assert ended.returncode == 0, ended.stderr[-3000:]
    for which, output in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        text = output.decode()  # also: it is UTF-8
        assert text.count("==") >= len(calls)
        for line in text.split("\n"):
            bad = [each for each in line if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
            assert not bad, f"{which}: {line!a}"
            assert not line.startswith("fake"), f"{which}: a line of the file's own"
            assert "defect of Octavo" not in line, f"{which}: {line}"
        assert "Traceback" not in text, text[-3000:]
    assert b"x1b" in ended.stdout and b"x1b" in ended.stderr, "the text is shown"


@pytest.mark.parametrize("text", ["plain", "déjà 漢字 ✓", "a\u00a0b\u3000c"])
def test_text_of_any_language_stays_as_it_is(text: str) -> None:
    assert shown(text) == text


def test_each_character_is_either_shown_or_named() -> None:
    for code in [*range(0x3000), *range(0xD7F0, 0xE010), *range(0xFE00, 0x10100), 0xE0001, 0x10FFFF]:
        text = shown(chr(code))
        assert text == chr(code) or (text.startswith("\\") and text.isascii() and text.isprintable()), hex(code)
    assert shown("\udce9\n\x1b", keep="\n") == "\\xe9\n\\x1b"
