# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, SIGTERM, SIGHUP and kill -9 of the command line: how fast it ends, and what is left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from kit import Command, has_written, marked, no_more_shared_memory, noise, nothing_left, read, shared_memory, unfinished_of, wait_for, worked

pytestmark = pytest.mark.timeout(60)
SHAPE = (256, 96, 128)  # 48 MiB
ARGUMENTS = ["--memory", "4MiB", "--chunks", "32,32,32"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "source.npy"
    np.save(path, noise(SHAPE))
    return path


def begun(source: Path, target: Path, *more: str) -> Command:
    """A command that has begun to write its target: all its processes are there."""
    command = Command(["fft", str(source), str(target), *ARGUMENTS, *more])
    wait_for(lambda: has_written(target) or command.process.poll() is not None, 20, "a first chunk")
    assert command.process.poll() is None, command.end()
    assert len(command.servers()) >= 3
    return command


@pytest.mark.parametrize("quiet", [[], ["--quiet"]], ids=["", "quiet"])
def test_control_c_ends_it(source: Path, tmp_path: Path, quiet: list[str], record_property: pytest.RecordProperty) -> None:
    target = tmp_path / "target.zarr"
    with nothing_left(target):
        command = begun(source, target, *quiet)
        begin = time.monotonic()
        command.signal_group(signal.SIGINT)
        ended = command.end(30)
        record_property("seconds_to_end", round(time.monotonic() - begin, 3))
        print(f"ended {time.monotonic() - begin:.3f} s after Ctrl-C")
        message = ended.paragraph()
        assert ended.status == 130
        assert f"'{target}' is removed" in message
    assert list(tmp_path.iterdir()) == []


def test_control_c_while_its_processes_hang(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.zarr"
    with nothing_left(target):
        command = begun(source, target)
        for pid in command.servers():
            os.kill(pid, signal.SIGSTOP)
        command.signal_group(signal.SIGINT)
        assert command.end(30).paragraph().count("is removed") == 1


def test_control_c_again_and_again(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.zarr"
    with nothing_left(target):
        command = begun(source, target)

        def interrupt() -> bool:
            if command.process.poll() is None:
                command.signal_group(signal.SIGINT)
            return command.process.poll() is not None

        wait_for(interrupt, 20, "the end")
        ended = command.end(30)
        assert ended.status != 0
        assert "Traceback" not in ended.err, ended.err
        assert marked(ended.mark) == []


@pytest.fixture
def hangups_are_heard() -> Iterator[None]:
    """Under `nohup` a hangup is ignored, by children as well; what is handled here is not ignored by a program that is begun."""
    before = signal.signal(signal.SIGHUP, lambda *_: None) if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else None
    yield
    if before is not None:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangups_are_heard")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("group", [False, True], ids=["alone", "group"])
def test_terminated(source: Path, tmp_path: Path, number: signal.Signals, group: bool) -> None:
    target = tmp_path / "target.zarr"
    with nothing_left(target):
        command = begun(source, target)
        if group:  # as a terminal that is closed, and a job scheduler, do
            command.signal_group(number)
        else:
            command.process.send_signal(number)
        ended = command.end(30)
        assert ended.status == 128 + number, ended.err
        assert "Traceback" not in ended.err
        assert "stopped" in ended.err
        wait_for(lambda: marked(command.mark) == [], 20, "no process")
    assert list(tmp_path.iterdir()) == []


def test_a_hangup_that_nohup_ignores(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.zarr"
    command = Command(["fft", str(source), str(target), *ARGUMENTS, "--quiet"], prefix=["nohup"])
    wait_for(lambda: has_written(target) or command.process.poll() is not None, 20, "a first chunk")
    command.process.send_signal(signal.SIGHUP)
    assert command.end(30).status == 0
    assert target.exists()


def test_killed_command_leaves_no_process(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.zarr"
    before = shared_memory()
    command = begun(source, target)
    servers = command.servers()
    command.process.kill()
    seconds = wait_for(lambda: marked(command.mark) == [], 20, f"none of {servers}")
    print(f"{len(servers)} processes were gone after {seconds:.3f} s")
    assert command.end(30).status == -signal.SIGKILL
    no_more_shared_memory(before)
    assert not target.exists()


def test_leftover_of_a_killed_command_is_replaced(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.zarr"
    command = begun(source, target)
    command.process.kill()
    command.end(30)
    wait_for(lambda: marked(command.mark) == [], 20, "no process")
    (unfinished,) = unfinished_of(target)
    (unfinished / "of_the_first_run").touch()
    assert f"removed '{unfinished}'" in worked("fft", source, target, *ARGUMENTS).err
    assert sorted(tmp_path.iterdir()) == [target]
    assert not (target / "of_the_first_run").exists()
    assert np.allclose(read(target), np.fft.fftn(np.load(source)))
