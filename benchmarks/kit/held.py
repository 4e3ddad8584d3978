# SPDX-License-Identifier: Apache-2.0
"""Runs a program held to an amount of memory, page cache included, and says what it took.

The holding is done by the project's within-memory, found by OCTAVO_WITHIN_MEMORY or beside the checkout. Where it is missing or this machine
has no cgroup v1 memory controller, programs run free, and every result says so.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_CONTROLLER = 125


@dataclass(frozen=True)
class Run:
    """seconds: of the whole process tree; peak: charged bytes with page cache; peak_own: anonymous and shared memory (None where not held)."""

    seconds: float
    peak: int | None
    peak_own: int | None
    output: str


class Gave(Exception):
    """The program ended with an error; the text is what it wrote."""


class TooLong(Exception):
    """It took longer than it was given and was stopped."""


class Holder:
    """Runs programs, held to an amount of memory where this machine can."""

    def __init__(self) -> None:
        path = Path(os.environ.get("OCTAVO_WITHIN_MEMORY", ROOT.parent / "shared" / "tools" / "within-memory"))
        works = path.exists() and subprocess.run([str(path), "64M", "true"], capture_output=True, check=False).returncode != NO_CONTROLLER
        self._tool = path if works else None

    @property
    def holds(self) -> bool:
        return self._tool is not None

    def run(self, command: Sequence[str], memory: int, longest: float | None = None) -> Run:
        """Raises Gave when the program fails, TooLong when it has not ended after ``longest`` seconds."""
        whole = [str(self._tool), str(memory), *command] if self._tool else list(command)
        begin = time.monotonic()
        process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            output, errors = process.communicate(timeout=longest)
        except subprocess.TimeoutExpired:
            for pid in children_of(process.pid) if self._tool else [process.pid]:  # within-memory itself goes on, and tidies up
                os.kill(pid, signal.SIGKILL)
            process.communicate()
            raise TooLong(f"{command[0]} took more than {longest:.0f} s") from None
        seconds = time.monotonic() - begin
        if process.returncode != 0:
            raise Gave(f"{' '.join(command)} ended with status {process.returncode}:\n{errors.strip()}")
        if self._tool is None:
            return Run(seconds, None, None, output)
        facts = last_json(errors)
        return Run(facts["seconds"], int(facts["peak"]), int(facts["peak_rss"]), output)


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def last_json(text: str) -> dict[str, float]:
    return json.loads([line for line in text.splitlines() if line.startswith("{")][-1])
