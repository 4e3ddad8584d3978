# SPDX-License-Identifier: Apache-2.0
"""The workers of one stage, and what lies before it: what they are sent, and in which order their results go on. All but sending with the flow's lock."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterable
from typing import Any

from octavo.objects.places import Place
from octavo.objects.pointers import Pointer
from octavo.streams.description import Stage
from octavo.streams.report import StageReport
from octavo.streams.worker import Answer

PART = 0.005  # seconds that the items of one call are to take
MOST = 64  # items of one call
CALLS = 2  # at one worker: the second lies there while the first is run


def bytes_of(item: Any) -> int:
    """As far as can be told without looking into it."""
    size = getattr(item, "nbytes", None)
    return size if isinstance(size, int) else sys.getsizeof(item, 64)


def text_of(place: Place) -> str:
    """As C++ says it."""
    on_thread, machine, _ = place._where()
    return "thread" if on_thread else machine or "process"


class Belt:
    """What lies before a stage, or before who reads the stream; in order."""

    def __init__(self, most_items: int, most_bytes: int) -> None:
        self.most_items, self.most_bytes = most_items, most_bytes
        self.items: deque[tuple[Any, int]] = deque()
        self.bytes = 0
        self.came = 0
        self.closed = False  # no more will come
        self.cancelled = False  # nobody wants more

    def has_room(self) -> bool:
        return not self.cancelled and len(self.items) < self.most_items and (self.bytes < self.most_bytes or not self.items)

    def put(self, item: Any) -> None:
        size = bytes_of(item)
        self.items.append((item, size))
        self.bytes += size
        self.came += 1

    def take(self) -> Any:
        item, size = self.items.popleft()
        self.bytes -= size
        return item

    def cancel(self) -> None:
        self.cancelled = self.closed = True
        self.items.clear()
        self.bytes = 0


class Batch:
    """Items of one call."""

    __slots__ = ("count", "first", "sent")

    def __init__(self, first: int, count: int) -> None:
        self.first, self.count, self.sent = first, count, 0.0


class Hand:
    """A worker as its crew sees it."""

    def __init__(self, worker: Pointer) -> None:
        self.worker = worker
        self.pid = 0
        self.calls: deque[Batch] = deque()
        self.sending = False
        self.idle_since, self.for_room = time.monotonic(), False


class Crew:
    """``before``, ``behind``: the belts at its two sides."""

    def __init__(self, stage: Stage[Any, Any], before: Belt, behind: Belt, *, is_async: bool) -> None:
        self.stage, self.before, self.behind, self.is_async = stage, before, behind, is_async
        places = dict.fromkeys(text_of(place) for place in stage.places[: stage.worker_count()])
        self.report = StageReport(stage.name, ", ".join(places))
        self.hands: list[Hand] = []
        self.coming = 0  # workers that are being made
        self.by_number = stage.in_order
        self.next_number = 0
        self.due = 0
        self.done: dict[int, tuple[int, deque[Any]]] = {}  # by the number of its first item: how many items, and what they gave
        self.in_flight = 0  # calls
        self.each = 0.0  # seconds an item takes, at present
        self.size = 1  # items of the last call
        self.error: BaseException | None = None
        self.fails_at: int | None = None
        self.ending = -1  # workers whose svc_end is not over; -1: not begun
        self.ended = False

    # --- what is to be sent ---

    def next_batch(self) -> tuple[Hand, Batch, list[Any]] | None:
        if self.error is not None or self.behind.cancelled or not self.before.items:
            return None
        hand = min((each for each in self.hands if not each.sending and len(each.calls) < CALLS), key=lambda each: len(each.calls), default=None)
        if hand is None or len(self.done) >= len(self.hands):
            return None
        if hand.calls and (self.coming or self.each > PART):
            return None  # a call behind a long one would wait while others are free
        if not self.behind.has_room() and self.done:
            hand.for_room = True
            return None
        items = [self.before.take() for _ in range(self._fitting())]
        batch = Batch(self.next_number, len(items))
        self.next_number += len(items)
        self.report.taken += len(items)
        if not hand.calls:
            self._count_idle(hand)
        hand.calls.append(batch)
        hand.sending = True
        self.in_flight += 1
        return hand, batch, items

    def _fitting(self) -> int:
        here = len(self.before.items)
        if self.is_async:
            return min(here, MOST)
        share = max(1, here // (CALLS * max(1, len(self.hands))))
        by_time = int(PART / self.each) if self.each else 1
        self.size = max(1, min(MOST, share, by_time, 4 * self.size))
        return self.size

    def _count_idle(self, hand: Hand) -> None:
        idle = time.monotonic() - hand.idle_since
        if hand.for_room:
            self.report.waited_for_room += idle
        else:
            self.report.waited_for_input += idle
        hand.for_room = False

    # --- what came back ---

    def answered(self, hand: Hand, batch: Batch) -> None:
        hand.calls.remove(batch)
        self.in_flight -= 1
        hand.idle_since = time.monotonic()

    def take(self, batch: Batch, answer: Answer) -> None:
        self.report.busy += answer.busy
        took = max(answer.busy, 1e-7) / max(1, batch.count)
        self.each = took if not self.each else (self.each + took) / 2
        results: Iterable[Any] = answer.results if answer.flat else (each for several in answer.results for each in several)
        self.done[batch.first] = (batch.count, deque(results))

    def fail(self, number: int, error: BaseException) -> None:
        if self.fails_at is None or number < self.fails_at:
            self.error, self.fails_at = error, number
        self.before.cancel()

    def flush(self) -> bool:
        """Gives on what is due, as far as there is room. True: something went."""
        went = False
        while self.done and (batch := self.due if self.by_number else next(iter(self.done))) in self.done:
            if self.by_number and self.fails_at is not None and batch > self.fails_at:
                break
            count, outputs = self.done[batch]
            while outputs and (self.behind.has_room() or self.behind.cancelled):
                self.behind.put(outputs.popleft())
                self.report.given += 1
                went = True
            if outputs:
                break
            del self.done[batch]
            self.due += count
        return went

    def has_done(self) -> bool:
        """Its results have all gone on."""
        if self.in_flight or self.ended:
            return self.ended
        if self.behind.cancelled:
            return True
        failed = self.fails_at is not None
        return self.before.closed and not self.before.items and (not self.done or (failed and self.by_number and self.due not in self.done))
