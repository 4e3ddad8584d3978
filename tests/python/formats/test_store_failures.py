# SPDX-License-Identifier: Apache-2.0
"""What goes wrong where another library reads or writes: its process dies, a chunk is damaged, the disk is full, the library is not there."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from formats_kit import SOURCES, read_by_library
from kit import (
    MIB,
    Array,
    Command,
    assert_equal,
    children_of,
    has_written,
    no_more_shared_memory,
    noise,
    nothing_left,
    run,
    run_command,
    shared_memory,
    title_of,
    wait_for,
)

pytestmark = pytest.mark.timeout(90)
SHAPE, CHUNKS = (64, 128, 256), (16, 32, 64)  # 32 MiB in chunks of 512 KiB
NAMED = {each.name: each for each in SOURCES}
LIBRARY_TARGETS: dict[str, dict[str, Any]] = {
    "t.zarr": {"compressor": "zstd", "level": 1, "chunks": CHUNKS},
    "t.h5": {"compressor": "gzip", "level": 1, "chunks": CHUNKS},
}
# What Octavo does not encode or decode itself.
SERVED = ("v2-zlib-shuffle", "h5-lzf")
MEMORY = 56 * MIB


@pytest.fixture(scope="module")
def array() -> Array:
    return noise(SHAPE, "complex128")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, array: Array) -> dict[str, Path]:
    """Not to be changed by a test."""
    kinds = ("v3-zstd", "h5-gzip-shuffle", *SERVED)
    return {kind: NAMED[kind].write(tmp_path_factory.mktemp(kind), array, CHUNKS).path for kind in kinds}


def servers_of(processes: list[tuple[str, int]]) -> list[int]:
    return [pid for name, pid in processes if name.rpartition("::")[2] == "StoreDevice"]


@pytest.mark.parametrize("number", [0, 1], ids=["reader", "writer"])
@pytest.mark.parametrize("ending", LIBRARY_TARGETS)
@pytest.mark.parametrize("kind", SERVED)
def test_server_killed_in_a_job(sources: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, ending: str, number: int) -> None:
    monkeypatch.setattr(octavo._src.new_targets, "is_native", lambda target: False)  # as in a build without libraries of codecs
    target = tmp_path / ending
    job = octavo.Job(sources[kind], target, axes=[2], memory=MEMORY, **LIBRARY_TARGETS[ending])
    killed: list[int] = []

    def watch(now: octavo.job.Progress) -> bool:
        assert now.seconds < 60, "the job hangs"
        if not killed and now.bytes_done > 0:
            killed.append(servers_of(job.processes())[-number])
            os.kill(killed[0], signal.SIGKILL)
        return True

    with nothing_left(target), pytest.raises(octavo.ProcessDied, match="SIGKILL") as died:
        job.run(watch)
    assert f"pid {killed[0]} " in str(died.value)
    assert "StoreDevice" in str(died.value)
    assert read_by_library(sources[kind], SHAPE, "complex128") is not None


@pytest.mark.parametrize("kind", SERVED)
def test_server_killed_in_a_read(sources: dict[str, Path], array: Array, kind: str) -> None:
    """It is stopped first, so that the read cannot have ended; it may not have reached the server yet."""
    opened = octavo.open_array(sources[kind])
    np.testing.assert_array_equal(opened[5], array[5])
    servers = [pid for pid in children_of(os.getpid()) if "store_server" in title_of(pid)]
    assert servers
    for pid in servers:
        os.kill(pid, signal.SIGSTOP)
    failed: list[Exception] = []
    begun = threading.Event()

    def read() -> None:
        begun.set()
        try:
            opened[...]
        except octavo.Error as error:
            failed.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    assert begun.wait(10)
    for pid in servers:
        os.kill(pid, signal.SIGKILL)
    thread.join(20)
    assert not thread.is_alive(), "the read hangs"
    assert len(failed) == 1 and isinstance(failed[0], octavo.ProcessDied), failed
    assert "SIGKILL" in str(failed[0])
    with pytest.raises(octavo.ProcessDied):
        opened[0]
    opened.close()
    wait_for(lambda: not children_of(os.getpid()), 20, "no child")
    with octavo.open_array(sources[kind]) as again:
        np.testing.assert_array_equal(again[7], array[7])


@pytest.mark.parametrize("ending", LIBRARY_TARGETS)
@pytest.mark.parametrize("kind", ["v3-zstd", "h5-gzip-shuffle"])
def test_control_c(sources: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, ending: str) -> None:
    temporary, place = tmp_path / "temporary", tmp_path / "place"
    temporary.mkdir()
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    target = place / ending
    asked = LIBRARY_TARGETS[ending]
    more = ["--compress", asked["compressor"], "--chunks", ",".join(map(str, CHUNKS)), "--memory", str(MEMORY)]
    shm = shared_memory()
    command = Command(["fft", str(sources[kind]), str(target), *more])
    wait_for(lambda: has_written(target) or command.process.poll() is not None, 30, "a first chunk")
    assert command.process.poll() is None, command.end()
    command.signal_group(signal.SIGINT)
    ended = command.end(20)
    message = ended.paragraph()
    assert ended.status == 130
    assert f"'{target}' is removed" in message
    assert list(place.iterdir()) == []
    assert list(temporary.iterdir()) == []
    no_more_shared_memory(shm)


def damage_zarr(path: Path) -> str:
    """A chunk in the middle; its file."""
    files = sorted(each for each in (path / "c").rglob("*") if each.is_file())
    chosen = files[len(files) // 2]
    chosen.write_bytes(b"no zstd frame" + chosen.read_bytes()[13:])
    return str(chosen)


def damage_hdf5(path: Path) -> str:
    """A chunk in the middle; the file."""
    file = path.parents[1]
    with pytest.importorskip("h5py").File(file, "r") as opened:
        dataset = opened["gas/density"].id
        chunk = dataset.get_chunk_info(dataset.get_num_chunks() // 2)
    with file.open("r+b") as raw:
        raw.seek(chunk.byte_offset)
        raw.write(b"no deflate stream" * 4)
    return str(file)


@pytest.mark.parametrize(("kind", "damage"), [("v3-zstd", damage_zarr), ("v3-sharded-zstd", damage_zarr), ("h5-gzip-shuffle", damage_hdf5)])
def test_damaged_chunk(tmp_path: Path, kind: str, damage: Callable[[Path], str]) -> None:
    array = noise((40, 48, 50), "float64")
    source = NAMED[kind].write(tmp_path, array, (10, 12, 50)).path
    file = damage(source)
    with nothing_left(tmp_path / "t.npy"), pytest.raises(octavo.IoError) as raised:
        run(octavo.Job(source, tmp_path / "t.npy", memory=MEMORY))
    assert file in str(raised.value)
    assert "damaged" in str(raised.value)
    with octavo.open_array(source) as opened:
        np.testing.assert_array_equal(opened[:10, :12], array[:10, :12])
        with pytest.raises(octavo.IoError, match="damaged"):
            opened[...]
        np.testing.assert_array_equal(opened[:10, :12], array[:10, :12])  # it can be used on
    wait_for(lambda: not children_of(os.getpid()), 20, "no child")


@contextlib.contextmanager
def disk_of(folder: Path, size: str) -> Iterator[Path]:
    """A small disk; needs root."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "octavo-test", str(disk)], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path, leave: int) -> None:
    """Another program takes the space."""
    facts = os.statvfs(disk)
    with (disk / "other").open("wb") as other:
        os.posix_fallocate(other.fileno(), 0, facts.f_bavail * facts.f_frsize - leave)


