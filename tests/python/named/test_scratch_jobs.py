# SPDX-License-Identifier: Apache-2.0
"""Jobs whose target is an array of processes and whose plan has a scratch file (J-5 of octavo/fft/job.hpp): where it lies, and that nothing is left of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from kit import Array, least_memory, noise, relative_error, run, run_command, wait_for, worked

SHAPE, MEMORY = (64, 64, 96), "6MiB"
A_PAGE, B_PAGE = (16, 16, 32), (64, 8, 8)
OPERATIONS, NORMS, DTYPES = ["fft", "ifft", "copy"], ["backward", "ortho", "forward"], ["complex128", "complex64", "float64", "float32", "int16"]
AXES = [None, (0,), (0, 1), (0, 2), (1, 2), (-1, 0)]


def own(name: str, shape: tuple[int, ...], page: tuple[int, ...], dtype: str, devices: int = 2) -> octavo.Array:
    pages = prod(-(-extent // of_page) for extent, of_page in zip(shape, page, strict=True))
    files = [octavo.process.make(octavo.devices.PageFile, f"{name}.{number}", pages, page, dtype) for number in range(devices)]
    return octavo.devices.array_of(shape, page, dtype, files)


def made(kind: str, name: str, shape: tuple[int, ...], page: tuple[int, ...], dtype: str) -> Any:
    """What a job takes as its source or target."""
    if kind == "own":
        return own(name, shape, page, dtype)
    if kind == "named":
        return octavo.named(f"ov://home/{name}").make_array(shape, page, dtype, [f"{name}.0", f"{name}.1"])
    return f"{name}.{kind}"


def filled(kind: str, name: str, page: tuple[int, ...], values: Array) -> Any:
    source = made(kind, name, values.shape, page, str(values.dtype))
    if kind == "npy":
        np.save(source, values)
    elif kind in ("own", "named"):
        source[...] = values
    else:
        with octavo.create_array(source, values.shape, str(values.dtype), chunks=page, compressor="gzip" if kind == "zarr" else None) as new:
            new[...] = values
    return source


def page_of(shape: tuple[int, ...], random: np.random.Generator) -> tuple[int, ...]:
    """Long along one axis: two of these hardly suit each other."""
    long = random.integers(len(shape))
    return tuple(min(extent, 64 if axis == long else int(random.choice([3, 4, 8]))) for axis, extent in enumerate(shape))


def random_pages(random: np.random.Generator) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    shape = tuple(int(each) for each in random.integers(24, 64, 3))
    return shape, [page_of(shape, random), page_of(shape, random)]


def transformed(values: Array, operation: str, axes: tuple[int, ...] | None, norm: Any) -> Array:
    if operation == "copy":
        return values
    of = np.fft.fftn if operation == "fft" else np.fft.ifftn
    return of(values.astype("complex128"), axes=axes, norm=norm).astype("complex64" if values.dtype in ("complex64", "float32") else "complex128")


def budgeted(source: Any, target: Any, random: np.random.Generator, **how: Any) -> octavo.Job:
    """With a budget for which the plan has a scratch file, if one of these has; else with some little memory."""
    with pytest.raises(octavo.Refused) as refusal:
        octavo.Job(source, target, memory=4096, **how)
    jobs = [octavo.Job(source, target, memory=int(least_memory(str(refusal.value)) * factor), **how) for factor in (1, 1.5, 3, 4, 6)]
    return next((job for job in jobs if job.uses_scratch), jobs[random.integers(len(jobs))])


def files() -> set[str]:
    return {str(each) for each in Path.cwd().rglob("*") if "home/" not in str(each.relative_to(Path.cwd()))}


PAIRS = ["own own", "own named", "named own", "named named", "own itself", "named itself", "npy own", "zarr named", "octavo own", "own npy", "named octavo"]


@pytest.mark.parametrize("pair", PAIRS)
def test_every_source_and_target(pair: str) -> None:
    first, second = pair.split()
    random = np.random.default_rng(list(pair.encode()))
    with_scratch = 0
    for number in range(4):
        shape, pages = (SHAPE, [A_PAGE, B_PAGE]) if number == 0 else random_pages(random)
        axes, operation = (None, "fft") if number == 0 else (AXES[random.integers(len(AXES))], str(random.choice(OPERATIONS)))
        dtype, norm = "complex128" if number == 0 or second == "itself" else str(random.choice(DTYPES)), str(random.choice(NORMS))
        values = (noise(shape, seed=number) * 50).astype("complex128")
        values = values if dtype.startswith("complex") else values.real
        values = values.astype(dtype)
        want = transformed(values, operation, axes, norm)
        source = filled(first, f"a{number}", pages[0], values)
        target = source if second == "itself" else made(second, f"b{number}", shape, pages[1], str(want.dtype))
        before = files()
        job = budgeted(source, target, random, operation=operation, **({} if operation == "copy" else {"axes": axes, "norm": norm}))
        with_scratch += job.uses_scratch
        run(job)
        got = target[...] if isinstance(target, octavo.Array) else octavo.open_array(target)[...]
        bound = {"complex128": 1e-12, "complex64": 1e-5}.get(str(want.dtype), 0)
        assert relative_error(got, want) <= bound, (shape, pages, axes, operation, dtype, job.plan)
        assert {each for each in files() - before if f"/b{number}." not in each} == set()
    assert with_scratch > 0 or not {first, second} <= {"own", "named"}, "the cases are to reach what they are for"


def unnamed_files(of: Path) -> dict[int, str]:
    """Of a test's directory: where a scratch file without a name lies, by the process that has it open."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            for each in (process / "fd").iterdir():
                where = str(each.readlink())
                if where.startswith(f"{of}/") and where.endswith(" (deleted)") and "/octavo-scratch." in where:
                    found[int(process.name)] = where.rpartition("/")[0]
    return found


