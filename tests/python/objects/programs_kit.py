# SPDX-License-Identifier: Apache-2.0
"""Programs that use objects, run on their own: what they print, how they end, and that nothing of them is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fork_kit import FORKING
from kit import MARK, is_alive, marked, no_more_shared_memory, shared_memory, wait_for

HERE = Path(__file__).parent
BEGINNING = f"""
import asyncio, concurrent.futures, gc, multiprocessing, os, signal, sys, threading, time
import octavo
from hosted_classes import Counter, Echo, Friend
{FORKING}
def touch_within(function, name):  # makes the file once the main thread waits there
    main = threading.get_ident()
    def look():
        frame = None
        while frame is None or frame.f_code is not function.__code__:
            time.sleep(0.002)
            frame = sys._current_frames().get(main)
        open(name, "w").close()
    threading.Thread(target=look, daemon=True).start()
"""


@dataclass
class Program:
    """One that runs. ``directory`` is its own, with what it makes there."""

    process: subprocess.Popen[str]
    mark: str
    directory: Path

    def came(self, name: str) -> None:
        """Waits until it has made this file."""
        wait_for(lambda: (self.directory / name).exists() or self.process.poll() is not None, 20, f"{name} of the program")
        assert self.process.poll() is None, self.process.communicate()

    def hosts(self) -> list[int]:
        """The processes of its objects."""
        return [pid for pid in marked(self.mark) if pid != self.process.pid]

    def end(self, status: int = 0, seconds: float = 50) -> str:
        """Waits for its end; what it printed."""
        try:
            out, errors = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, errors = self.process.communicate()
            raise AssertionError(f"did not end within {seconds} s\n{out}\n{errors}") from None
        assert self.process.returncode == status, f"{self.process.returncode}\n{out}\n{errors}"
        return out + errors


@contextmanager
def program(directory: Path, text: str) -> Iterator[Program]:
    """Runs it in a session of its own; at the end none of its processes may be left, nothing in /dev/shm and no temporary file."""
    temporary = directory / "temporary"
    temporary.mkdir(exist_ok=True)
    before = shared_memory()
    mark = uuid.uuid4().hex
    (directory / "program.py").write_text(BEGINNING + textwrap.dedent(text))
    environment = {
        **os.environ,
        MARK: mark,
        "TMPDIR": str(temporary),
        "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    process = subprocess.Popen(
        [sys.executable, "program.py"],
        cwd=directory,
        env=environment,
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield Program(process, mark, directory)
        wait_for(lambda: not marked(mark), 20, f"all its processes have ended: {marked(mark)}")
        no_more_shared_memory(before)
        assert list(temporary.iterdir()) == []
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
        for pid in marked(mark):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)


def run_program(directory: Path, text: str, status: int = 0, seconds: float = 50) -> str:
    with program(directory, text) as running:
        return running.end(status, seconds)