@pytest.mark.parametrize("ending", LIBRARY_TARGETS)
def test_disk_that_fills_up_under_a_compressed_target(sources: dict[str, Path], tmp_path: Path, ending: str) -> None:
    with disk_of(tmp_path, "48m") as disk:
        target = disk / ending
        job = octavo.Job(sources["v3-zstd"], target, axes=[2], memory=MEMORY, **LIBRARY_TARGETS[ending])
        assert not job.uses_scratch  # whose space is taken before the start
        fill(disk, leave=4 * MIB)
        with nothing_left(target), pytest.raises(octavo.IoError, match="No space left on device") as raised:
            run(job)
        assert f"{target}.unfinished" in str(raised.value)
        assert "Free space" in str(raised.value)
        assert [entry.name for entry in disk.iterdir()] == ["other"]


@pytest.mark.parametrize("ending", LIBRARY_TARGETS)
def test_disk_that_fills_up_under_an_array(tmp_path: Path, ending: str) -> None:
    with disk_of(tmp_path, "8m") as disk:
        values = noise((64, 64, 64))
        made = octavo.create_array(disk / ending, values.shape, "complex128", chunks=(16, 16, 64), compressor="gzip")
        made[0, 0] = values[0, 0]
        made.flush()
        fill(disk, leave=64 << 10)
        with pytest.raises(octavo.IoError, match="No space left on device"):
            made[...] = values
            made.flush()
        with contextlib.suppress(octavo.IoError):
            made.close()
        wait_for(lambda: not children_of(os.getpid()), 20, "no child")


