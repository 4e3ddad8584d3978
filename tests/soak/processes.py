# SPDX-License-Identifier: Apache-2.0
"""What /proc says of the processes that descend from this one, also of those whose parent has ended; and their stacks.

become_reaper()                          # first: orphans become children of this process instead of init's
for each in descendants(): print(each.pid, each.command())
"""

import ctypes
import os
import shutil
import signal
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value})")


def become_reaper() -> None:
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """This process is killed when the thread that made it ends."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    state: str
    ticks: int  # of processor time
    begun: int  # with the pid: which process it is

    @property
    def alive(self) -> bool:
        return self.state not in "ZX"

    def command(self) -> str:
        try:
            return (PROC / str(self.pid) / "cmdline").read_text(errors="replace").replace("\0", " ").strip()[:200]
        except OSError:
            return "(it has ended)"

    def signal(self, number: int) -> bool:
        """False: it has ended. Never sent to another process that has its pid now."""
        try:
            handle = os.pidfd_open(self.pid)
        except OSError:
            return False
        try:
            now = read_process(self.pid)
            if now is None or now.begun != self.begun:
                return False
            signal.pidfd_send_signal(handle, number)
        except OSError:
            return False
        finally:
            os.close(handle)
        return True


def read_process(pid: int) -> Process | None:
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()
    return Process(pid, int(fields[1]), fields[0], int(fields[11]) + int(fields[12]), int(fields[19]))


def descendants(without: Collection[int] = ()) -> list[Process]:
    """Parents before their children. `without`: children of this process that do not count, with all of theirs."""
    children: dict[int, list[Process]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (process := read_process(int(entry.name))):
            children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    todo = [each for each in children.get(os.getpid(), []) if each.pid not in without]
    while todo:
        process = todo.pop(0)
        found.append(process)
        todo += children.get(process.pid, [])
    return found


def reap_orphans(without: Collection[int]) -> None:
    """Those that became children of this process. `without`: whom somebody else waits for."""
    for process in descendants(without):
        if process.state == "Z" and process.parent == os.getpid():
            os.waitpid(process.pid, os.WNOHANG)


def stacks(process: Process) -> str:
    """Of all its threads: by gdb, else by eu-stack, else what the kernel tells."""
    pid = str(process.pid)
    for command in (
        ["gdb", "-q", "-batch", "-nx", "-p", pid, "-ex", "set print frame-arguments none", "-ex", "thread apply all backtrace 30"],
        ["eu-stack", "-p", pid],
    ):
        if shutil.which(command[0]):
            try:
                shown = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, stdin=subprocess.DEVNULL, check=False).stdout
            except subprocess.TimeoutExpired:
                continue
            if "#0" in shown:
                return "\n".join(line for line in shown.splitlines() if line.startswith(("Thread", "#")))
    return _kernel_stacks(PROC / pid / "task")


def _kernel_stacks(tasks: Path) -> str:
    lines = []
    for task in sorted(tasks.glob("*")):
        lines.append(f"thread {task.name}")
        for name in ("comm", "wchan", "syscall", "stack"):
            try:
                lines.append(f"  {name}: {(task / name).read_text(errors='replace').strip()}")
            except OSError as problem:
                lines.append(f"  {name}: {problem.strerror}")
    return "\n".join(lines)
