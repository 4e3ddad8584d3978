# SPDX-License-Identifier: Apache-2.0
"""HDF5's lock on a file is held for as long as Octavo has a dataset of it open, and never against Octavo itself."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import octavo
import pytest

FIELD = np.arange(60.0).reshape(6, 10)
DATASETS = {"dense": None, "other": None, "chunked": (3, 5), "chunked2": (3, 5)}
MODES: list[Any] = ["r", "r+"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with h5py.File(tmp_path / "a.h5", "w") as made:
        for name, chunks in DATASETS.items():
            made.create_dataset(name, data=FIELD, chunks=chunks)
    return tmp_path / "a.h5"


def here(file: Path, mode: Any) -> bool:
    """Whether h5py opens it so in this program."""
    try:
        h5py.File(file, mode).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("name", ["dense", "chunked"])
def test_others_are_kept_out_until_it_is_closed(name: str, file: Path) -> None:
    with octavo.open_array(file / name) as a:
        assert here(file, "r")
        assert not here(file, "r+")
        np.testing.assert_array_equal(a[...], FIELD)
    with octavo.open_array(file / name, mode="r+") as a:
        a[0] = 7
        assert not here(file, "r")
        assert not here(file, "r+")
    assert here(file, "r+")
    left = octavo.open_array(file / name, mode="r+")
    del left
    assert here(file, "r+")


def test_another_program_is_kept_out(file: Path) -> None:
    code = "import h5py, sys; h5py.File(*sys.argv[1:])"
    with octavo.open_array(file / "dense", mode="r+"):
        ended = subprocess.run([sys.executable, "-c", code, file, "r"], capture_output=True, text=True, check=False)
    assert "unable to lock file" in ended.stderr


@contextlib.contextmanager
def open_elsewhere(file: Path, mode: str) -> Iterator[None]:
    """By h5py in another program."""
    code = f"import h5py, sys; f = h5py.File({str(file)!r}, {mode!r}); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        yield
        other.communicate()


REFUSED = r"a\.h5.* is open elsewhere.*Close the file where it is open.*HDF5_USE_FILE_LOCKING"


def test_what_another_program_has_open_is_refused(file: Path) -> None:
    names = [file / "dense", file / "chunked"]
    with open_elsewhere(file, "r+"):
        for name in names:
            with pytest.raises(octavo.IoError, match=REFUSED):
                octavo.open_array(name)
            with pytest.raises(octavo.IoError, match=REFUSED):
                octavo.open_array(name, mode="r+")
            with pytest.raises(octavo.IoError, match=REFUSED):
                octavo.Job(name, file.parent / "b.npy")
    with open_elsewhere(file, "r"):
        for name in names:
            octavo.open_array(name).close()
            octavo.Job(name, file.parent / "b.npy")
            with pytest.raises(octavo.IoError, match=REFUSED):
                octavo.open_array(name, mode="r+")
    for name in names:
        octavo.open_array(name, mode="r+").close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("swmr", [False, True])
def test_what_this_program_has_open_is_not_written(mode: Any, swmr: bool, file: Path) -> None:
    with h5py.File(file, "w", libver="latest") as again:
        for name, chunks in DATASETS.items():
            again.create_dataset(name, data=FIELD, chunks=chunks)
    with h5py.File(file, mode, libver="latest") as opened:
        if swmr and mode == "r+":
            opened.swmr_mode = True
        for name in ("dense", "chunked"):
            with pytest.raises(octavo.IoError, match=r"a\.h5.* for writing: it is open elsewhere"):
                octavo.open_array(file / name, mode="r+")
        opened["dense"][...]


def test_a_dense_one_is_read_beside_this_program_which_writes_it(file: Path) -> None:
    """What HDF5 holds back is brought to the file when the array is opened; a chunked one is refused."""
    with h5py.File(file, "r+") as opened:
        opened["dense"][3] = -1
        np.testing.assert_array_equal(octavo.open_array(file / "dense")[...], opened["dense"][...])
        with pytest.raises(octavo.IoError, match="open elsewhere"):
            octavo.open_array(file / "chunked")
        assert octavo.info(file / "chunked").shape == FIELD.shape


def test_octavo_is_not_in_its_own_way(file: Path) -> None:
    """All pairs of what a program opens of one file, but for two servers of which one writes: these do not see what each other writes."""
    for first in DATASETS:
        for first_mode in MODES:
            with octavo.open_array(file / first, mode=first_mode):
                for second in DATASETS:
                    for second_mode in MODES:
                        refused = "chunked" in first and first_mode == "r+"
                        refused = refused or ("chunked" in first and "chunked" in second and second_mode == "r+")
                        if refused:
                            with pytest.raises(octavo.IoError, match="open elsewhere"):
                                octavo.open_array(file / second, mode=second_mode)
                        elif second != first:
                            octavo.open_array(file / second, mode=second_mode).close()
                assert here(file, "r") == (first_mode == "r")
    assert here(file, "r+")
    with octavo.open_array(file / "chunked") as source, octavo.open_array(file / "dense", mode="r+") as target:
        target[...] = source[...] + 1
        with octavo.open_array(file / "other") as other:
            target[...] = other[:, :1] + target[...]
    with h5py.File(file, "r") as opened:
        np.testing.assert_array_equal(opened["dense"][...], FIELD + 1 + FIELD[:, :1])


def test_a_job_holds_it_from_its_plan_to_its_end(file: Path) -> None:
    for name in ("dense", "chunked"):
        job = octavo.Job(file / name, file.parent / f"{name}.h5", "copy")
        assert here(file, "r")
        assert not here(file, "r+")
        found: list[bool] = []

        def look(_: octavo.job.Progress, found: list[bool] = found) -> None:
            found.append(here(file, "r+"))

        job.run(look)
        assert True not in found
        assert here(file, "r+")
    with octavo.open_array(file / "dense", mode="r+"):
        octavo.copy(file / "chunked", file.parent / "c.npy", progress=False)
        octavo.copy(file / "dense", file.parent / "d.npy", progress=False)
    with pytest.raises(octavo.UsageError) as kept:
        octavo.Job(file / "dense", file.parent / "dense.h5")
    assert here(file, "r+"), kept


def test_without_locks_nobody_is_kept_out(file: Path) -> None:
    code = f"""
