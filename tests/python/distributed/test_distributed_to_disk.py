# SPDX-License-Identifier: Apache-2.0
"""What is left of an array that could not be written whole: nothing under its name (DA-8). Needs root for a full disk: mounts a small tmpfs."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
import pytest
from distributed_classes import Holder
from octavo.distributed import DistributedArray, disk, from_array, full

pytestmark = pytest.mark.timeout(120)
FORMATS: list[tuple[str, dict[str, Any]]] = [
    ("y.npy", {}),
    ("y.raw", {}),
    ("y.zarr", {"chunks": (1 << 14,)}),
    ("y.zarr", {"chunks": (1 << 14,), "compressor": "zstd"}),
    ("y.octavo", {"chunks": (1 << 14,)}),
    ("y.h5", {}),
    ("y.h5", {"chunks": (1 << 14,), "compressor": "gzip"}),
]
each_format = pytest.mark.parametrize(("name", "options"), FORMATS, ids=["npy", "raw", "zarr", "zstd", "octavo", "flat_h5", "gzip_h5"])


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    at = tmp_path / "small"
    at.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "octavo-test", str(at)], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


def room_in(path: Path) -> int:
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


@each_format
@pytest.mark.parametrize("left", [0, 4096, 16384])
def test_da8_create_array_on_a_full_disk_leaves_nothing(small: Path, left: int, name: str, options: dict[str, Any]) -> None:
    if name.endswith("h5"):
        pytest.importorskip("h5py")
    (small / "full").write_bytes(bytes(room_in(small) - left))
    room = room_in(small)
    for _ in range(2):
        try:
            ov.create_array(small / name, 1 << 20, "f8", **options).close()
        except ov.Error:
            assert [each.name for each in small.iterdir()] == ["full"]
            assert room_in(small) == room
        else:  # made: little is written of it
            assert left > 0
            with ov.open_array(small / name) as array:
                assert array.shape == (1 << 20,)
            subprocess.run(["rm", "-r", str(small / name)], check=True)


@each_format
def test_da8_a_full_disk_leaves_nothing(runtime: ov.Runtime, small: Path, name: str, options: dict[str, Any]) -> None:
    if name.endswith("h5"):
        pytest.importorskip("h5py")
    g = ov.make_group(Holder, 2)
    # The disk is full at member 1 only: what member 0 has is packed, or is little.
    values = np.concatenate([np.zeros(1 << 16), np.random.default_rng(1).random(3 << 18)])
    most = from_array(values, group=g)
    little = full(1 << 10, 5, group=g)
    room = room_in(small)
    for _ in range(2):
        with pytest.raises(ov.Error):
            most.to_disk(small / name, **options)
        assert list(small.iterdir()) == []
        assert room_in(small) == room, "no process has it open"
    options = {key: (64,) if key == "chunks" else value for key, value in options.items()}
    little.to_disk(small / name, **options)
    with pytest.raises(ov.Error):
        most.to_disk(small / name, overwrite=True, **options)
    assert [each.name for each in small.iterdir()] == [name]
    raw = {"shape": (1 << 10,), "dtype": "f8"} if name == "y.raw" else {}
    with ov.open_array(small / name, **raw) as array:  # type: ignore[arg-type]
        assert array[...].tolist() == [5.0] * (1 << 10)
    ov.destroy(g)


@each_format
@pytest.mark.parametrize("who", [0, 1])
def test_da8_a_member_that_dies_in_the_middle_leaves_nothing(runtime: ov.Runtime, tmp_path: Path, who: int, name: str, options: dict[str, Any]) -> None:
    if name.endswith("h5"):
        pytest.importorskip("h5py")

    def work(me: ov.Member, a: DistributedArray, who: int, path: Path, options: dict[str, Any]) -> None:
        def dies(_: DistributedArray) -> Any:
            os.kill(os.getpid(), signal.SIGKILL)

        if me.index == who:
            disk.parts_of = dies  # when the array is made, and the others write
        a.to_disk(path, **options)

    g = ov.make_group(Holder, 3)
    a = full(1 << 17, 1, group=g)
    for each in [ov.start(each.run, work, a, who, tmp_path / name, options) for each in g]:
        with pytest.raises(ov.ProcessDied, match="SIGKILL"):
            each.result(timeout=60)
    assert not (tmp_path / name).exists()
    again = ov.make_group(Holder, 2)
    full(1 << 17, 2, group=again).to_disk(tmp_path / name, **options)
    assert [each.name for each in tmp_path.iterdir()] == [name]
    ov.destroy(again)
