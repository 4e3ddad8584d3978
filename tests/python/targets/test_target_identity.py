# SPDX-License-Identifier: Apache-2.0
"""J-2: a source or an unfinished target that is removed or replaced while a job runs is an error, not zeros with status 0."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import Command, has_written, noise, unfinished_of, wait_for

pytestmark = pytest.mark.timeout(120)
SHAPE = (192, 96, 128)


def make(path: Path, compressor: str | None = None) -> Path:
    chunks = None if path.suffix == ".npy" else (32, 32, 32)
    with octavo.create_array(path, SHAPE, "complex128", chunks=chunks, compressor=compressor) as array:
        array[...] = noise(SHAPE)
    return path


def while_it_runs(source: Path, target: Path, change: Callable[[], object], operation: str = "copy") -> Command:
    """The change is made when the first chunk is there; nobody else runs meanwhile."""
    command = Command([operation, str(source), str(target), "--memory", "12MiB" if source.suffix == ".npy" else "64MiB", "--chunks", "16,16,16", "--quiet"])
    wait_for(lambda: has_written(target, 0) or command.process.poll() is not None, 30, "a first chunk")
    try:
        command.stop()
        assert command.process.poll() is None, command.end()
        change()
    except BaseException:
        command.signal_group(signal.SIGKILL)
        raise
    command.signal_group(signal.SIGCONT)
    return command


@pytest.mark.parametrize("operation", ["copy", "fft"])
@pytest.mark.parametrize("kind", ["a.zarr", "zstd.zarr", "a.npy"])
def test_a_source_that_is_removed(tmp_path: Path, kind: str, operation: str) -> None:
    source, target = make(tmp_path / kind, "zstd" if kind.startswith("zstd") else None), tmp_path / "t.zarr"
    command = while_it_runs(source, target, lambda: shutil.rmtree(source) if source.is_dir() else source.unlink(), operation)
    message = command.end().paragraph()
    assert str(source) in message
    assert "removed while" in message or "there is no such file" in message
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_is_replaced(tmp_path: Path) -> None:
    source, other, target = make(tmp_path / "a.zarr"), make(tmp_path / "b.zarr"), tmp_path / "t.zarr"
    command = while_it_runs(source, target, lambda: (source.rename(tmp_path / "away"), other.rename(source)))
    assert "was replaced by another one" in command.end().paragraph()
    assert not target.exists()


def rewrite(source: Path, name: str, value: object) -> None:
    metadata = json.loads((source / "zarr.json").read_text())
    metadata[name] = value
    (source / "new").write_text(json.dumps(metadata))
    (source / "new").rename(source / "zarr.json")


def test_a_source_whose_fill_value_changes(tmp_path: Path) -> None:
    source, target = make(tmp_path / "a.zarr"), tmp_path / "t.zarr"
    command = while_it_runs(source, target, lambda: rewrite(source, "fill_value", [1.0, 0.0]))
    assert "describes another array" in command.end().paragraph()


def test_a_source_whose_attributes_change(tmp_path: Path) -> None:
    source, target = make(tmp_path / "a.zarr"), tmp_path / "t.zarr"
    command = while_it_runs(source, target, lambda: rewrite(source, "attributes", {"note": "later"}))
    assert command.end().status == 0
    with octavo.open_array(target) as copied:
        np.testing.assert_array_equal(copied[...], noise(SHAPE))


def test_an_unfinished_target_that_is_removed(tmp_path: Path) -> None:
    source, target = make(tmp_path / "a.zarr"), tmp_path / "t.zarr"
    command = while_it_runs(source, target, lambda: [shutil.rmtree(each) for each in unfinished_of(target)], "fft")
    message = command.end().paragraph()
    assert "removed" in message
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("compressor", [None, "zstd"])
def test_reading_an_array_whose_directory_was_removed(tmp_path: Path, compressor: str | None) -> None:
    path = tmp_path / "a.zarr"
    octavo.create_array(path, (64,), "int32", chunks=(8,), compressor=compressor)[:8] = 5
    with octavo.open_array(path) as array:
        assert array[8] == 0  # was never written
        shutil.rmtree(path)
        with pytest.raises(octavo.IoError, match="was removed while it was in use"):
            array[16:24]
