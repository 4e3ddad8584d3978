# SPDX-License-Identifier: Apache-2.0
"""What the workers of a stage gave, until it goes on: in the order of the items, or as it came. With the flow's lock."""

from __future__ import annotations

from collections import deque
from typing import Any

from octavo.errors import UsageError
from octavo.streams.running.belt import Belt
from octavo.streams.running.rounds import Rounds
from octavo.streams.stages import Stage


class Results:
    def __init__(self, stage: Stage[Any, Any], behind: Belt) -> None:
        self._stage, self._behind = stage, behind
        self.by_number = stage.in_order
        self.rounds = Rounds(stage.name, stage.most_bytes)
        self.due = 0  # in order, the number whose results go on next
        self.stops_at: int | None = None  # in order, the number that failed
        self._done: dict[int, deque[Any]] = {}  # by the item's number
        self._parts: dict[int, dict[int, list[Any]]] = {}  # where all workers have an item: by the worker

    def __len__(self) -> int:
        """Of so many items some have not gone on."""
        return len(self._done)

    def take(self, number: int, worker: int, outputs: list[Any], *, workers: int, rounds: bool) -> None:
        """Raises what is wrong with them."""
        if rounds and self._stage.dealing.kind != "free":
            raise UsageError(f"stage '{self._stage.name}' feeds back, which goes to who is free, and not as broadcast(), by() and the like deal it")
        if self._stage.dealing.to_all:
            self._take_part(number, worker, outputs, workers)
        elif rounds or self.rounds.under_way():
            self._take_round(number, outputs)
        else:
            self._done[number] = deque(outputs)

    def _take_part(self, number: int, worker: int, outputs: list[Any], workers: int) -> None:
        parts = self._parts.setdefault(number, {})
        parts[worker] = outputs
        dealing = self._stage.dealing
        if not self.by_number and not dealing.gathers:  # who is first
            self._done.setdefault(number, deque()).extend(outputs)
        elif len(parts) == workers:
            together = [each for index in sorted(parts) for each in parts[index]]
            self._done[number] = deque([together] if dealing.gathers else together)
        if len(parts) == workers:
            del self._parts[number]

    def _take_round(self, number: int, outputs: list[Any]) -> None:
        results, is_done = self.rounds.take(number, outputs)
        if not self.by_number:
            self._done.setdefault(number, deque()).extend(results)
        elif (all_of_it := self.rounds.keep(number, results, is_done=is_done)) is not None:
            self._done[number] = all_of_it

    def flush(self) -> int:
        """Gives on what is due, as far as there is room; returns how many results."""
        went = 0
        while self._done and (number := self.due if self.by_number else next(iter(self._done))) in self._done:
            if self._stops(number):
                break
            outputs = self._done[number]
            while outputs and (self._behind.has_room() or self._behind.cancelled):
                self._behind.put(outputs.popleft())
                went += 1
            if outputs:
                break
            del self._done[number]
            self.due += 1
        return went

    def is_over(self) -> bool:
        """No more will go on, when nothing is under way."""
        return not self._done or (self.by_number and self.stops_at is not None and (self.due not in self._done or self._stops(self.due)))

    def _stops(self, number: int) -> bool:
        return self.by_number and self.stops_at is not None and number >= self.stops_at
