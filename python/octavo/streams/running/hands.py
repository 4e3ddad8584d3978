# SPDX-License-Identifier: Apache-2.0
"""A worker as its crew sees it, and what it has been sent."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from octavo.objects.pointers import Pointer

Dealt = deque[tuple[int, Any]]


class Batch:
    """The items of one call, by their numbers."""

    __slots__ = ("items", "numbers")

    def __init__(self, dealt: list[tuple[int, Any]]) -> None:
        self.numbers = [number for number, _ in dealt]
        self.items = [item for _, item in dealt]

    def dealt(self) -> list[tuple[int, Any]]:
        return list(zip(self.numbers, self.items, strict=True))

    def told(self) -> str:
        """Which items were sent, where their worker died: nobody knows any more at which."""
        if len(self.numbers) == 1:
            return f"item {self.numbers[0]}"
        first, last = min(self.numbers), max(self.numbers)
        return f"one of the {len(self.numbers)} items from {first} to {last} that were sent in one call; .on_death('redo') finds which"


class Hand:
    """The ``index``-th. dealt: what it is to have, where not who is free has the next; ``before``: what the one in whose place it is had."""

    def __init__(self, worker: Pointer, index: int, before: Dealt | None = None) -> None:
        self.worker, self.index = worker, index
        self.pid = 0
        self.calls: deque[Batch] = deque()
        self.dealt: Dealt = deque() if before is None else before
        self.sending, self.begins, self.is_dead = False, True, False
        self.since, self.for_room = time.monotonic(), False  # it does what it does
        self.shown = (-1, 0.0)

    def is_busy(self) -> bool:
        return not self.is_dead and (self.begins or bool(self.calls))
