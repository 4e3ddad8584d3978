# SPDX-License-Identifier: Apache-2.0
"""Names of files that are not UTF-8, too long, or no names of files at all; from Python and from the command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import command, noise, run_command

pytestmark = pytest.mark.timeout(120)
NAME = b"caf\xe9"  # Latin-1


def run_bytes(*arguments: bytes | str) -> subprocess.CompletedProcess[bytes]:
    """The command line with arguments that need not be text."""
    return subprocess.run([os.fsencode(each) for each in (*command(), *arguments)], capture_output=True, timeout=60, check=False)


def layout(ending: bytes) -> dict[str, object]:
    return {"shape": (6, 4), "dtype": "float32"} if ending == b".raw" else {}


@pytest.mark.parametrize("ending", [b".zarr", b".npy", b".raw", b".h5"])
def test_names_that_are_not_utf8(tmp_path: Path, ending: bytes) -> None:
    if ending == b".h5":
        pytest.importorskip("h5py")
    directory = os.fsencode(tmp_path) + b"/" + NAME
    os.mkdir(directory)  # noqa: PTH102 (bytes)
    path, want = directory + b"/" + NAME + ending, noise((6, 4), "float32")
    with octavo.create_array(path, (6, 4), "float32") as a:
        a[...] = want
        assert os.fsencode(a.path) == path
    for given in (path, os.fsdecode(path), Path(os.fsdecode(path))):
        with octavo.open_array(given, mode="r+", **layout(ending)) as a:
            assert np.array_equal(a[...], want)
            a[0] = want[0]
        assert octavo.info(given, **layout(ending)).shape == (6, 4)
        octavo.copy(given, directory + b"/copy\xff" + ending, overwrite=True, progress=False, **layout(ending)).close()
        octavo.fft.fftn(given, out=directory + b"/spectrum\xff.npy", overwrite=True, progress=False, **layout(ending)).close()
    assert np.allclose(np.load(directory + b"/spectrum\xff.npy"), np.fft.fftn(want), atol=1e-4)


@pytest.mark.parametrize("ending", [b".zarr", b".h5"])
def test_names_that_are_not_utf8_for_another_library(tmp_path: Path, ending: bytes) -> None:
    pytest.importorskip("zarr")
    pytest.importorskip("h5py")
    path = os.fsencode(tmp_path) + b"/" + NAME + ending
    with octavo.create_array(path, (6, 4), "float32", compressor="gzip") as a:
        a[...] = 3
    assert (octavo.open_array(path)[...] == 3).all()


def test_names_that_are_not_utf8_on_the_command_line(tmp_path: Path) -> None:
    source, target = os.fsencode(tmp_path) + b"/" + NAME + b".npy", os.fsencode(tmp_path) + b"/\xff.zarr"
    with open(source, "wb") as file:  # noqa: PTH123 (bytes)
        np.save(file, noise((6, 4)))
    for arguments in (["info", source], ["info", source, "--json"], ["fft", source, target], ["copy", source, target, "--overwrite"], ["info", target]):
        ended = run_bytes(*arguments)
        assert (ended.returncode, ended.stderr) == (0, b""), ended.stderr
    assert rb"caf\xe9.npy: npy, 6 x 4 complex128" in run_bytes("info", source).stdout
    assert os.fsencode(json.loads(run_bytes("info", source, "--json").stdout)["path"]) == source
    for wrong in (["info", source + b"\xff"], ["copy", source, target], ["fft", source, os.fsencode(tmp_path) + b"/\xff.octavo"]):
        ended = run_bytes(*wrong)
        assert ended.returncode == 1
        assert ended.stderr.startswith(b"octavo: ") and ended.stderr.count(b"\n") == 1 and rb"\xff" in ended.stderr, ended.stderr


WRONG: dict[str, tuple[object, str]] = {
    "character 0": ("a\0b", "character 0"),
    "long name": ("x" * 300, "too long.*255 bytes"),
    "long path": ("x/" * 2500, "too long.*4095"),
    "half a character": ("\ud800", "cannot be a name"),
    "nothing": ("", "is empty"),
    "a number": (5, "is of type int"),
    "something of a library": (np.random.default_rng(0), r"is of type numpy\.random\.\S*Generator\. Give"),
    "s3": ("s3://bucket/a.zarr", "lies on the network.*aws s3 cp"),
    "gs": ("gs://bucket/a.zarr", "lies on the network.*gcloud storage"),
    "https": ("https://example.org/a.zarr", "lies on the network.*wget"),
    "file": ("file:///tmp/a.npy", "without file://"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_name_of_a_file(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", noise((4, 4)))
    path, words = WRONG[what]
    calls = (lambda: octavo.open_array(path), lambda: octavo.info(path), lambda: octavo.create_array(path, (4,), "float32"))  # type: ignore[arg-type]
    for call in (*calls, lambda: octavo.copy("a.npy", path), lambda: octavo.copy(path, "b.npy"), lambda: octavo.fft.fftn(path, out="b.npy")):  # type: ignore[arg-type]
        with pytest.raises((octavo.UsageError, octavo.NotSupported), match=words):
            call()
    assert [each.name for each in tmp_path.iterdir()] == ["a.npy"]
    if isinstance(path, str) and "\0" not in path and path.isascii():
        for arguments in (["info", path], ["copy", "a.npy", path], ["fft", path, "b.npy"]):
            assert run_command(*arguments, cwd=tmp_path).paragraph().count("\n") == 1


def test_a_missing_directory_is_never_made(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", noise((4, 4)))
    for ending in ("zarr", "npy", "octavo", "raw", "h5"):
        for call in (
            lambda path: octavo.create_array(path, (4, 4), "float32"),
            lambda path: octavo.copy(tmp_path / "a.npy", path),
            lambda path: octavo.fft.fftn(tmp_path / "a.npy", out=path),
        ):
            with pytest.raises(octavo.IoError, match=r"no', does not exist\. Make it first"):
                call(tmp_path / "no" / f"b.{ending}")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("offset", [-1, 10**20, 2**63 - 1, 2**62])
def test_offsets_that_no_file_has(tmp_path: Path, offset: int) -> None:
    (tmp_path / "a.raw").write_bytes(bytes(64))
    with pytest.raises(octavo.UsageError, match=rf"{offset}"):
        octavo.info(tmp_path / "a.raw", shape=(4,), dtype="float32", offset=offset)
    assert str(offset) in run_command("info", tmp_path / "a.raw", "--shape", "4", "--dtype", "float32", f"--offset={offset}").paragraph()
    assert run_command("info", tmp_path / "a.raw", f"--offset={offset}").paragraph().count("\n") == 1


@pytest.mark.parametrize(("shape", "chunk"), [(2**64, 4), (8, 2**62), (2**61, 2**30)])
def test_metadata_of_arrays_that_nothing_holds(tmp_path: Path, shape: int, chunk: int) -> None:
    pytest.importorskip("zarr")
    metadata = {"zarr_format": 2, "shape": [shape], "chunks": [chunk], "dtype": "<f8", "fill_value": 0, "filters": None, "order": "C"}
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".zarray").write_text(json.dumps({**metadata, "compressor": {"id": "zlib", "level": 1}}))
    for message in (run_command("info", tmp_path / "a").paragraph(), run_command("copy", tmp_path / "a", tmp_path / "b.npy").paragraph()):
        assert "/a/.zarray'" in message
        assert "2^62" in message
