# SPDX-License-Identifier: Apache-2.0
"""What makes the machine busier than its cores: processes that spin, and single processes of a run stopped for a moment."""

import contextlib
import os
import random
import signal
import time

from processes import Process, end_with_parent


class Busy:
    """So many processes that spin, each at a random priority, while this lives."""

    def __init__(self, count: int, choices: random.Random) -> None:
        self.pids = {_spin(choices.randint(0, 10)) for _ in range(count)}

    def __enter__(self) -> "Busy":
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):  # an interrupted run has ended them already
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _spin(nice: int) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        end_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        os.nice(nice)
        while os.getppid() == parent:
            for _ in range(1_000_000):
                pass
    finally:
        os._exit(0)


class Stops:
    """Now and then one process of the run stands still for 1 to 300 ms, as on a machine that has no time for it."""

    def __init__(self, choices: random.Random) -> None:
        self._choices = choices
        self._next = time.monotonic() + self._pause()
        self.count = 0

    def _pause(self) -> float:
        return 0.002 * 100 ** self._choices.random()  # 2 to 200 ms

    def perhaps(self, processes: list[Process]) -> None:
        alive = [each for each in processes if each.alive]
        if time.monotonic() < self._next or not alive:
            return
        chosen = self._choices.choice(alive)
        if chosen.signal(signal.SIGSTOP):
            try:
                time.sleep(0.001 * 300 ** self._choices.random())
            finally:
                chosen.signal(signal.SIGCONT)
            self.count += 1
        self._next = time.monotonic() + self._pause()