def job_with_scratch(a: Any, b: Any, **how: Any) -> octavo.Job:
    job = octavo.Job(a, b, memory=MEMORY, **how)
    assert job.uses_scratch
    return job


@pytest.fixture
def arrays() -> tuple[octavo.Array, octavo.Array]:
    values = noise(SHAPE)
    a = filled("named", "a", A_PAGE, values)
    (Path.cwd() / "disk").mkdir()
    b = octavo.named("ov://home/b").make_array(SHAPE, B_PAGE, "complex128", ["disk/b.0", "disk/b.1"])
    return a, b


@pytest.mark.parametrize("given", [None, "other", "/absolute"])
def test_where_it_lies(given: str | None, arrays: tuple[octavo.Array, octavo.Array], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a file of the target, or where scratch says: a path of this program's directory, which is not that of the devices."""
    (tmp_path / "elsewhere/other").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    scratch = str(tmp_path / "elsewhere/other") if given == "/absolute" else given
    seen = set()

    def watch(progress: octavo.job.Progress) -> None:
        seen.update(unnamed_files(tmp_path).values())

    job_with_scratch(*arrays, scratch=scratch).run(watch)
    assert seen == {str(tmp_path / ("elsewhere/other" if given else "disk"))}
    wait_for(lambda: unnamed_files(tmp_path) == {}, 20, "the scratch file is gone")
    assert list(tmp_path.rglob("*octavo-scratch*")) == []


def test_j1_a_directory_that_cannot_be_used_is_refused_at_once(arrays: tuple[octavo.Array, octavo.Array]) -> None:
    before = arrays[1][...]
    for scratch in ("nowhere", "disk/b.0"):
        with pytest.raises(octavo.IoError, match=f"the scratch directory '.*{scratch}' does not exist"):
            octavo.Job(*arrays, memory=MEMORY, scratch=scratch)
    failed = run_command("fft", "ov://home/a", "ov://home/b", "--memory", MEMORY, "--scratch", "nowhere")
    assert (failed.status, "does not exist" in failed.err) == (1, True)
    assert np.array_equal(arrays[1][...], before)


def test_j1_too_little_room_is_refused_at_once(arrays: tuple[octavo.Array, octavo.Array], tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=5m", "octavo-test", str(small)], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        with pytest.raises(octavo.Refused, match=f"the scratch file takes 6 MiB, and 5 MiB are free on the disk of '{small}'"):
            octavo.Job(*arrays, memory=MEMORY, scratch=small)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_the_command(arrays: tuple[octavo.Array, octavo.Array], tmp_path: Path) -> None:
    values = arrays[0][...]
    told = worked("fft", "ov://home/a", "ov://home/b", "--memory", MEMORY, "--report")
    assert re.search(r"^scratch +", told.out, re.MULTILINE)
    assert relative_error(arrays[1][...], np.fft.fftn(values)) < 1e-12
    wait_for(lambda: unnamed_files(tmp_path) == {}, 20, "the scratch file is gone")


def test_j3_stopped_it_leaves_nothing(arrays: tuple[octavo.Array, octavo.Array], tmp_path: Path) -> None:
    with pytest.raises(octavo.Cancelled, match="the transform was stopped"):
        job_with_scratch(*arrays).run(lambda progress: False)
    wait_for(lambda: unnamed_files(tmp_path) == {}, 20, "the scratch file is gone")


@pytest.mark.parametrize("whom", ["program", "scratch"])
def test_killed_it_leaves_nothing(whom: str, arrays: tuple[octavo.Array, octavo.Array], tmp_path: Path) -> None:
    """The program, or the process that has the file."""
    values = arrays[0][...]
    program = subprocess.Popen([sys.executable, "-c", HELD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "runs\n"
        (holder,) = unnamed_files(tmp_path)
        os.kill(program.pid if whom == "program" else holder, signal.SIGKILL)
        _, err = program.communicate("\n", timeout=30)
        assert program.returncode == (-signal.SIGKILL if whom == "program" else 3), err
    finally:
        program.kill()
    wait_for(lambda: unnamed_files(tmp_path) == {}, 20, "the scratch file is gone")
    assert [each for each in files() if "scratch" in each] == []
    job_with_scratch(*arrays).run()
    assert relative_error(arrays[1][...], np.fft.fftn(values)) < 1e-12


# Held in the middle of its job until it is told to go on.
HELD = f"""
import sys, octavo
held = []
def watch(progress):
    if not held and progress.bytes_done > 0:
        held.append(print("runs", flush=True))
        sys.stdin.readline()
try:
    octavo.Job("ov://home/a", "ov://home/b", memory="{MEMORY}").run(watch)
except octavo.ProcessDied:
    sys.exit(3)
"""
