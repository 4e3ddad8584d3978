# SPDX-License-Identifier: Apache-2.0
"""One target, one owner (T-1 to T-5, J-2, J-3): jobs and create_array beside each other, in other namespaces, over what kill -9 left."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import octavo
import pytest
from kit import Command, has_written, made_in, marked, noise, read, run_command, unfinished_of, wait_for, worked

pytestmark = pytest.mark.timeout(120)
SHAPE = (192, 96, 128)  # 36 MiB
SLOW = ["--memory", "4MiB", "--chunks", "16,16,16", "--quiet"]
UNSHARE = ["unshare", "-n"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "source.zarr"
    octavo.create_array(path, SHAPE, "complex128", chunks=(32, 32, 32))[...] = noise(SHAPE)
    return path


def begun(source: Path, target: Path, *more: str, operation: str = "fft") -> Command:
    command = Command([operation, str(source), str(target), *SLOW, *more])
    wait_for(lambda: has_written(target, 0) or command.process.poll() is not None, 30, "a first chunk")
    assert command.process.poll() is None, command.end()
    return command


def stopped(command: Command) -> None:
    """Its processes stand still, so that what follows happens while it runs."""
    command.signal_group(signal.SIGSTOP)


def goes_on(command: Command) -> None:
    command.signal_group(signal.SIGCONT)


def may_unshare() -> bool:
    return subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("prefix", [[], UNSHARE], ids=["plain", "unshare"])
def test_j2_a_second_job_is_refused_wherever_it_runs(source: Path, tmp_path: Path, prefix: list[str]) -> None:
    if prefix and not may_unshare():
        pytest.skip("unshare -n is not permitted here")
    target = tmp_path / "target.zarr"
    first = begun(source, target)
    stopped(first)
    try:
        for operation in ("fft", "copy"):
            message = run_command(operation, source, target, "--overwrite", "--quiet", prefix=prefix).paragraph()
            assert f"'{target}' is being made by another program (process {first.process.pid} on " in message
        with pytest.raises(octavo.Refused, match="is being made by another program"):
            octavo.create_array(target, (8, 8), "float32", overwrite=True)
    finally:
        goes_on(first)
    assert first.end().status == 0
    assert list(tmp_path.iterdir()) == [target]
    assert np.allclose(read(target), np.fft.fftn(noise(SHAPE)))


def test_j2_the_second_is_refused_through_a_link_too(source: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    target = tmp_path / "real" / "target.zarr"
    first = begun(source, target)
    stopped(first)
    try:
        message = run_command("copy", source, tmp_path / "link" / "target.zarr", "--quiet").paragraph()
        assert "is being made by another program" in message
        first.signal_group(signal.SIGINT)
    finally:
        goes_on(first)
    assert first.end(20).status == 130
    assert list((tmp_path / "real").iterdir()) == []


def test_j2_a_dangling_link_is_refused_at_once(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.npy"
    target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(octavo.UsageError, match="exists"):
        octavo.Job(source, target)
    octavo.copy(source, target, overwrite=True)
    assert not target.is_symlink()


def test_t4_the_old_array_survives_a_kill_while_a_new_one_is_made(tmp_path: Path) -> None:
    """At each instant there is one of the two under the name, whole."""
    target = tmp_path / "a.zarr"
    octavo.create_array(target, (8,), "int32")[...] = 7
    program = f"import octavo\nfor i in range(100000): octavo.create_array({str(target)!r}, (9,), 'int32', overwrite=True)[0:0]"
    for delay in (0.0, 0.01, 0.03, 0.05):
        child = subprocess.Popen([sys.executable, "-c", program])
        wait_for(lambda: (tmp_path / ".a.zarr.lock").exists() or child.poll() is not None, 30, "a beginning")  # noqa: B023 (it is called at once)
        threading.Event().wait(delay)
        child.kill()
        child.wait()
        assert octavo.info(target).shape in ((8,), (9,))
        octavo.create_array(target, (8,), "int32", overwrite=True).close()
        assert list(tmp_path.iterdir()) == [target]


def test_t4_overwrite_replaces_arrays_only(source: Path, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    group, plain = tmp_path / "group.zarr", tmp_path / "plain.zarr"
    zarr.open_group(str(group), mode="w").create_array("inner", shape=(4,), dtype="int8")
    plain.mkdir()
    (plain / "thesis.tex").write_text("years")
    for target in (group, plain):
        for compressor in (None, "zstd"):
            with pytest.raises(octavo.UsageError, match="would remove what else it holds"):
                octavo.Job(source, target, "copy", overwrite=True, compressor=compressor)
            with pytest.raises(octavo.UsageError, match="would remove what else it holds"):
                octavo.create_array(target, (4,), "int8", overwrite=True, compressor=compressor)
    assert (group / "inner" / "zarr.json").exists()
    assert (plain / "thesis.tex").read_text() == "years"


@pytest.mark.parametrize(
    ("ending", "more"), [("t.zarr", []), ("t.npy", []), ("t.octavo", []), ("t.h5", []), ("t2.zarr", ["--compress", "zstd"]), ("t2.h5", ["--compress", "gzip"])]
)
def test_j2_what_kill_9_left_is_no_array_and_is_removed(source: Path, tmp_path: Path, ending: str, more: list[str]) -> None:
    target = tmp_path / ending
    chunks = [] if ending in ("t.npy", "t.h5") else SLOW[2:4]
    command = Command(["copy", str(source), str(target), "--memory", "96MiB" if more else "4MiB", "--quiet", *chunks, *more])
    wait_for(lambda: (made_in(target) or target).exists() or command.process.poll() is not None, 30, "a beginning")
    command.process.kill()
    command.end(20)
    wait_for(lambda: marked(command.mark) == [], 20, "no process")
    assert not target.exists()
    (unfinished,) = unfinished_of(target)
    assert (tmp_path / f".{ending}.lock").exists()
    renamed = tmp_path / "renamed"
    shutil.copytree(unfinished, renamed)
    for path in (unfinished, unfinished / ending, renamed, renamed / ending):
        for ask in (octavo.info, octavo.open_array):
            with pytest.raises(octavo.Error, match="did not finish"):
                ask(path)
        assert "did not finish" in run_command("copy", path, tmp_path / "copied.zarr").paragraph()
    plan = json.loads((unfinished / "octavo-unfinished.jsonl").read_text().splitlines()[0])
    assert (plan["operation"], plan["source"]["path"], plan["source"]["shape"]) == ("copy", str(source), list(SHAPE))
    shutil.rmtree(renamed)
    assert f"removed '{unfinished}'" in worked("copy", source, target, "--memory", "96MiB", "--quiet", *more).err
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("ending", ["t.zarr", "t.octavo", "t.npy"])
def test_j3_kill_9_at_random_instants_then_again(source: Path, tmp_path: Path, ending: str) -> None:
    target, instants = tmp_path / ending, random.Random(ending)
    for _ in range(4):
        command = Command(["fft", str(source), str(target), "--memory", "8MiB", "--quiet"])
        threading.Event().wait(instants.uniform(0.3, 1.5))
        command.process.kill()
        command.end(20)
        wait_for(lambda command=command: marked(command.mark) == [], 20, "no process")
        if target.exists():  # it was quicker
            octavo.open_array(target).close()
            shutil.rmtree(target) if target.is_dir() else target.unlink()
    worked("fft", source, target, "--memory", "8MiB", "--quiet")
    assert list(tmp_path.iterdir()) == [target]
    with octavo.open_array(target) as result:
        assert np.allclose(result[...], np.fft.fftn(noise(SHAPE)))


def test_t1_two_create_arrays_and_a_job(source: Path, tmp_path: Path) -> None:
    """Each is made whole or refused; nothing is left."""
    target = tmp_path / "a.zarr"
    outcomes: list[str] = []

    def create(shape: tuple[int, ...]) -> None:
        for _ in range(30):
            try:
                octavo.create_array(target, shape, "int16", overwrite=True).close()
                outcomes.append("made")
            except octavo.Refused as e:
                outcomes.append("refused")
                assert "is being made by another program" in str(e)

    threads = [threading.Thread(target=create, args=(shape,)) for shape in ((5,), (6, 7))]
    for each in threads:
        each.start()
    ended = run_command("copy", source, target, "--memory", "32MiB", "--overwrite", "--quiet")
    for each in threads:
        each.join(60)
    assert ended.status == 0 or "is being made by another program" in ended.err
    assert outcomes.count("made") > 0
    assert len(outcomes) == 60
    assert list(tmp_path.iterdir()) == [target]
    assert octavo.info(target).shape in ((5,), (6, 7), SHAPE)


def test_the_record_has_the_plan_and_each_box(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.zarr"
    job = octavo.Job(source, target, axes=[0, 2], memory="4MiB")
    lines: list[str] = []

    def watch(now: octavo.job.Progress) -> None:
        place = made_in(target)
        if place is not None:
            lines[:] = (place.parent / "octavo-unfinished.jsonl").read_text().splitlines()

    job.run(watch)
    plan, *boxes = [json.loads(line) for line in lines]
    assert (plan["axes"], plan["memory"], len(plan["passes"])) == ([0, 2], 4 << 20, job.passes)
    seen = {(each["pass"], each["box"]) for each in boxes if "box" in each}
    assert seen
    assert len(seen) == len([each for each in boxes if "box" in each])
    assert all(0 <= box < plan["passes"][number - 1]["boxes"] for number, box in seen)