@pytest.mark.parametrize(
    ("module", "arguments", "cure"),
    [
        ("h5py", ["info", "SOURCE.h5"], "pip install octavo[hdf5]"),
        ("h5py", ["fft", "SOURCE.npy", "t.h5"], "pip install octavo[hdf5]"),
        ("h5py", ["copy", "SOURCE.npy", "t.h5", "--compress", "gzip"], "pip install octavo[hdf5]"),
        ("zarr", ["fft", "SOURCE.zarr", "t.npy"], "pip install 'zarr>=3.1'"),
    ],
)
def test_library_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, arguments: list[str], cure: str) -> None:
    array = noise((12, 10), "float64")
    np.save(tmp_path / "SOURCE.npy", array)
    NAMED["h5-gzip-shuffle"].write(tmp_path, array, (4, 5)).path.parents[1].rename(tmp_path / "SOURCE.h5")
    NAMED["v2-zlib-shuffle"].write(tmp_path, array, (4, 5)).path.rename(tmp_path / "SOURCE.zarr")
    before = sorted(tmp_path.iterdir())
    hidden = tmp_path.parent / f"{tmp_path.name}-hidden"
    hidden.mkdir()
    (hidden / f"{module}.py").write_text(f"raise ModuleNotFoundError(\"No module named '{module}'\")\n")
    monkeypatch.setenv("PYTHONPATH", str(hidden))
    message = run_command(*arguments, cwd=tmp_path).paragraph()
    assert cure in message
    assert sorted(tmp_path.iterdir()) == before
    assert run_command("copy", "SOURCE.npy", "t.npy", cwd=tmp_path).status == 0, "what needs no library works"


@pytest.mark.parametrize("kind", ["v3-zstd", "h5-gzip-shuffle"])
def test_chunk_larger_than_the_budget(tmp_path: Path, kind: str) -> None:
    source = NAMED[kind].write(tmp_path, np.zeros((256, 128, 128)), (128, 128, 128)).path  # 16 MiB each
    with nothing_left(tmp_path / "t.npy"), pytest.raises(octavo.Refused) as raised:
        octavo.Job(source, tmp_path / "t.npy", memory="12MiB")
    for word in ("chunk of the source", "128 x 128 x 128", "has 16 MiB", "memory of 12 MiB", "smaller chunks"):
        assert word in str(raised.value), str(raised.value)
    with pytest.raises(octavo.Refused) as raised, octavo.open_array(source, memory="12MiB") as opened:
        opened[0]
    assert "12 MiB" in str(raised.value)
    run(octavo.Job(source, tmp_path / "t.npy", memory="160MiB", axes=[0]))
    assert_equal(np.load(tmp_path / "t.npy"), np.zeros((256, 128, 128), complex))