import h5py, octavo
with octavo.open_array({str(file / "dense")!r}, mode="r+") as a, octavo.open_array({str(file / "chunked")!r}) as b:
    a[...] = b[...] + 1
    assert h5py.File({str(file)!r})["dense"][0, 0] == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"})


def test_a_forked_child_neither_has_the_lock_nor_ends_it(file: Path) -> None:
    code = f"""
import os, h5py, octavo
def here(mode):
    try: h5py.File({str(file)!r}, mode).close()
    except OSError: return False
    return True
a = octavo.open_array({str(file / "dense")!r})
assert a[0, 1] == 1
done, end = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    assert a[0, 1] == 1
    a.close()
    assert not here("r+")
    os.write(done[1], b"x")
    os.read(end[0], 1)
    os._exit(0)
assert os.read(done[0], 1) == b"x"
assert not here("r+")
a.close()
assert here("r+")
os.write(end[1], b"x")
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_external_link_locks_the_file_that_it_leads_to(file: Path) -> None:
    with h5py.File(file.parent / "outer.h5", "w") as outer:
        for name in DATASETS:
            outer[name] = h5py.ExternalLink("a.h5", name)
    for name in ("dense", "chunked"):
        with octavo.open_array(file.parent / "outer.h5" / name, mode="r+") as a:
            a[0] = 5
            assert not here(file, "r")
            assert here(file.parent / "outer.h5", "r+")
    assert here(file, "r+")
