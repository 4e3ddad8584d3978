# SPDX-License-Identifier: Apache-2.0
"""breakpoint() in the process of an object: it says how to attach, `octavo debug PID` is pdb there, and quitting lets the method go on."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import octavo
import pytest
from kit import command, is_alive, wait_for
from octavo._src.commands.debugging import named, waiting
from programs_kit import program
from stopping_classes import Stops

pytestmark = pytest.mark.timeout(60)


def attach(pid: int | None, lines: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command(), "debug", *([str(pid)] if pid else [])], input=lines, text=True, capture_output=True, timeout=30, check=False)


def attach_to(p: Stops, lines: str) -> subprocess.CompletedProcess[str]:
    attached = attach(stopped(p), lines)
    assert attached.returncode == 0, attached.stderr
    return attached


pids: dict[Stops, int] = {}


def made() -> Stops:
    """Its pid is asked for before it stops."""
    p = octavo.process.make(Stops)
    pids[p] = p.pid()
    return p


def stopped(p: Stops) -> int:
    """The pid, once its breakpoint waits."""
    wait_for(lambda: waiting(pids[p]), 20, "a breakpoint waits")
    return pids[p]


def test_one_attaches_looks_changes_and_goes_on() -> None:
    p = made()
    stands_at = "-> y += 1" if sys.version_info < (3, 13) else "-> breakpoint()"  # as pdb does
    for end in ("c", "q", "exit", "EOF", ""):
        call = octavo.start(p.stop, 5)
        attached = attach_to(p, f"p x, y, self.value\n!print('said', x)\ny = 100\n{end}\n")
        assert "(5, 8, 3)" in attached.stdout
        assert "said 5" in attached.stdout
        assert "stop()" in attached.stdout
        assert stands_at in attached.stdout
        assert call.result(10) == 101
        assert not waiting(pids[p])
    assert p.again() == 5


def test_the_command_that_attaches_comes_home(capfd: pytest.CaptureFixture[str]) -> None:
    p = made()
    call = octavo.start(p.stop, 1)
    stopped(p)
    seen: list[str] = []
    wait_for(lambda: (seen.append(capfd.readouterr().err), f"octavo debug {pids[p]}\n" in "".join(seen))[1], 20, "it is said how to attach")
    assert f"(Stops, pid {pids[p]}) breakpoint in" in "".join(seen)
    assert "stopping_classes.py:" in "".join(seen)
    attach_to(p, "c\n")
    assert call.result(10) == 5


def test_in_an_async_method_and_in_a_generator() -> None:
    p = made()
    call = octavo.start(p.stop_later)
    assert "(Pdb) 3" in attach_to(p, "p self.value\nc\n").stdout
    assert call.result(10) == 3
    stream = p.lines()
    assert "(Pdb) 3" in attach_to(p, "p self.value\nc\n").stdout
    assert list(stream) == [3]


def test_where_the_object_is_made(tmp_path: Path) -> None:
    call = octavo.start(octavo.process.make, Stops, str(tmp_path / "pid"))
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() and waiting(int((tmp_path / "pid").read_text())), 20, "a breakpoint waits")
    assert "__init__()" in attach(int((tmp_path / "pid").read_text()), "u\nc\n").stdout
    assert call.result(10).again() == 5


def test_stepping_on_arrives_in_the_next_method() -> None:
    p = made()
    call = octavo.start(p.stop, 1)
    with subprocess.Popen([*command(), "debug", str(stopped(p))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as pdb:
        assert pdb.stdin is not None
        assert pdb.stdout is not None
        pdb.stdin.write("n\nn\nn\nn\n")
        pdb.stdin.flush()
        assert call.result(10) == 5
        then = octavo.start(p.again)
        pdb.stdin.write("p 'in', self.value\nq\n")
        pdb.stdin.close()
        assert then.result(10) == 5
        assert "again()" in pdb.stdout.read()


def test_the_method_goes_on_when_who_attached_is_killed() -> None:
    p = made()
    call = octavo.start(p.stop, 1)
    with subprocess.Popen([*command(), "debug", str(stopped(p))], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pdb:
        assert pdb.stdout is not None
        assert pdb.stdout.read(1)
        assert not call.done()
        pdb.kill()
    assert call.result(10) == 5


PROGRAM = """
from stopping_classes import Stops
p = octavo.process.make(Stops)
with open("pid.new", "w") as file:
    file.write(str(p.pid()))
