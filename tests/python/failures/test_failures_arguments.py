# SPDX-License-Identifier: Apache-2.0
"""J-1: arguments that make no sense, targets that must not be written: refused before anything is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kit import least_memory, noise, nothing_left, read, run_command, worked, write_zarr

pytestmark = pytest.mark.timeout(60)

SHAPE = (32, 24, 16)
# What is added to `octavo fft a.npy TARGET`; what the message must say.
WRONG: dict[str, tuple[str, list[str], list[str]]] = {
    "unknown ending": ("target.tif", [], ["target.tif", ".zarr, .npy, .raw or .octavo", ".h5"]),
    "no ending": ("target", [], ["target", ".zarr, .npy, .raw or .octavo", ".h5"]),
    "axis out of range": ("target.npy", ["--axes", "3"], ["axis 3", "-3 to 2"]),
    "negative axis out of range": ("target.npy", ["--axes=-4"], ["axis -4", "-3 to 2"]),
    "axis twice": ("target.npy", ["--axes", "0,0"], ["axis 0", "once"]),
    "axis twice from both ends": ("target.npy", ["--axes", "2,-1"], ["axis 2", "once"]),
    "axes of letters": ("target.npy", ["--axes", "x"], ["--axes", "'x'", "0,2", "octavo info lists the dimensions"]),
    "huge axis": ("target.npy", ["--axes", "99999999999999999999"], ["axes", "99999999999999999999"]),
    "norm": ("target.npy", ["--norm", "odd"], ["norm 'odd'", "backward, ortho or forward"]),
    "memory of letters": ("target.npy", ["--memory", "lots"], ["lots", "512MiB"]),
    "negative memory": ("target.npy", ["--memory=-5"], ["-5", "512MiB"]),
    "no memory": ("target.npy", ["--memory", "0"], ["at least", "the least that would do is"]),
    "memory beyond all": ("target.npy", ["--memory", "99999999999TiB"], ["99999999999TiB"]),
    "chunks of a dense file": ("target.npy", ["--chunks", "4,4,4"], ["chunks are for a Zarr", "target.npy"]),
    "devices of a dense file": ("target.npy", ["--devices", "/tmp"], ["devices are for", "target.npy", ".octavo"]),
    "compressor of a dense file": ("target.npy", ["--compress", "zstd"], ["compressor", "target.npy", ".zarr or .h5"]),
    "compressor that nobody has": ("target.zarr", ["--compress", "odd"], ["target.zarr", "'odd'", "zstd, gzip, blosc"]),
    "compressor of pages": ("target.octavo", ["--compress", "zstd"], ["compressor", "target.octavo", ".zarr or .h5"]),
    "shards of other dimensions": ("target.zarr", ["--shards", "4,4"], ["target.zarr", "4 x 4", "32 x 24 x 16"]),
    "shards of HDF5": ("target.h5", ["--shards", "32,24,16"], ["target.h5", "shards"]),
    "version of Zarr": ("target.zarr", ["--zarr-format", "4"], ["target.zarr", "version 4", "2 or 3"]),
    "map": ("target.octavo", ["--map", "odd"], ["map 'odd'", "circulant"]),
    "chunks of other dimensions": ("target.zarr", ["--chunks", "4,4"], ["4 x 4", "2 dimensions", "32 x 24 x 16"]),
    "empty chunks": ("target.zarr", ["--chunks", "0,4,4"], ["chunks (0, 4, 4)", "target.zarr", "from 1 on"]),
    "chunks of letters": ("target.zarr", ["--chunks", "4,b,4"], ["--chunks", "'4,b,4'"]),
    "no such directory": ("no/such/target.npy", [], ["no/such", "does not exist"]),
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.npy"
    np.save(path, noise(SHAPE))
    return path


@pytest.mark.parametrize("name", WRONG)
def test_wrong_argument(source: Path, name: str) -> None:
    target, more, words = WRONG[name]
    message = run_command("fft", source, source.parent / target, *more).paragraph()
    for word in words:
        assert word in message, message
    assert list(source.parent.iterdir()) == [source]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], ["shape and dtype"]),
        (["--shape", "32,24,16"], ["both its shape and its dtype"]),
        (["--dtype", "complex128"], ["both its shape and its dtype"]),
        (["--shape", "32,24,15", "--dtype", "complex128"], ["196608 bytes", "184320"]),
        (["--shape", "32,24,16", "--dtype", "complex64"], ["196608 bytes", "98304"]),
        (["--shape", "32,24,16", "--dtype", "float16"], ["float16", "float64"]),
        (["--shape", "32,0,16", "--dtype", "float64"], ["196608 bytes", "has 0"]),
        (["--shape", "32,-4,16", "--dtype", "float64"], ["-4"]),
        (["--shape", "32,x", "--dtype", "float64"], ["--shape", "'32,x'"]),
    ],
)
def test_raw_source_described_wrongly(tmp_path: Path, more: list[str], words: list[str]) -> None:
    source, target = tmp_path / "a.raw", tmp_path / "target.npy"
    noise(SHAPE).tofile(source)
    with nothing_left(target):
        message = run_command("fft", source, target, *more).paragraph()
    for word in words:
        assert word in message, message


def test_budget_too_small_and_the_least_that_would_do(tmp_path: Path) -> None:
    source, target = tmp_path / "a.npy", tmp_path / "target.npy"
    array = noise(SHAPE)
    np.save(source, array)
    with nothing_left(target):
        least = least_memory(run_command("fft", source, target, "--memory", "100KiB").paragraph())
    assert least > 100 * 1024
    with nothing_left(target):
        assert least_memory(run_command("fft", source, target, "--memory", least - 4096).paragraph()) == least
    worked("fft", source, target, "--memory", least)
    assert np.allclose(read(target), np.fft.fftn(array))


@pytest.mark.parametrize("ending", ["zarr", "npy", "raw"])
def test_target_that_exists(source: Path, ending: str) -> None:
    target = source.parent / f"target.{ending}"
    worked("fft", source, target)
    before = read(target, SHAPE)
    message = run_command("ifft", source, target).paragraph()
    for word in (str(target), "exists", "--overwrite"):
        assert word in message, message
    assert np.array_equal(read(target, SHAPE), before)
    worked("ifft", source, target, "--overwrite")
    assert np.allclose(read(target, SHAPE), np.fft.ifftn(noise(SHAPE)))
    assert sorted(source.parent.iterdir()) == sorted([source, target])


@pytest.mark.parametrize("ending", ["zarr", "npy", "raw"])
def test_overwriting_that_fails_keeps_the_old_target(tmp_path: Path, ending: str) -> None:
    source, target = tmp_path / "a.zarr", tmp_path / f"target.{ending}"
    write_zarr(source, noise(SHAPE), (16, 24, 16))
    worked("fft", source, target)
    before = read(target, SHAPE)
    (source / "c" / "1" / "0" / "0").write_bytes(b"too short")
    assert "truncated" in run_command("fft", source, target, "--overwrite").paragraph()
    assert np.array_equal(read(target, SHAPE), before)
    assert sorted(tmp_path.iterdir()) == sorted([source, target])


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]], ids=["", "overwrite"])
def test_target_inside_the_source(tmp_path: Path, overwrite: list[str]) -> None:
    source = tmp_path / "a.zarr"
    array = write_zarr(source, noise(SHAPE), (16, 24, 16))
    for target in (source / "target.zarr", source / "c" / "target.npy", source / "c" / ".." / "target.npy"):
        message = run_command("fft", source, target, *overwrite).paragraph()
        assert "inside the source" in message
        assert str(source) in message
        assert not target.exists()
    assert np.array_equal(read(source), array)


def test_source_inside_the_target(tmp_path: Path) -> None:
    target = tmp_path / "target.zarr"
    target.mkdir()
    source = target / "a.npy"
    np.save(source, noise(SHAPE))
    message = run_command("fft", source, target, "--overwrite").paragraph()
    for word in ("inside the target", str(source), str(target)):
        assert word in message, message
    assert np.array_equal(read(source), noise(SHAPE))


@pytest.mark.parametrize("spelling", ["a.zarr", "./a.zarr", "a.zarr/", "other/../a.zarr", "link.zarr"])
def test_target_that_is_the_source(tmp_path: Path, spelling: str) -> None:
    source = tmp_path / "a.zarr"
    array = write_zarr(source, noise(SHAPE), (16, 24, 16))
    (tmp_path / "other").mkdir()
    (tmp_path / "link.zarr").symlink_to(source)
    message = run_command("fft", "a.zarr", spelling, "--overwrite", cwd=tmp_path).paragraph()
    assert "same" in message
    assert np.array_equal(read(source), array)
