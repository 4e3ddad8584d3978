# SPDX-License-Identifier: Apache-2.0
"""What a farm feeds back to itself: what waits to go round, and what is under way of each item of the input. With the flow's lock."""

from __future__ import annotations

from collections import deque
from typing import Any

from octavo.errors import Refused
from octavo.streams.items import Again
from octavo.streams.running.belt import bytes_of


class Rounds:
    """An item of the input is known by its number; what came of it is done under the same one."""

    def __init__(self, stage: str, most_bytes: float) -> None:
        self._stage, self._most_bytes = stage, most_bytes
        self._waiting: list[tuple[int, Any, int]] = []
        self._bytes = 0
        self._under_way: dict[int, int] = {}  # by the item's number, so many calls; of those with one alone nothing
        self._results: dict[int, deque[Any]] = {}

    def __len__(self) -> int:
        """So many wait to go round."""
        return len(self._waiting)

    def under_way(self) -> int:
        """Of so many items of the input something is to go round, or does."""
        return len(self._under_way)

    def next(self) -> tuple[int, Any]:
        """The latest first, so that few wait."""
        number, item, size = self._waiting.pop()
        self._bytes -= size
        return number, item

    def take(self, number: int, outputs: list[Any]) -> tuple[list[Any], bool]:
        """Of one call: the results, and whether nothing of the item is under way any more."""
        results = [each for each in outputs if not isinstance(each, Again)]
        for each in outputs:
            if isinstance(each, Again):
                self._add(number, each.item)
        left = self._under_way.get(number, 1) + len(outputs) - len(results) - 1
        if left:
            self._under_way[number] = left
        else:
            self._under_way.pop(number, None)
        return results, left == 0

    def keep(self, number: int, results: list[Any], *, is_done: bool) -> deque[Any] | None:
        """In order: all results of an item, when it is done."""
        kept = self._results.setdefault(number, deque())
        kept.extend(results)
        return self._results.pop(number) if is_done else None

    def _add(self, number: int, item: Any) -> None:
        size = bytes_of(item)
        if self._bytes + size > self._most_bytes:
            raise Refused(
                f"what stage '{self._stage}' of a stream has fed back takes {self._bytes} bytes, and {self._most_bytes} is its limit. "
                "Feed back less at a time, or name a larger one, as bound(bytes=8 << 30)"
            )
        self._waiting.append((number, item, size))
        self._bytes += size

    def clear(self) -> None:
        self._waiting.clear()