os.rename("pid.new", "pid")
print(p.stop(1))
"""


def test_a_caller_that_waits_for_it_is_not_declared_hanging(tmp_path: Path) -> None:
    with program(tmp_path, "os.environ['OCTAVO_PATIENCE'] = '1'\n" + PROGRAM) as running:
        running.came("pid")
        pid = int((tmp_path / "pid").read_text())
        wait_for(lambda: waiting(pid), 20, "a breakpoint waits")
        time.sleep(4)  # four times its patience
        assert running.process.poll() is None
        attach(pid, "c\n")
        assert "5" in running.end().splitlines()


def test_nothing_is_left_where_its_program_is_killed(tmp_path: Path) -> None:
    with program(tmp_path, PROGRAM) as running:
        running.came("pid")
        pid = int((tmp_path / "pid").read_text())
        wait_for(lambda: waiting(pid), 20, "a breakpoint waits")
        running.process.kill()
        running.end(-signal.SIGKILL)
        wait_for(lambda: not is_alive(pid), 20, "its object has ended, too")
        assert pid not in waiting(None).values()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user")
def test_another_user_is_refused() -> None:
    p = made()
    call = octavo.start(p.stop, 1)
    (name,) = waiting(stopped(p))
    stranger = "import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect('\\0' + sys.argv[1]); print(s.recv(10))"
    assert subprocess.run([sys.executable, "-c", stranger, name], capture_output=True, text=True, check=True).stdout == "b''\n"
    assert not call.done()
    attach_to(p, "c\n")
    assert call.result(10) == 5


def test_a_name_that_another_process_has_taken_is_refused() -> None:
    with socket.socket(socket.AF_UNIX) as false, subprocess.Popen(["sleep", "60"]) as victim:
        false.bind(f"\0octavo-debug-{victim.pid}-0123")
        false.listen()
        attached = attach(victim.pid, "secret\n")
        victim.kill()
    assert attached.returncode == 1
    assert "another process has taken its name" in attached.stderr


def test_names_that_others_have_taken_are_in_nobodys_way() -> None:
    p = made()
    call = octavo.start(p.stop, 1)
    pid = stopped(p)
    with ExitStack() as sockets:
        for name in (f"{pid}-!", f"{pid}-z", f"{os.getppid()}-0"):
            false = sockets.enter_context(socket.socket(socket.AF_UNIX))
            false.bind(f"\0octavo-debug-{name}")
            false.listen()
        assert len(named(None)) == 4
        assert list(waiting(None).values()) == [pid]
        assert "(Pdb) 1" in attach(None, "p x\nc\n").stdout
    assert call.result(10) == 5


def test_where_none_waits_or_several_do() -> None:
    assert f"no breakpoint waits in process {os.getpid()}" in attach(os.getpid(), "").stderr
    assert "no process" in attach(99999999, "").stderr
    pair = [made(), made()]
    calls = [octavo.start(p.stop, 1) for p in pair]
    found = [str(stopped(p)) for p in pair]
    several = attach(None, "c\n")
    assert several.returncode == 1
    assert all(pid in several.stderr for pid in found)
    for p in pair:
        attach_to(p, "c\n")
    assert [call.result(10) for call in calls] == [5, 5]


def test_python_s_own_variable_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = sys.breakpointhook
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    assert octavo.process.make(Stops).stop(1) == 5
    monkeypatch.setenv("PYTHONBREAKPOINT", "builtins.print")
    assert octavo.process.make(Stops).stop(1) == 5
    assert sys.breakpointhook is ours
