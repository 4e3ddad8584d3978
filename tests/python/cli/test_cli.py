# SPDX-License-Identifier: Apache-2.0
"""The command line where all goes well: every format, its options, info, and what a result carries."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import octavo
import pytest
import scipy.fft
from kit import Command, assert_equal, noise, read, run_command, worked, write_zarr

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(60)
SHAPE = (48, 40, 33)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.zarr"
    write_zarr(path, noise(SHAPE), (16, 20, 33), attributes={"units": "K", "nested": {"a": [1, 2.5, None]}}, dimension_names=["z", "y", "x"])
    return path


@pytest.mark.parametrize("ending", ["zarr", "npy", "raw", "bin", "dat"])
def test_formats(source: Path, ending: str) -> None:
    target = source.parent / f"target.{ending}"
    ended = worked("fft", source, target)
    assert ended.err == "", "no progress bar where there is no terminal"
    assert str(target) in ended.out
    assert_equal(read(target, SHAPE), scipy.fft.fftn(noise(SHAPE)))


def test_there_and_back(source: Path) -> None:
    spectrum, again = source.parent / "spectrum.npy", source.parent / "again.zarr"
    worked("fft", source, spectrum, "--norm", "ortho", "--axes", "0,2")
    assert_equal(read(spectrum), scipy.fft.fftn(noise(SHAPE), axes=(0, 2), norm="ortho"))
    worked("ifft", spectrum, again, "--norm", "ortho", "--axes=-1,0")
    assert_equal(read(again), noise(SHAPE))


def test_no_axes_transform_nothing(source: Path) -> None:
    target = source.parent / "same.npy"
    worked("fft", source, target, "--axes", "", "--norm", "forward")
    np.testing.assert_array_equal(np.load(target), noise(SHAPE).astype(complex), strict=True)


def test_raw_source(tmp_path: Path) -> None:
    array = noise(SHAPE, "float32")
    array.tofile(tmp_path / "a.raw")
    worked("fft", tmp_path / "a.raw", tmp_path / "b.raw", "--shape", "48,40,33", "--dtype", "float32")
    assert_equal(read(tmp_path / "b.raw", SHAPE, "complex64"), scipy.fft.fftn(array.astype(complex)))


def test_chunks_of_a_zarr_target(source: Path) -> None:
    target = source.parent / "target.zarr"
    worked("fft", source, target, "--chunks", "7,40,10", "--memory", "2MiB")
    opened = zarr.open_array(str(target), mode="r")
    assert opened.chunks == (7, 40, 10)
    assert opened.dtype == np.complex128
    assert_equal(opened[...], scipy.fft.fftn(noise(SHAPE)))


def test_attributes_and_names_are_carried_along(source: Path) -> None:
    target = source.parent / "target.zarr"
    worked("fft", source, target)
    before, after = zarr.open_array(str(source), mode="r"), zarr.open_array(str(target), mode="r")
    assert dict(before.attrs) == {"units": "K", **dict(after.attrs)}  # units are those of the elements, not of their transform
    assert dict(after.attrs) == {"nested": {"a": [1, 2.5, None]}}
    assert after.metadata.dimension_names == ("z", "y", "x")


def test_source_is_not_touched(source: Path) -> None:
    before = {path: path.read_bytes() for path in source.rglob("*") if path.is_file()}
    worked("fft", source, source.parent / "target.zarr", "--memory", "2MiB")
    assert {path: path.read_bytes() for path in source.rglob("*") if path.is_file()} == before


def test_progress_on_a_terminal(source: Path) -> None:
    ours, theirs = os.openpty()
    command = Command(["fft", str(source), str(source.parent / "target.npy")], errors=theirs)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    assert command.end().status == 0
    assert re.search(r"pass 1 of 1.*100%.*[0-9.]+ GB/s.*0:00:00", shown.decode()), shown


def test_quiet_says_nothing(source: Path) -> None:
    ended = worked("fft", source, source.parent / "target.npy", "--quiet")
    assert (ended.out, ended.err) == ("", "")


@pytest.mark.parametrize("ending", ["zarr", "npy"])
def test_plan_prints_and_writes_nothing(source: Path, ending: str) -> None:
    ended = worked("fft", source, source.parent / f"target.{ending}", "--plan", "--memory", "1MiB", "--axes", "0,2")
    assert list(source.parent.iterdir()) == [source]
    for word in ("48 x 40 x 33", "complex128", "axes 0, 2", "pass 1", "MiB moved", "memory", "staging"):
        assert word in ended.out, ended.out


def test_plan_says_what_is_done(source: Path) -> None:
    target = source.parent / "target.npy"
    job = octavo.Job(source, target, memory="1MiB")
    ended = worked("fft", source, target, "--plan", "--memory", "1MiB")
    assert job.plan.strip() == ended.out.strip()
    assert ended.out.count("\npass ") == job.passes


def test_relative_paths_and_trailing_slash(source: Path) -> None:
    ended = run_command("fft", "a.zarr/", "target.zarr/", cwd=source.parent)
    assert ended.status == 0, ended.err
    assert sorted(path.name for path in source.parent.iterdir()) == ["a.zarr", "target.zarr"]
    assert_equal(read(source.parent / "target.zarr"), scipy.fft.fftn(noise(SHAPE)))


def test_unfinished_output_of_an_earlier_run_is_replaced(source: Path) -> None:
    for target in (source.parent / "target.zarr", source.parent / "target.npy"):
        leftover, foreign = (target.parent / f"{target.name}.unfinished-0000000{digit}" for digit in "12")
        for directory in (leftover, foreign):
            directory.mkdir()
            (directory / "notes").write_text("")
        (leftover / "octavo-unfinished.jsonl").write_text("")
        worked("fft", source, target, "--memory", "2MiB")
        assert not leftover.exists()
        assert foreign.exists()  # only has such a name
        assert_equal(read(target), scipy.fft.fftn(noise(SHAPE)))


def test_info(source: Path) -> None:
    folder = source.parent
    assert worked("info", source).out == f"{source}: zarr, 48 x 40 x 33 complex128, 990 KiB\nchunks of 16 x 20 x 33\ndimensions z, y, x\n"
    np.save(folder / "b.npy", noise((7, 11), "int16").astype(">i2"))
    assert worked("info", folder / "b.npy").out == f"{folder / 'b.npy'}: npy, 7 x 11 int16, 154 B\nbig-endian\n"
    np.save(folder / "d.npy", np.float32(2.5))
    assert worked("info", folder / "d.npy").out == f"{folder / 'd.npy'}: npy, one float32, 4 B\n"
    noise((7, 11), "uint8").tofile(folder / "c.raw")
    assert worked("info", folder / "c.raw", "--shape", "7,11", "--dtype", "uint8").out == f"{folder / 'c.raw'}: raw, 7 x 11 uint8, 77 B\n"


def test_info_for_programs(source: Path) -> None:
    found = octavo.info(source)
    assert (found.path, found.format, found.shape, found.chunk) == (str(source), "zarr", SHAPE, (16, 20, 33))
    assert (found.dtype, found.big_endian, found.nbytes) == ("complex128", False, noise(SHAPE).nbytes)


def test_info_is_json_for_every_reader(tmp_path: Path) -> None:
    attributes = {"bad": float("nan"), "limits": [-float("inf"), float("inf")], "deep": {"a": [float("nan"), 1.5]}, "text": "NaN", "none": None}
    write_zarr(tmp_path / "a.zarr", noise(SHAPE), (16, 20, 33), attributes=attributes)

    def refuse(name: str) -> None:
        pytest.fail(f"{name} is not JSON")

    found = json.loads(worked("info", tmp_path / "a.zarr", "--json").out, parse_constant=refuse)
    assert found["attrs"] == {"bad": "NaN", "limits": ["-Infinity", "Infinity"], "deep": {"a": ["NaN", 1.5]}, "text": "NaN", "none": None}
    assert (found["shape"], found["dims"]) == (list(SHAPE), None)
    assert octavo.info(tmp_path / "a.zarr").attrs["limits"] == [-float("inf"), float("inf")]


def test_result_without_help_from_octavo(source: Path) -> None:
    target = source.parent / "target.zarr"
    worked("fft", source, target)
    metadata = json.loads((target / "zarr.json").read_text())
    assert (metadata["zarr_format"], metadata["node_type"], metadata["data_type"]) == (3, "array", "complex128")
    assert metadata["codecs"] == [{"name": "bytes", "configuration": {"endian": "little"}}]


@pytest.mark.parametrize("arguments", [["--help"], ["fft", "--help"], ["ifft", "--help"], ["info", "--help"]])
def test_help(arguments: list[str]) -> None:
    ended = worked(*arguments)
    assert "Usage" in ended.out


def test_import_starts_nothing() -> None:
    # NumPy's own threads would hide ours: octavo itself does not import it.
    code = "import octavo, os; print(len(os.listdir('/proc/self/task')), open(f'/proc/self/task/{os.getpid()}/children').read().split())"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["1", "[]"]
