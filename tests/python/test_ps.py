# SPDX-License-Identifier: Apache-2.0
"""octavo ps, kill, ls, restore and machines, with a program that has processes and waits."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from kit import is_alive, run_command, wait_for, worked

pytestmark = pytest.mark.timeout(60)

HEAD = ["PID", "OBJECT", "MACHINE", "CLASS", "NAME", "STATE", "FOR", "CALLS", "WAITING", "IN", "OUT", "MEMORY", "AGE", "DOING"]
PROGRAM = """
import sys
import octavo
array = octavo.open_array(sys.argv[1])
array[0]
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[int]:
    """The pid of a program with an open array, which its processes read."""
    path = tmp_path / "a.npy"
    np.save(path, np.arange(1000.0).reshape(10, 100))
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdin is not None
        assert running.stdout.readline() == "ready\n"
        yield running.pid
        running.stdin.close()


CIRCLE = """
import threading
import octavo

class Side:
    def ask(self, *others):
        if others:
            thread = threading.Thread(target=others[0].ask, args=others[1:])
            thread.start()
            thread.join()

class Left(Side): ...
class Right(Side): ...

left, right = octavo.process.make(Left), octavo.process.make(Right)
print("ready", flush=True)
left.ask(right, left)
"""
CIRCLE_OF_MACHINES = CIRCLE.replace(
    "left, right = octavo.process.make(Left), octavo.process.make(Right)",
    "runtime = octavo.Runtime(engine=octavo.played(['box']))\nleft, right = octavo.process.make(Left), runtime.machine('box').make(Right)",
)
LONG = """
import threading
import octavo

class Reader:
    def read(self):
        threading.Event().wait()

reader = octavo.process.make(Reader)
print("ready", flush=True)
reader.read()
"""


@contextmanager
def running(script: str, tmp_path: Path) -> Iterator[int]:
    """The pid of a program that is ready; it is killed at the end."""
    path = tmp_path / "program.py"
    path.write_text(script)
    with subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True) as started:
        try:
            assert started.stdout is not None
            assert started.stdout.readline() == "ready\n"
            yield started.pid
        finally:
            started.kill()


def rows(program: int) -> list[dict[str, Any]]:
    """What octavo ps --json says of a program."""
    return [each for each in json.loads(worked("ps", "--json").out) if each["agent_pid"] == program]


def objects(program: int) -> list[octavo.watching.ProcessStatus]:
    """The program's processes besides itself."""
    return [each for each in octavo.watching.processes() if each.agent_pid == program and each.object > 1]


def test_ps_shows_a_program_and_its_processes(program: int) -> None:
    found = rows(program)
    assert (found[0]["object"], found[0]["pid"]) == (1, program)
    assert found[0]["state"] == "running"
    files = [each for each in found if each["object"] > 1]
    assert files
    for each in files:
        assert each["calls_done"] >= 2, "it was made and read"
        assert each["bytes_received"] > 0
        assert each["memory_bytes"] > 0
    table = worked("ps").out.splitlines()
    assert table[0].split() == HEAD
    assert {line.split()[0] for line in table[1:]} >= {str(each["pid"]) for each in found}


def circles(program: int) -> list[str]:
    """The lines of octavo ps that name a circle with an object of this program."""
    pids = {f"(pid {each.pid})" for each in objects(program)}
    return [line for line in worked("ps").out.splitlines() if line.startswith("circle: ") and any(pid in line for pid in pids)]


def test_ps_shows_the_circle_of_those_that_wait_for_each_other(tmp_path: Path) -> None:
    with running(CIRCLE, tmp_path) as program:
        wait_for(lambda: circles(program) != [], 20, "they wait for each other")
        left, right = objects(program)
        since = r"since \d\d:\d\d:\d\d"
        ways = rf"Left \(pid {left.pid}\) waits for Right \(pid {right.pid}\) {since}, which waits for Left \(pid {left.pid}\) {since}"
        (line,) = circles(program)
        assert re.fullmatch(f"circle: {ways}", line)
        assert (left.waits_for, right.waits_for) == (right.address, left.address)
        exact = rows(program)
        assert [each["waits_for"] for each in exact] == [list(each.address) for each in (left, right, left)]
        assert [each["state"] for each in exact[:2]] == ["waiting", "running"], "Left waits by a thread, and its method for that"


def test_ps_shows_the_machines_of_a_circle(tmp_path: Path) -> None:
    with running(CIRCLE_OF_MACHINES, tmp_path) as program:
        (left,) = (each for each in objects(program) if each.class_name == "Left")

        def line() -> str:
            return next((each for each in worked("ps").out.splitlines() if each.startswith("circle: ") and f"(pid {left.pid} on" in each), "")

        wait_for(lambda: line() != "", 20, "they wait for each other")
        one, other = rf"Left \(pid {left.pid} on {re.escape(left.machine)}\)", r"Right \(pid \d+ on box\)"
        assert re.fullmatch(
            rf"circle: ({one} waits for {other} since .*, which waits for {one}|{other} waits for {one} since .*, which waits for {other}) since .*", line()
        )


