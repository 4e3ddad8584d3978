# SPDX-License-Identifier: Apache-2.0
"""The class whose objects the tests of locks are made of."""

from __future__ import annotations

import os
import time
from typing import Any

import octavo as ov


class Locker:
    def increment(self, lock: Any, cells: ov.Segment, times: int) -> None:
        for _ in range(times):
            with lock:
                cells[0] += 1

    def units(self, units: ov.Semaphore, guard: ov.Mutex, cells: ov.Segment, times: int) -> int:
        """The most that were inside at once."""
        most = 0
        for _ in range(times):
            with units:
                with guard:
                    cells[0] += 1
                    most = max(most, int(cells[0]))
                time.sleep(0.001)
                with guard:
                    cells[0] -= 1
        return most

    def hold(self, lock: Any) -> int:
        lock.acquire()
        return os.getpid()

    def tell_all(self, changed: ov.Condition) -> None:
        changed.notify_all()

    def let_go(self, lock: Any) -> None:
        lock.release()

    def take_turns(self, changed: ov.Condition, cells: ov.Segment, me: int, players: int, rounds: int) -> None:
        for _ in range(rounds):
            with changed:
                changed.wait_for(lambda: cells[0] == me, timeout=60)
                cells[0] = (me + 1) % players
                changed.notify_all()

    def same(self, lock: Any, name: str) -> bool:
        return bool(lock == type(lock)(name))

    def await_change(self, changed: ov.Condition, cells: ov.Segment) -> str:
        try:
            with changed:
                cells[1] = 1
                changed.wait_for(lambda: cells[0] != 0)
                return "changed"
        except ov.errors.LockAbandoned:
            return "abandoned"
