# SPDX-License-Identifier: Apache-2.0
"""The classes whose objects the tests of queues, barriers and events are made of."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import octavo as ov


class User:
    def __init__(self, kept: Any = None) -> None:
        self.kept = kept

    def pid(self) -> int:
        return os.getpid()

    def make(self, bound: int) -> ov.Queue[Any]:
        self.kept = ov.Queue(bound)
        return self.kept

    def kept_get(self) -> Any:
        return self.kept["queues"][0].get()

    def put(self, queue: ov.Queue[Any], item: Any) -> None:
        queue.put(item)

    def get(self, queue: ov.Queue[Any]) -> Any:
        return queue.get()

    def get_and_tell(self, queue: ov.Queue[Any]) -> tuple[Any, str]:
        item = queue.get()
        return type(item), repr(item)

    def put_many(self, queue: ov.Queue[Any], me: int, count: int) -> None:
        for i in range(count):
            queue.put((me, i))

    def take_all(self, queue: ov.Queue[Any]) -> list[tuple[int, int]]:
        taken = []
        try:
            while True:
                taken.append(queue.get())
                queue.task_done()
        except ov.errors.QueueShutDown:
            return taken

    def sums(self, queue: ov.Queue[Any], count: int) -> list[float]:
        """Each array is the reader's own."""
        sums = []
        for _ in range(count):
            array = queue.get()
            array += 1
            sums.append(float(np.sum(array)))
        return sums

    def error_of_get(self, queue: ov.Queue[Any]) -> str:
        try:
            return repr(queue.get())
        except ov.Error as e:
            return f"{type(e).__name__}: {e}"


class Guest:
    def pid(self) -> int:
        return os.getpid()

    def wait(self, meeting: Any, timeout: float | None = None) -> Any:
        return meeting.wait(timeout)

    def error_of_wait(self, barrier: ov.Barrier) -> str:
        try:
            return str(barrier.wait())
        except ov.errors.BrokenBarrier as e:
            return str(e)

    def get_ready(self, barrier: ov.Barrier) -> None:
        """Has it, and does not come."""

    def rounds(self, barrier: ov.Barrier) -> str:
        """Until it is broken: why."""
        while True:
            try:
                barrier.wait()
            except ov.errors.BrokenBarrier as e:
                return str(e)

    def is_set(self, event: ov.Event) -> bool:
        return event.is_set()
