# SPDX-License-Identifier: Apache-2.0
"""Making many small files durable: one sync of their file system instead of one a file. And no more work for a small chunk than zarr-python's own."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import octavo
import pytest
from octavo._src.stores import create_store, open_store, unsynced
from octavo._src.stores.unsynced import MOST_SINGLE, Unsynced

zarr = pytest.importorskip("zarr")
pytestmark = pytest.mark.timeout(120)


class Calls:
    """Counts what is asked of the system."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fsync = self.syncfs = 0
        fsync, syncfs = os.fsync, unsynced._syncfs

        def count_fsync(descriptor: int) -> None:
            self.fsync += 1
            fsync(descriptor)

        def count_syncfs(descriptor: int, root: Path) -> None:
            self.syncfs += 1
            syncfs(descriptor, root)

        monkeypatch.setattr(os, "fsync", count_fsync)
        monkeypatch.setattr(unsynced, "_syncfs", count_syncfs)


def test_few_files_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, files = Calls(monkeypatch), Unsynced()
    for name in ("a", "b"):
        (tmp_path / "c" / name).mkdir(parents=True)
        (tmp_path / "c" / name / "0").write_text("x")
        files.add(tmp_path / "c" / name / "0")
    files.sync(tmp_path)
    assert (calls.fsync, calls.syncfs) == (2 + 4, 0), "two files, and the directories c/a, c/b, c and their root"


def test_many_files_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 3 * MOST_SINGLE
    info = create_store("zarr", tmp_path / "a.zarr", shape=(count * 8,), chunks=(8,), dtype="f4", compressor="zstd")
    store = open_store(info.spec, writable=True)
    calls = Calls(monkeypatch)
    gc.collect()  # what other tests have left closes its descriptors now
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(2):
        store.write((0,), np.ones(count * 8, "f4"))
        store.flush()
    assert (calls.fsync, calls.syncfs) == (0, 2)
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    store.close()


def test_what_cannot_be_synced_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        unsynced._syncfs(-1, tmp_path)


def test_small_chunks_take_no_longer_than_zarr_python(tmp_path: Path) -> None:
    """In processor time, which other programs do not lengthen much. It was three times that, and an fsync for each."""
    count, values = 256, np.random.default_rng(3).random(256 * 256).astype("f4")
    info = create_store("zarr", tmp_path / "a.zarr", shape=(count * 256,), chunks=(256,), dtype="f4", compressor="zstd")
    store = open_store(info.spec, writable=True)
    theirs = zarr.open_array(str(tmp_path / "a.zarr"), mode="r+")
    parts = [slice(i * 256, (i + 1) * 256) for i in range(count)]

    def took(work: Callable[[slice], None]) -> float:
        begun = time.process_time()
        for part in parts:
            work(part)
        return time.process_time() - begun

    best = {"ours": 1e9, "theirs": 1e9}
    for _ in range(3):
        best["theirs"] = min(best["theirs"], took(lambda part: theirs.__setitem__(part, values[part])))
        with zarr.config.set({"async.concurrency": 1}):
            best["ours"] = min(best["ours"], took(lambda part: store.write((part.start,), values[part])))
    store.flush()
    store.close()
    assert best["ours"] < 2 * best["theirs"] + 0.1, best
    with octavo.open_array(tmp_path / "a.zarr") as a:
        np.testing.assert_array_equal(a[...], values)
