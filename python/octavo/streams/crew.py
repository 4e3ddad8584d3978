# SPDX-License-Identifier: Apache-2.0
"""The workers of one stage: what they are sent, and in which order their results go on. With the flow's lock."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from octavo.errors import UsageError
from octavo.objects.places import Place
from octavo.objects.pointers import Pointer
from octavo.streams.belt import Belt
from octavo.streams.description import Stage
from octavo.streams.report import StageReport
from octavo.streams.worker import Answer

PART = 0.005  # seconds that the items of one call are to take
MOST = 64  # items of one call
CALLS = 2  # at one worker: the second lies there while the first is run


def text_of(place: Place) -> str:
    """As C++ says it."""
    on_thread, machine, _ = place._where()
    return "thread" if on_thread else machine or "process"


class Batch:
    """The items of one call, by their numbers."""

    __slots__ = ("items", "numbers")

    def __init__(self, dealt: list[tuple[int, Any]]) -> None:
        self.numbers = [number for number, _ in dealt]
        self.items = [item for _, item in dealt]


class Hand:
    """A worker as its crew sees it, the ``index``-th."""

    def __init__(self, worker: Pointer, index: int) -> None:
        self.worker, self.index = worker, index
        self.pid = 0
        self.calls: deque[Batch] = deque()
        self.dealt: deque[tuple[int, Any]] = deque()  # to this one, where not who is free has the next
        self.sending, self.begins = False, True
        self.idle_since, self.for_room = time.monotonic(), False

    def is_busy(self) -> bool:
        return self.begins or bool(self.calls)


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
        self.done: dict[int, deque[Any]] = {}  # by the item's number, what it gave
        self.parts: dict[int, dict[int, list[Any]]] = {}  # where all workers have an item: by the worker, what it gave
        self.in_flight = 0  # calls
        self.each = 0.0  # seconds an item takes, at present
        self.size = 1  # items of the last call
        self.error: BaseException | None = None
        self.fails_at: int | None = None
        self.ending = -1  # workers whose svc_end is not over; -1: not begun
        self.ended = False

    # --- what is to be sent ---

    def next_batch(self) -> tuple[Hand, Batch] | None:
        """Raises what the functions of by() and scatter() do."""
        if self.error is not None or self.behind.cancelled or len(self.done) >= MOST * max(1, len(self.hands)):
            return None
        if self.stage.dealing.kind == "free":
            hand = min((each for each in self.hands if self._is_free(each)), key=lambda each: len(each.calls), default=None)
            if hand is None or not self.before.items:
                return None
        else:
            self._deal()
            hand = next((each for each in self.hands if each.dealt and self._is_free(each)), None)
            if hand is None:
                return None
        if self.done and not self.behind.has_room():
            hand.for_room = True
            return None
        return hand, self._batch_for(hand)

    def _is_free(self, hand: Hand) -> bool:
        """A call behind a long one would wait while others are free."""
        return not hand.sending and len(hand.calls) < CALLS and not (hand.calls and (self.coming or self.each > PART))

    def _batch_for(self, hand: Hand) -> Batch:
        if self.stage.dealing.kind == "free":
            count = self._fitting(len(self.before.items), len(self.hands))
            batch = Batch([(self.next_number + i, self.before.take()) for i in range(count)])
            self.next_number += count
        else:
            batch = Batch([hand.dealt.popleft() for _ in range(self._fitting(len(hand.dealt), 1))])
        self.report.taken += len(batch.items)
        if not hand.calls:
            self._count_idle(hand)
        hand.calls.append(batch)
        hand.sending = True
        self.in_flight += 1
        return batch

    def _fitting(self, here: int, hands: int) -> int:
        if self.is_async:
            return min(here, MOST)
        share = max(1, here // (CALLS * hands))
        by_time = int(PART / self.each) if self.each else 1
        self.size = max(1, min(MOST, share, by_time, 4 * self.size))
        return self.size

    def _deal(self) -> None:
        """To the workers, as far as each may have some before it; when all are there."""
        if self.coming:
            return
        hands = sorted(self.hands, key=lambda each: each.index)
        kind, function, _ = self.stage.dealing
        while self.before.items:
            item, _ = self.before.items[0]
            if kind == "key":
                assert function is not None
                to = [(hands[hash(function(item)) % len(hands)], item)]
            elif kind == "turn":
                to = [(hands[self.next_number % len(hands)], item)]
            elif kind == "all":
                to = [(each, item) for each in hands]
            else:
                to = list(zip(hands, self._parts_of(item, len(hands)), strict=True))
            if any(len(each.dealt) >= MOST for each, _ in to):
                return
            self.before.take()
            for each, part in to:
                each.dealt.append((self.next_number, part))
            self.next_number += 1

    def _parts_of(self, item: Any, hands: int) -> list[Any]:
        function = self.stage.dealing.function
        assert function is not None
        parts = list(function(item, hands))
        if len(parts) != hands:
            raise UsageError(f"scatter() got {len(parts)} parts of an item for {hands} workers. Give one for each")
        return parts

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

    def take(self, hand: Hand, batch: Batch, answer: Answer) -> None:
        """Fewer results than items: the worker had failed."""
        self.report.busy += answer.busy
        if answer.results:
            took = max(answer.busy, 1e-7) / len(answer.results)
            self.each = took if not self.each else (self.each + took) / 2
        for number, result in zip(batch.numbers, answer.results, strict=False):
            outputs = [result] if answer.flat else result
            if self.stage.dealing.to_all:
                self._take_part(number, hand, outputs)
            else:
                self.done[number] = deque(outputs)

    def _take_part(self, number: int, hand: Hand, outputs: list[Any]) -> None:
        parts = self.parts.setdefault(number, {})
        parts[hand.index] = outputs
        if not self.by_number and not self.stage.dealing.gathers:  # who is first
            self.done.setdefault(number, deque()).extend(outputs)
        elif len(parts) == len(self.hands):
            together = [each for index in sorted(parts) for each in parts[index]]
            self.done[number] = deque([together] if self.stage.dealing.gathers else together)
        if len(parts) == len(self.hands):
            del self.parts[number]

    def fail(self, number: int, error: BaseException) -> None:
        if self.fails_at is None or number < self.fails_at:
            self.error, self.fails_at = error, number
        self.before.cancel()
        for hand in self.hands:
            hand.dealt.clear()

    def flush(self) -> bool:
        """Gives on what is due, as far as there is room. True: something went."""
        went = False
        while self.done and (number := self.due if self.by_number else next(iter(self.done))) in self.done:
            if self.by_number and self.fails_at is not None and number >= self.fails_at:
                break
            outputs = self.done[number]
            while outputs and (self.behind.has_room() or self.behind.cancelled):
                self.behind.put(outputs.popleft())
                self.report.given += 1
                went = True
            if outputs:
                break
            del self.done[number]
            self.due += 1
        return went

    def has_done(self) -> bool:
        """Its results have all gone on."""
        if self.ended or self.behind.cancelled:
            return True
        if self.in_flight or not self.before.closed or self.before.items or any(hand.dealt for hand in self.hands):
            return False
        stops_before = self.by_number and self.fails_at is not None and self.due not in self.done
        return not self.done or stops_before or (self.by_number and self.fails_at is not None and self.due >= self.fails_at)
