# SPDX-License-Identifier: Apache-2.0
"""Arrays and jobs in a process that was forked off the one that uses them. Each program runs on its own, and is killed where it hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import octavo
import pytest
from fork_kit import FORKING

pytestmark = pytest.mark.timeout(120)

BEGINNING = f"""
import gc, multiprocessing, os, sys
import numpy as np
import octavo
{FORKING}"""


def run(directory: Path, program: str, seconds: float = 40) -> None:
    """Runs it to its end, or fails and leaves nothing of it."""
    process = subprocess.Popen(
        [sys.executable, "-c", BEGINNING + textwrap.dedent(program)], cwd=directory, start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        pytest.fail(f"did not end within {seconds} s\n{errors}")
    assert process.returncode == 0, errors


@pytest.fixture(params=["zarr", "npy", "zstd"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "zstd":
        pytest.importorskip("zarr")
    ending = "npy" if request.param == "npy" else "zarr"
    with octavo.create_array(
        tmp_path / f"a.{ending}",
        (64, 64),
        "float64",
        chunks=None if ending == "npy" else (8, 64),
        compressor="zstd" if request.param == "zstd" else None,
    ) as a:
        a[...] = np.arange(4096.0).reshape(64, 64)
    return tmp_path / f"a.{ending}"


def test_a_forked_child_reads_and_so_does_its_parent_afterwards(made: Path) -> None:
    run(
        made.parent,
        f"""
        a = octavo.open_array({made.name!r})
        want = np.arange(4096.0).reshape(64, 64)
        assert a[3, 5] == want[3, 5]
        def work():
            assert np.array_equal(a[...], want) and np.array_equal(a[7:9, ::3], want[7:9, ::3])
            a.close()
        first, second = in_a_child(work), in_a_child(work)
        assert np.array_equal(a[...], want)  # at the same time
        ended(first), ended(second)
        assert np.array_equal(a[...], want)
        """,
    )


def test_parent_and_children_write(made: Path) -> None:
    run(
        made.parent,
        f"""
        a = octavo.open_array({made.name!r}, mode="r+")
        a[0] = -1.0
        a.flush()
        def fill(rows):
            for row in range(*rows):
                a[row] = float(rows[0])
            a.flush()
        children = [in_a_child(lambda rows=rows: fill(rows)) for rows in ((8, 16), (16, 24))]
        fill((24, 32))
        for child in children:
            ended(child)
        got = a[...]
        assert (got[0] == -1).all() and (got[8:16] == 8).all() and (got[16:24] == 16).all() and (got[24:32] == 24).all()
        assert np.array_equal(got[32:], np.arange(4096.0).reshape(64, 64)[32:])
        """,
    )


def test_multiprocessing_by_fork(made: Path) -> None:
    run(
        made.parent,
        f"""
        a = octavo.open_array({made.name!r})
        total = float(a[...].sum())
        def row(i):
            return float(a[i].sum())
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert sum(pool.map(row, range(64), chunksize=8)) == total
        assert float(a[...].sum()) == total
        """,
    )


# Neither the end of the child nor its garbage collection may touch what the parent uses.
def test_a_child_that_only_drops_or_inherits_the_array(made: Path) -> None:
    run(
        made.parent,
        f"""
        a = octavo.open_array({made.name!r}, mode="r+")
        def drop():
            global a
            a.close()
            del a
            gc.collect()
        def leave():
            sys.exit(0)
        assert a[1, 1] == 65
        ended(in_a_child(drop))
        a[1, 1] = 66
        pid = os.fork()
        if pid == 0:
            leave()  # with all that Python does at its end
        ended(pid)
        a[1, 2] = 67
        a.flush()
        assert (a[1, 1:3] == [66, 67]).all()
        """,
    )


def test_a_job_made_before_and_one_made_after_the_fork(made: Path) -> None:
    run(
        made.parent,
        f"""
        octavo.copy({made.name!r}, "first.npy", progress=False).close()
        before = octavo.Job({made.name!r}, "before.npy", "copy")
        def work():
            before.run()
            octavo.fft.fftn({made.name!r}, out="after.npy", progress=False).close()
        ended(in_a_child(work))
        octavo.copy({made.name!r}, "last.npy", progress=False).close()
        want = np.arange(4096.0).reshape(64, 64)
        assert all(np.array_equal(np.load(name), want) for name in ("first.npy", "before.npy", "last.npy"))
        assert np.allclose(np.load("after.npy"), np.fft.fftn(want))
        """,
    )


def test_a_fork_while_a_job_runs(made: Path) -> None:
    run(
        made.parent,
        f"""
        job = octavo.Job({made.name!r}, "b.npy", "copy")
        children = []
        def drop():
            global job
            del job
            gc.collect()
            try:
                octavo.open_array({made.name!r})[0, 0]
            except octavo.Error as e:
                assert "lock" in str(e), e
        def watch(progress):
            if not children:
                children.append(in_a_child(drop))
        job.run(watch)
        ended(children[0])
        assert np.array_equal(np.load("b.npy"), np.arange(4096.0).reshape(64, 64))
        """,
    )
