# SPDX-License-Identifier: Apache-2.0
"""./dev demo at a small size, as a program of its own: what it says, what it leaves, and that it fails when something is wrong."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from kit import wait_for

pytestmark = pytest.mark.timeout(120)
for needed in ("matplotlib", "nibabel", "scipy"):
    pytest.importorskip(needed)


# Blocks of the field that become zeros: nothing fails when they are read, so the checks must see it.
LOSES_BLOCKS = """
import octavo, field
kept = field.write_real_part
def lossy(source, target, chunk):
    squares = kept(source, target, chunk)
    with octavo.open_array(target, mode="r+") as a:
        a[8:16] = 0
    return squares
field.write_real_part = lossy
"""


def demo(root: Path, folder: Path, *more: str, setup: str = "") -> subprocess.CompletedProcess[str]:
    """Runs it; ``setup`` is Python that runs in it first, with its modules to be imported."""
    where = root / "examples" / "demo"
    program = f"import sys, runpy; sys.path.insert(0, {str(where)!r})\n{setup}\nrunpy.run_path({str(where)!r}, run_name='__main__')"
    command = [sys.executable, "-c", program, "--size", "64", "--memory", "1MiB", "--folder", str(folder), *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def pixels(png: Path) -> np.ndarray:
    """The bytes of an RGBA picture, read without the library that wrote it: still filtered row by row."""
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) == (8, 6)
    assert width >= 800
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    return np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 4 * width)


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found, text
    return float(found[1])


def test_demo_checks_what_it_made_and_leaves_the_picture_alone(root: Path, tmp_path: Path) -> None:
    result = demo(root, tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    out = result.stdout
    assert "64 x 64 x 64 float32, 1 MiB: 1 times the budget of 1 MiB" in out
    assert out.count("8 MiB") >= 2  # what arrays that are read and written by [] may use
    assert number(r"slope over k = 12 to 28: (\S+),", out) == pytest.approx(-5 / 3, abs=0.03)
    assert number(r"relative difference (\S+):", out) <= 1e-6
    assert number(r"all 262,144 elements against what was drawn: largest error (\S+) of", out) <= 1e-6
    assert number(r"against scipy.fft.fftn: largest error (\S+) and", out) <= 1e-12
    assert number(r"against scipy.fft.fftn: largest error \S+ and (\S+) of", out) <= 1e-12
    assert "raw, offset 416, little-endian" in out
    assert number(r"(\d+\.\d+) GB/s", out) >= 0
    assert "2 x 24 x 96 x 128 int16" in out
    assert "WRONG" not in out
    assert [entry.name for entry in tmp_path.iterdir()] == ["demo-spectrum.png"]
    rows = pixels(tmp_path / "demo-spectrum.png")
    drawn_on = (rows[:, 1:] != 0).any(axis=1).mean()
    assert drawn_on > 0.3  # rows that do not merely repeat the one above them, by whichever filter


def test_demo_keeps_what_it_made_when_asked(root: Path, tmp_path: Path) -> None:
    result = demo(root, tmp_path, "--keep")
    assert result.returncode == 0, result.stdout + result.stderr
    (kept,) = tmp_path.glob("octavo-demo-*")
    assert {entry.name for entry in kept.iterdir()} == {"field.zarr", "transform.zarr", "mri.nii", "mri-raw-spectrum.npy", "mri.npy", "mri-spectrum.npy"}
    assert f"kept      {kept}" in result.stdout


def test_demo_without_the_extra_packages_says_how_to_get_them(root: Path, tmp_path: Path) -> None:
    result = demo(root, tmp_path, setup="sys.modules['matplotlib'] = sys.modules['nibabel'] = None")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "pip install matplotlib" in result.stdout
    assert "pip install nibabel" in result.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("setup", "complaint"),
    [
        (LOSES_BLOCKS, "element"),
        ("import field; model = field.model; field.model = lambda k: model(k) * k ** 0.2", "slope"),
        ("import scipy.fft as s; fftn = s.fftn; s.fftn = lambda a, axes: fftn(a, axes=axes) * (1 + 1e-9)", "MRI"),
    ],
)
def test_demo_fails_where_something_is_wrong(root: Path, tmp_path: Path, setup: str, complaint: str) -> None:
    result = demo(root, tmp_path, setup=setup)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "WRONG" in result.stdout
    assert complaint in result.stderr
    assert not list(tmp_path.glob("octavo-demo-*"))


@pytest.mark.parametrize(
    ("more", "complaint"),
    [(("--memory", "1KiB"), "the least that would do"), (("--size", "7"), "is not from 48"), (("--memory", "much"), "much")],
)
def test_demo_refuses_in_a_line(root: Path, tmp_path: Path, more: tuple[str, ...], complaint: str) -> None:
    result = demo(root, tmp_path, *more)
    assert result.returncode != 0
    assert complaint in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


def test_demo_stopped_by_ctrl_c_leaves_nothing(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(root / "examples" / "demo"), "--size", "256", "--memory", "32MiB", "--folder", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        wait_for(lambda: any(tmp_path.glob("octavo-demo-*/drawn.zarr/c/*")), 60, "the demo has begun to write")
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, errors) == (130, "demo: stopped\n")
    assert list(tmp_path.iterdir()) == []
