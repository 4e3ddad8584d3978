# SPDX-License-Identifier: Apache-2.0
"""Forks that are made ahead of their objects: as good as others, done without where they are gone, and nothing of them is left."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter
from kit import wait_for
from programs_kit import run_program
from test_objects_warm import Seen, fork_servers, the_fork_server

pytestmark = pytest.mark.timeout(120)


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def spares() -> list[int]:
    """Of this process."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
                command = (each / "cmdline").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == os.getpid() and "octavo: a spare" in command:
                found.append(int(each.name))
    return found


def pid_of(p: Any) -> int:
    return octavo.call(p, lambda _: os.getpid())


def made_ahead() -> list[int]:
    """Some, as objects were made. Not a fixture: pytest sets a variable before it calls the test, and so they would be of no use there."""
    found: list[int] = []

    def are_there() -> bool:
        found[:] = spares()
        return len(found) >= 2 and len(fork_servers()) == 1

    for _ in range(20):  # as many are made as were wanted at once lately; on a busy machine these may come one by one
        for each in [octavo.start(octavo.process.make, Counter) for _ in range(4)]:
            octavo.destroy(each.result())
        with contextlib.suppress(AssertionError):
            wait_for(are_there, 3, "they are there")
            return found
    pytest.fail(f"there are no spares, or there is a fork that does not begin: {spares()}, {fork_servers()}")


def test_an_object_has_a_process_that_was_there() -> None:
    there = made_ahead()
    seen = octavo.process.make(Seen)
    seen.known = tuple(name for name in os.environ if name.startswith("OCTAVO_"))
    state = seen.state()
    assert pid_of(seen) in there
    assert state["parent"] == os.getpid()
    assert state["title"][1].startswith("octavo:") and "spare" not in state["title"][1]
    assert state["variables"] == set()
    assert state["directory"] == str(Path.cwd())


def test_the_processes_of_a_program_are_its_objects_not_its_spares() -> None:
    made_ahead()
    p = octavo.process.make(Counter)
    listed = {each.pid for each in octavo.watching.processes()}
    assert pid_of(p) in listed
    assert not listed & set(spares())


def test_no_two_draw_the_same_numbers_and_none_what_was_drawn_ahead() -> None:
    made_ahead()
    drawn = [octavo.process.make(Seen).draw() for _ in range(6)]
    assert len({ordinary for ordinary, _ in drawn}) == len({of_numpy for _, of_numpy in drawn}) == 6


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_is_killed_or_stopped_is_done_without(sign: signal.Signals) -> None:
    there = made_ahead()
    for each in there:
        with contextlib.suppress(ProcessLookupError):  # one too many ends by itself
            os.kill(each, sign)
        wait_for(lambda pid=each: state_of(pid) in ("T", "Z", ""), 20, "it is stopped or dead")  # type: ignore[misc]
    p = octavo.process.make(Counter, 5)
    assert p.add(1) == 6
    assert pid_of(p) not in there
    wait_for(lambda: not set(there) & set(spares()), 30, "those that were of no use have ended")


def test_an_environment_that_another_thread_changes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent, which starts what is made, has a thread of its own, without the interpreter's lock."""
    monkeypatch.setenv("OF_THE_TEST", "yes")
    over = threading.Event()

    def change() -> None:
        for n in itertools.count():
            os.environ[f"CHANGED_{n % 500}"] = "x" * (n % 100)
            if over.is_set():
                break
        for name in [each for each in os.environ if each.startswith("CHANGED_")]:
            del os.environ[name]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5):
            assert octavo.process.make(Seen).variable("OF_THE_TEST") == "yes"
    finally:
        over.set()
        thread.join()


def test_an_environment_that_was_changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = made_ahead()
    monkeypatch.setenv("SET_LATER", "yes")
    monkeypatch.chdir(tmp_path)
    mask = os.umask(0o077)
    try:
        seen = octavo.process.make(Seen)
        assert octavo.call(seen, lambda _: os.umask(0o077)) == 0o077
    finally:
        os.umask(mask)
    assert seen.variable("SET_LATER") == "yes"
    assert seen.state()["directory"] == str(tmp_path)
    wait_for(lambda: not set(there) & set(spares()), 30, "those without the variable have ended")


def test_a_directory_that_was_changed_needs_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = made_ahead()
    monkeypatch.chdir(tmp_path)
    seen = octavo.process.make(Seen)
    assert seen.state()["directory"] == str(tmp_path)
    assert pid_of(seen) in there


def test_sixteen_at_once_again_and_again() -> None:
    for _ in range(5):
        made = [future.result() for future in [octavo.start(octavo.process.make, Counter, number) for number in range(16)]]
        assert [p.add(1) for p in made] == list(range(1, 17))
        assert len({pid_of(p) for p in made}) == 16
        for p in made:
            octavo.destroy(p)
        assert len(spares()) <= 16


def test_they_end_with_their_program_and_when_nobody_wants_them(tmp_path: Path) -> None:
    out = run_program(
        tmp_path,
        """
        import time
        from pathlib import Path

        def spares():
            found = []
            for each in Path("/proc").iterdir():
                try:
                    if each.name.isdecimal() and "octavo: a spare" in (each / "cmdline").read_text(errors="replace"):
                        if (each / "stat").read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                            found.append(each.name)
                except OSError:
                    pass
            return found

        def make():
            for _ in range(3):
                octavo.destroy(octavo.process.make(Counter, 5))
            end = time.monotonic() + 30
            while not spares():
                assert time.monotonic() < end
                time.sleep(0.01)

        make()
        end = time.monotonic() + 30
        while spares():
            assert time.monotonic() < end
            time.sleep(0.1)
        make()
        print("last", *spares())
        """,
        seconds=100,
    )
    last = next(line for line in out.splitlines() if line.startswith("last ")).split()[1:]
    assert last
    wait_for(lambda: not any(Path(f"/proc/{each}").exists() for each in last), 30, "the spares have ended")


def test_they_end_with_a_program_that_is_killed(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        for _ in range(3):
            octavo.destroy(octavo.process.make(Counter, 5))
        time.sleep(0.3)  # they are made when nothing else is
        if os.fork() == 0:  # it has copies of the ends of their sockets
            with open(os.devnull, "w") as nothing:
                os.dup2(nothing.fileno(), 1)
                os.dup2(nothing.fileno(), 2)
            time.sleep(3)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        status=-signal.SIGKILL,
    )


def test_a_variable_that_was_changed_needs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest sets one of its own for each phase of a test: objects would take 200 ms each."""
    monkeypatch.setenv("TO_GO", "there")
    there = made_ahead()
    servers = fork_servers()
    monkeypatch.delenv("TO_GO")
    monkeypatch.setenv("SET_LATER", "a=b")
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "another")
    seen = octavo.process.make(Seen)
    assert pid_of(seen) in there
    assert [seen.variable(name) for name in ("SET_LATER", "PYTEST_CURRENT_TEST", "TO_GO")] == ["a=b", "another", None]
    assert octavo.call(seen, lambda _: subprocess.check_output(["/bin/sh", "-c", "echo $SET_LATER"], text=True)) == "a=b\n"
    wait_for(lambda: fork_servers() == servers, 20, "there is the same fork server, and no fork that has not begun")
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    assert octavo.call(octavo.process.make(Seen), lambda _: os.environ["PYTHONHASHSEED"]) == "1"
    assert the_fork_server() != servers[0]
