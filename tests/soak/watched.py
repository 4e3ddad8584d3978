# SPDX-License-Identifier: Apache-2.0
"""Runs a command with all that descends from it, and ends all of it: by itself, or when nothing goes on any more.

A run goes on while it prints, uses the processor or waits for a disk. One that hangs is asked for its stacks before it is killed.
"""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from load import Busy, Stops
from processes import TICKS, Process, descendants, reap_orphans, stacks

SILENCE = 30.0  # seconds without anything going on
LEAST_TICKS = TICKS // 2  # of all processes in that time: those that only look now and then whether something comes use less
LONGEST = 600.0  # seconds of a run, whatever it does
GRACE = 20.0  # seconds after the command's end: the lasting agent of an example takes one, on an idle machine
OCTAVO = Path(sys.prefix) / "bin" / "octavo"


@dataclass
class Outcome:
    wrong: str = ""  # empty: it ended as it should
    output: str = ""
    seconds: float = 0
    stops: int = 0


class _Pulse:
    """When something last went on."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self._ticks: dict[tuple[int, int], int] = {}
        self._since, self._spent, self._printed = time.monotonic(), 0, 0

    def silence(self, processes: list[Process]) -> float:
        self._ticks.update({(each.pid, each.begun): each.ticks for each in processes})
        spent = sum(self._ticks.values())
        printed = sum(file.stat().st_size for file in self._files)
        on_disk = any(each.state == "D" for each in processes)
        if printed != self._printed or spent - self._spent >= LEAST_TICKS or on_disk:
            self._since, self._spent, self._printed = time.monotonic(), spent, printed
        return time.monotonic() - self._since


def run(command: list[str], folder: Path, environment: dict[str, str], choices: random.Random, busy: int, stopping: bool = True) -> Outcome:
    """In `folder`, beside `busy` processes that spin."""
    begun = time.monotonic()
    files = [folder / "output", folder / "errors"]
    with files[0].open("wb") as output, files[1].open("wb") as errors:
        with Busy(busy, choices) as others:
            child = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True)
            stops = Stops(choices)
            wrong = _unless_interrupted(child, lambda: _watch(child, files, stops if stopping else None, others.pids) or _left(others.pids))
        seconds = time.monotonic() - begun
        if wrong and descendants():  # nobody else is busy now: who asks them need not wait long
            wrong += _unless_interrupted(child, lambda: "\n" + testimony())
        _kill_all(child)
    shown = "".join(file.read_text(errors="replace") for file in files)
    if not wrong and child.returncode != 0:
        wrong = f"ended by {signal.Signals(-child.returncode).name}" if child.returncode < 0 else f"ended with status {child.returncode}"
    return Outcome(wrong, shown, seconds, stops.count)


def _unless_interrupted(child: "subprocess.Popen[bytes]", work: Callable[[], str]) -> str:
    """Nothing is left running whatever ends this."""
    try:
        return work()
    except BaseException:
        _kill_all(child)
        raise


def _watch(child: "subprocess.Popen[bytes]", files: list[Path], stops: Stops | None, others: set[int]) -> str:
    pulse, begun, looked = _Pulse(files), time.monotonic(), 0.0
    while child.poll() is None:
        processes = descendants(others)
        reap_orphans({*others, child.pid})
        if stops is not None:
            stops.perhaps(processes)
        if time.monotonic() - looked > 0.5:
            looked = time.monotonic()
            if pulse.silence(processes) > SILENCE:
                return f"hangs: nothing went on for {SILENCE:.0f} s"
            if looked - begun > LONGEST:
                return f"did not end within {LONGEST:.0f} s, though something goes on"
        time.sleep(0.005)
    return ""


def _left(others: set[int]) -> str:
    """What the command left running."""

    def left() -> list[Process]:
        reap_orphans(others)
        return [each for each in descendants(others) if each.alive]

    return "" if _until(lambda: not left(), GRACE) else "left processes behind"


def _until(done: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not (is_done := done()) and time.monotonic() < end:
        time.sleep(0.01)
    return is_done


def testimony() -> str:
    """What all processes of the run are doing: as octavo ps sees it, and their stacks."""
    alive = [each for each in descendants() if each.alive]
    parts = [f"--- octavo ps\n{_octavo_ps({str(each.pid) for each in alive})}"]
    for each in alive:
        parts.append(f"--- process {each.pid}, child of {each.parent}, state {each.state}: {each.command()}\n{stacks(each)}")
    return "\n".join(parts)


def _octavo_ps(of: set[str]) -> str:
    try:
        shown = subprocess.run([str(OCTAVO), "ps"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    title, *rows = shown.stdout.splitlines() or [""]
    return "\n".join([title, *(row for row in rows if row.split()[:1] and row.split()[0] in of)]) + shown.stderr


def _kill_all(child: "subprocess.Popen[bytes]") -> None:
    def all_gone() -> bool:
        for each in descendants():
            if each.alive:
                each.signal(signal.SIGKILL)
        child.poll()
        reap_orphans({child.pid})
        return child.poll() is not None and not descendants()

    if not _until(all_gone, GRACE):
        raise RuntimeError(f"processes that cannot be killed: {[each.pid for each in descendants()]}")