def test_ps_shows_since_when_a_program_waits(tmp_path: Path) -> None:
    """Its main thread looks up now and then, for Ctrl-C: it waits nevertheless, and since it began."""
    with running(LONG, tmp_path) as program:
        wait_for(lambda: rows(program)[0]["waits_seconds"] > 1, 20, "it has waited for a second")
        itself, reader = rows(program)
        assert itself["state"] == "waiting"
        assert itself["waits_for"] == [reader["agent_id"], reader["incarnation"], reader["object"]]
        (line,) = [line for line in worked("ps").out.splitlines() if line.split()[0] == str(program)]
        assert re.search(rf"waits for Reader \(pid {reader['pid']}\) since \d\d:\d\d:\d\d$", line)
        assert circles(program) == []


def test_roads_show_how_objects_are_connected(program: int) -> None:
    ours = {each.address for each in octavo.watching.processes() if each.agent_pid == program}
    found = [each for each in octavo.watching.roads() if each.first in ours]
    assert {each.road for each in found} == {"shm"}
    assert all(each.second in ours and each.why == "two processes of one machine" for each in found)
    table = worked("ps", "--roads").out.splitlines()
    assert table[0].split() == ["FROM", "TO", "ROAD", "WHY"]
    assert any(f"(pid {program})" in line and "shm" in line for line in table[1:])
    exact = json.loads(worked("ps", "--roads", "--json").out)
    assert [list(each.first) for each in found] == [each["first"] for each in exact if tuple(each["first"]) in ours]


def test_a_stopped_process_is_seen_and_killed(program: int) -> None:
    pid = objects(program)[0].pid
    worked("kill", pid, "--signal", "STOP")
    wait_for(lambda: objects(program)[0].state == "stopped", 20, "it is stopped")
    worked("kill", pid)
    wait_for(lambda: not is_alive(pid), 20, "it has ended")
    wait_for(lambda: pid not in [each["pid"] for each in rows(program)], 20, "it is shown no more")


def test_a_program_that_is_killed_is_shown_no_more(program: int) -> None:
    assert rows(program)
    os.kill(program, signal.SIGKILL)
    wait_for(lambda: not is_alive(program), 20, "it has ended")
    assert rows(program) == []


def test_kill_says_what_is_wrong(program: int) -> None:
    nobody = run_command("kill", "999999999")
    assert nobody.status == 1
    assert "no process or object '999999999'" in nobody.err
    signal_less = run_command("kill", program, "--signal", "NONSENSE")
    assert signal_less.status == 1
    assert "no signal 'NONSENSE'" in signal_less.err
    assert is_alive(program)


def test_a_signal_reaches_only_the_object_that_was_seen(program: int) -> None:
    found = objects(program)[0]
    octavo.watching.send_signal(found, signal.SIGKILL)
    wait_for(lambda: not is_alive(found.pid), 20, "it has ended")
    wait_for(lambda: found.pid not in [each.pid for each in objects(program)], 20, "it is shown no more")
    with pytest.raises(octavo.GoneError, match=f"process {found.pid} has ended"):
        octavo.watching.send_signal(found, signal.SIGKILL)


def test_names_are_looked_for_without_making_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("OCTAVO_HOME", str(home))
    assert worked("ls").out.split() == ["NAME", "CLASS", "GENERATION", "SAVED", "BYTES", "PID"]
    assert json.loads(worked("ls", "ov://data", "--json").out) == []
    nothing = run_command("restore", "ov://data/x")
    assert nothing.status == 1
    assert "no object ov://data/x" in nothing.err
    assert not home.exists()
    assert "'ov://a//b' is no name" in run_command("ls", "ov://a//b").err


def test_machines() -> None:
    (here,) = octavo.watching.machines()
    assert here.cores == len(os.sched_getaffinity(0))
    assert 0 < here.memory_available <= here.memory_bytes
    assert all(0 <= disk.free_bytes <= disk.bytes for disk in here.disks)
    (said,) = json.loads(worked("machines", "--json").out)
    assert (said["name"], said["cores"], said["memory_bytes"]) == (here.name, here.cores, here.memory_bytes)
    lines = worked("machines").out.splitlines()
    assert lines[0].split() == ["MACHINE", "CORES", "LOAD", "MEMORY", "AVAILABLE", "DISKS"]
    assert lines[1].startswith(here.name)
