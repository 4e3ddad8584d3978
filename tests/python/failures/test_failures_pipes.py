# SPDX-License-Identifier: Apache-2.0
"""A FIFO or a device where a file is expected: one error that names it, at once. Opening a FIFO waits for its other end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import command

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(60)


def in_place_of(path: Path) -> str:
    if path.exists():
        path.unlink()
    os.mkfifo(path)
    return str(path)


def made(path: Path, **more: object) -> Path:
    zarr.create_array(str(path), shape=(8,), chunks=(4,), dtype="f4", **more)[...] = 1
    return path


CASES: dict[str, Callable[[Path], tuple[str, str]]] = {
    "npy": lambda d: (in_place_of(d / "f.npy"),) * 2,
    "h5": lambda d: (in_place_of(d / "f.h5"),) * 2,
    "dataset": lambda d: (in_place_of(d / "f.h5") + "/data", str(d / "f.h5")),
    "no ending": lambda d: (in_place_of(d / "f"),) * 2,
    "device": lambda d: ("/dev/zero",) * 2,
    "zarr.json": lambda d: (str(made(d / "a.zarr")), in_place_of(d / "a.zarr/zarr.json")),
    ".zarray": lambda d: (str(made(d / "a.zarr", zarr_format=2)), in_place_of(d / "a.zarr/.zarray")),
    ".zattrs": lambda d: (str(made(d / "a.zarr", zarr_format=2)), in_place_of(d / "a.zarr/.zattrs")),
    "chunk": lambda d: (str(made(d / "a.zarr", compressors=None)), in_place_of(d / "a.zarr/c/1")),
    "compressed chunk": lambda d: (str(made(d / "a.zarr")), in_place_of(d / "a.zarr/c/1")),
    "array.json": lambda d: (str(d / "a.octavo"), in_place_of(d / "a.octavo/array.json")),
    "page file": lambda d: (str(d / "a.octavo"), in_place_of(next((d / "a.octavo").glob("*.pages")))),
}


@pytest.mark.parametrize("case", list(CASES))
def test_fifo(case: str, tmp_path: Path) -> None:
    if case in ("array.json", "page file"):
        octavo.create_array(tmp_path / "a.octavo", (8,), "float32").close()
    path, named = CASES[case](tmp_path)
    done = subprocess.run([*command(), "fft", path, str(tmp_path / "t.npy")], capture_output=True, text=True, timeout=30)
    assert done.returncode == 1, done.stderr
    assert named in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 3, done.stderr
    assert not (tmp_path / "t.npy").exists()


def test_raw(tmp_path: Path) -> None:
    path = in_place_of(tmp_path / "f.raw")
    with pytest.raises(octavo.UsageError, match=r"f.raw' is neither a directory nor a regular file"):
        octavo.open_array(path, shape=(4,), dtype="float32")


def test_chunk_of_an_open_array(tmp_path: Path) -> None:
    """Reading and writing what was a file when the array was opened."""
    for compressors in (None, "auto"):
        path = made(tmp_path / f"{compressors}.zarr", compressors=compressors)
        with octavo.open_array(path, mode="r+") as a:
            in_place_of(path / "c/1")
            with pytest.raises(octavo.IoError, match="c/1' is not a regular file"):
                a[...]
            with pytest.raises(octavo.IoError, match="c/1' is not a regular file"):
                a[5] = 1
            np.testing.assert_array_equal(a[:4], 1)
