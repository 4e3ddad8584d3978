# SPDX-License-Identifier: Apache-2.0
"""What a buffered array keeps when its program is interrupted, killed or forked (BA-2, BA-6), and arrays larger than 2^31 elements."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import octavo
import pytest

pytestmark = pytest.mark.timeout(120)


def test_ba6_ctrl_c_within_a_write_back_leaves_the_rest_to_the_next(tmp_path: Path) -> None:
    with octavo.buffered(tmp_path / "u.npy", mode="w", shape=1 << 20, dtype="int32", memory="16MiB", block=[1 << 12]) as u:
        u[...] = np.arange(1 << 20)

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 1e-3)
                while True:
                    u[::2] = np.arange(0, 1 << 20, 2)
                    u.writeback()
        finally:
            signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(np.load(tmp_path / "u.npy"), np.arange(1 << 20))


def test_a_write_back_that_lasts_has_a_bar() -> None:
    from octavo.buffered_arrays.writing import shown

    class Slow:
        """As a _core.BufferHandle whose write-back lasts."""

        dirty_elements = 1000

    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("octavo.progress.Bar.draw", lambda _, what, done, total, seconds: said.append(f"{what} {done} of {total}"))
        with shown(Slow(), 8, True) as watch:  # type: ignore[arg-type]
            assert watch is not None
            watch(4000)
    assert said == ["writing back 4000 of 8000"]
    with shown(Slow(), 8, False) as watch:  # type: ignore[arg-type]
        assert watch is None


KILLED = """
import os, signal, sys
import octavo
u = octavo.buffered(sys.argv[1], mode="r+", memory="1MiB")
u[:1000] = 1
u.writeback()
u[500:2000] = 2
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("name", ["u.npy", "u.zarr"])
def test_ba2_what_was_written_back_survives_a_kill(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    octavo.create_array(path, 4096, "int32", **({"chunks": 256, "compressor": "zstd"} if name == "u.zarr" else {})).close()
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode == -signal.SIGKILL
    with octavo.buffered(path, mode="r+") as u:  # a lock file that it left is free
        found = u[:2000]
        assert (found[:500] == 1).all()
        assert set(np.unique(found[500:1000])) <= {1, 2} and set(np.unique(found[1000:])) <= {0, 2}


def test_a_child_that_was_forked_opens_it_again(tmp_path: Path) -> None:
    with octavo.buffered(tmp_path / "u.npy", mode="w", shape=100, dtype="int32") as u:
        u[:50] = 1
        u.writeback()
        u[50:] = 2
        child = os.fork()
        if child == 0:
            os._exit(0 if u[49] == 1 and u[50] == 0 else 1)  # it does not see what was not written back
        assert os.waitpid(child, 0)[1] == 0
        assert u[50] == 2
    assert np.load(tmp_path / "u.npy").sum() == 150


@contextlib.contextmanager
def small_disk(at: Path) -> Iterator[None]:
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(at)], check=False).returncode != 0:
        pytest.skip("no mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


def test_ba6_a_full_disk_leaves_the_array_open_and_the_next_close_writes(tmp_path: Path) -> None:
    with small_disk(tmp_path):
        u = octavo.buffered(tmp_path / "u.zarr", mode="w", shape=1 << 19, dtype="int32", memory="16MiB", chunks=[1 << 16])
        (tmp_path / "filler").write_bytes(bytes(3 << 20))
        u[...] = 1
        with pytest.raises(octavo.IoError, match=r"writing \[.*u\.zarr.*No space left"):
            u.close()
        (tmp_path / "filler").unlink()
        u.close()
        with octavo.buffered(tmp_path / "u.zarr") as again:
            assert again.sum() == 1 << 19


def test_ba6_where_scratch_has_no_room_the_error_says_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with small_disk(tmp_path):
        with pytest.raises(octavo.IoError, match=rf"scratch file in '{tmp_path}' for all of an array of \(1048576,\) float64, 8 MiB: No space left.*TMPDIR"):
            octavo.buffered(None, shape=1 << 20, dtype="float64")
        with octavo.buffered(tmp_path / "u.npy", mode="w", shape=3 << 20, dtype="int8", memory="1MiB") as u:
            u[...] = 1
            with pytest.raises(octavo.IoError, match=r"scratch file.*\(3145728,\) int8, 3 MiB: No space left.*TMPDIR.*out=octavo\.buffered\("):
                next(u.blocks(halo=1))
            assert u.sum() == 3 << 20
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "no"))
    with pytest.raises(octavo.IoError, match=r"scratch file in '.*no'.*No such file"):
        octavo.buffered(None, shape=10, dtype="float64")


@pytest.mark.parametrize("name", ["u.npy", "u.raw"])
def test_ba6_a_plain_file_has_its_room_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with small_disk(tmp_path):
        with pytest.raises(octavo.IoError, match="No space left"):
            octavo.buffered(tmp_path / name, mode="w", shape=8 << 20, dtype="int8", memory="64KiB")
        assert not list(tmp_path.iterdir())
        with octavo.buffered(tmp_path / name, mode="w", shape=3 << 20, dtype="int8", memory="64KiB") as u:
            with contextlib.suppress(OSError), (tmp_path / "filler").open("wb") as filler:
                filler.write(bytes(4 << 20))
            u[...] = 1
            u.flush()
            assert u.sum() == 3 << 20


def test_what_cannot_be_written_to_is_read(tmp_path: Path) -> None:
    with small_disk(tmp_path):
        for name, options in {"u.npy": {}, "u.zarr": {"chunks": 64}, "packed.zarr": {"chunks": 64, "compressor": "zstd"}, "u.octavo": {"chunks": 64}}.items():
            with octavo.create_array(tmp_path / name, 1000, "int32", **options) as made:  # type: ignore[arg-type]
                made[...] = np.arange(1000)
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path)], check=True)
        for name in ("u.npy", "u.zarr", "packed.zarr", "u.octavo"):
            with octavo.buffered(tmp_path / name, memory="1MiB") as u:
                np.testing.assert_array_equal(u[...], np.arange(1000))
            with contextlib.suppress(octavo.IoError):  # or it is refused at once
                u = octavo.buffered(tmp_path / name, mode="r+", memory="1MiB")
                u[0] = 1
                with pytest.raises(octavo.IoError):
                    u.writeback()
                u.invalidate(discard=True)
                u.close()


def test_more_than_2_to_the_31_elements(tmp_path: Path) -> None:
    count = 3 * 10**9
    (tmp_path / "u.raw").touch()
    os.truncate(tmp_path / "u.raw", count)  # no disk is taken
    with octavo.buffered(tmp_path / "u.raw", mode="r+", shape=count, dtype="int8", memory="8MiB") as u:
        u[count - 1] = 7
        u[2**31 + 5 : 2**31 + 8] = 1
        u[[count - 2, 2**31 + 5]] = 3
    with octavo.buffered(tmp_path / "u.raw", shape=count, dtype="int8", memory="8MiB") as u:
        assert u[count - 2 :].tolist() == [3, 7]
        assert u[2**31 + 4 : 2**31 + 9].tolist() == [0, 3, 1, 1, 0]
