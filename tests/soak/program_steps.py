# SPDX-License-Identifier: Apache-2.0
"""Steps of objects_program.py: forks and multiprocessing while a Runtime is alive, and programs that end with calls in flight. Nothing may be left of any."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import octavo as ov
from ending_program import STATUS
from troubles import Fragile, be_stopped, until

MARK = "OCTAVO_SOAK_MARK"  # in the environment of a program and of all its processes
PROGRAM = Path(__file__).with_name("ending_program.py")


def own_objects(of_parent: Fragile | None) -> Fragile:
    """In a child: it makes its own, and its parent's are not called."""
    if of_parent is not None:
        try:
            of_parent.add(1)
        except ov.Error:
            of_parent = None
        assert of_parent is None
    p = ov.process.make(Fragile)
    assert p.add(2) == 2
    return p


def child_of_multiprocessing(line: Connection, trouble: str) -> None:
    line.send(own_objects(None).pid())
    assert line.recv() == "go"
    if trouble == "stop":
        be_stopped(0.02)
    if trouble == "raise":
        sys.exit(6)


def add_one(number: int) -> int:
    return ov.process.make(Fragile).add(number) + 1


class ProgramSteps:
    def __init__(self, choices: random.Random) -> None:
        self._random = choices

    def forked(self) -> None:
        """A child that says of which process its object is, and ends when that is watched."""
        trouble = self._random.choice(["none", "kill", "stop", "raise"])
        of_parent = ov.process.make(Fragile)
        ours, theirs = multiprocessing.Pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                ours.close()
                theirs.send(own_objects(of_parent).pid())
                assert theirs.recv() == "go"
                if trouble == "stop":
                    be_stopped(0.02)
                if trouble == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                status = 6 if trouble == "raise" else 0
            finally:
                os._exit(status)
        theirs.close()
        self._ends_with(ours, lambda: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), {"kill": -9, "raise": 6}.get(trouble, 0))
        assert of_parent.add(1) == 1
        ov.destroy(of_parent)

    def by_multiprocessing(self) -> None:
        context: Any = multiprocessing.get_context(self._random.choice(["fork", "spawn"]))
        of_parent = ov.process.make(Fragile)
        if self._random.random() < 0.3:
            with context.Pool(2) as pool:
                assert pool.map(add_one, range(4)) == [1, 2, 3, 4]
                pool.close()
                pool.join()
        else:
            self._one_process(context)
        assert of_parent.add(1) == 1
        ov.destroy(of_parent)

    def _one_process(self, context: Any) -> None:
        trouble = self._random.choice(["none", "kill", "stop", "raise"])
        ours, theirs = context.Pipe()
        child = context.Process(target=child_of_multiprocessing, args=(theirs, trouble))
        child.start()
        theirs.close()

        def ended() -> int:
            if trouble == "kill":
                child.kill()
            child.join()
            return int(child.exitcode)

        self._ends_with(ours, ended, {"kill": -9, "raise": 6}.get(trouble, 0), go=trouble != "kill")

    def _ends_with(self, line: Connection, ended: Callable[[], int], status: int, go: bool = True) -> None:
        """Of a child: so ends it, and with it the process of its object."""
        with line:
            watched = os.pidfd_open(line.recv())
            if go:
                line.send("go")
            got = ended()
        assert got == status, f"a child ended with {got} instead of {status}"
        select.select([watched], [], [])
        os.close(watched)

    def program_ends(self) -> None:
        """One that stands for itself, in a folder and with a mark of its own."""
        way = self._random.choice(sorted(STATUS))
        mark = uuid.uuid4().hex
        with tempfile.TemporaryDirectory() as folder:
            seed = str(self._random.randrange(1_000_000))
            program = subprocess.Popen(
                [sys.executable, str(PROGRAM), seed, way],
                env={**os.environ, MARK: mark, "TMPDIR": folder},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            wanted = [STATUS[way]]
            if self._random.random() < 0.2:  # at any moment
                time.sleep(self._random.random())
                program.kill()
                wanted.append(-signal.SIGKILL)
            elif way == "waits":
                wanted = [-self._trouble_of(program)]
            out, errors = program.communicate()
            told = f"ending_program.py {seed} '{way}' ended with {program.returncode} instead of {wanted}\n{out}\n{errors}"
            assert program.returncode in wanted, told
            assert not any(word in errors for word in ("Fatal", "terminate called", "nanobind")), told
            until(lambda: not marked(mark))
            left = [each.name for each in Path(folder).iterdir() if not each.name.startswith("never")]
            assert not left, f"{told}\nleft: {left}"

    def _trouble_of(self, program: subprocess.Popen[str]) -> int:
        """Comes to it while it waits; which signal it dies of."""
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        if self._random.random() < 0.5:
            program.send_signal(signal.SIGSTOP)
            time.sleep(self._random.random() / 10)
            program.send_signal(signal.SIGCONT)
        chosen = self._random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        program.send_signal(chosen)
        return chosen


def marked(mark: str) -> list[int]:
    """Running processes of this program, whoever their parent is by now."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
