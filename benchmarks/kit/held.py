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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_CONTROLLER = 125


@dataclass(frozen=True)
class Run:
    """seconds: of the whole process tree; peak: charged bytes with page cache; peak_own: anonymous and shared memory. output: what it printed."""

    seconds: float
    peak: int
    peak_own: int
    output: str


class Gave(Exception):
    """The program ended with an error; the text is what it wrote."""


class TooLong(Exception):
    """It took longer than it was given and was stopped."""


def holder() -> Path | None:
    path = Path(os.environ.get("OCTAVO_WITHIN_MEMORY", ROOT.parent / "shared" / "tools" / "within-memory"))
    if not path.exists():
        return None
    works = subprocess.run([str(path), "64M", "true"], capture_output=True, check=False).returncode != NO_CONTROLLER
    return path if works else None


def run_held(command: Sequence[str], memory: int, tool: Path, longest: float | None = None, held: bool = True) -> Run:
    """``held`` False only measures. Raises Gave or TooLong."""
    whole = [str(tool), str(memory if held else 0), *command]
    process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=longest)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # it hands it on, and ends what is left
        process.communicate()
        raise TooLong(f"{command[0]} took more than {longest:.0f} s") from None
    facts = last_json(errors)
    if process.returncode != 0 or facts is None:
        raise Gave(f"{' '.join(command)} ended with status {process.returncode}:\n{errors.strip()}")
    return Run(float(facts["seconds"]), int(facts["peak"]), int(facts["peak_rss"]), output)


def last_json(text: str) -> dict[str, float] | None:
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else None
