# SPDX-License-Identifier: Apache-2.0
"""The workers of one stage: what they are sent, and in which order their results go on. With the flow's lock."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from octavo.objects.places import Place
from octavo.streams.items import To
from octavo.streams.report import StageReport
from octavo.streams.running.belt import Belt
from octavo.streams.running.dealer import MOST, Dealer
from octavo.streams.running.hands import Batch, Hand
from octavo.streams.running.results import Results
from octavo.streams.stages import Stage
from octavo.streams.worker import Answer

PART = 0.005  # seconds that the items of one call are to take
CALLS = 2  # at one worker: the second lies there while the first is run
MOST_DEATHS = 3  # of workers, of one item, or before they begin


def text_of(place: Place) -> str:
    """As C++ says it."""
    on_thread, machine, _ = place._where()
    return "thread" if on_thread else machine or "process"


class Crew:
    """``before``, ``behind``: the belts at its two sides."""

    def __init__(self, stage: Stage[Any, Any], before: Belt, behind: Belt, *, is_async: bool) -> None:
        self.stage, self.before, self.behind, self.is_async = stage, before, behind, is_async
        places = dict.fromkeys(text_of(place) for place in stage.places[: stage.worker_count()])
        self.report = StageReport(stage.name, ", ".join(places))
        self.hands: list[Hand] = []
        self.coming = 0  # workers that are being made
        self.early_deaths = 0  # one after the other, of workers that had begun nothing
        self.changed = True  # since it was shown
        self.next_number = 0
        self.results = Results(stage, behind)
        self.in_flight = 0  # calls
        self.error: BaseException | None = None
        self.fails_at: int | None = None
        self.ending = -1  # workers whose svc_end is not over; -1: not begun
        self.ended = False
        self._dealer = Dealer(stage, before)
        self._deaths: dict[int, int] = {}  # by the item's number, of workers that had it first
        self._alone: set[int] = set()  # numbers of items of which one did not come
        self._each = 0.0  # seconds an item takes, at present
        self._size = 1  # items of the last call

    # --- what is to be sent ---

    def next_batch(self) -> tuple[Hand, Batch] | None:
        """Raises what the functions of by() and scatter() do."""
        if self.behind.cancelled:
            return None
        if self.error is None and not self.coming and self.hands:
            self.next_number = self._dealer.deal(sorted(self.hands, key=lambda each: each.index), self.next_number)
        is_full = self._is_full()
        free = [each for each in self.hands if self._is_free(each)]
        hand = next((each for each in free if each.dealt and (not is_full or each.dealt[0][0] == self.results.due)), None)
        if hand is None and self.error is None and self._may_be_taken(is_full=is_full):
            hand = min(free, key=lambda each: len(each.calls), default=None)
        if hand is not None:
            return hand, self._batch_for(hand)
        for each in free:
            if each.for_room != is_full:
                each.for_room, self.changed = is_full, True
        return None

    def _is_full(self) -> bool:
        """Results wait for room behind them. What is due is done all the same."""
        return bool(self.results) and (len(self.results) >= self._most_open() or not self.behind.has_room())

    def _may_be_taken(self, *, is_full: bool) -> bool:
        """By who is free. In order, what waits to go round may be what is due."""
        rounds = self.results.rounds
        if len(rounds):
            return self.results.by_number or not is_full
        if is_full or rounds.under_way() >= self._most_open() or self.stage.dealing.kind != "free":
            return False
        return bool(self.before.items) and not isinstance(self.before.items[0][0], To)

    def _most_open(self) -> int:
        return MOST * max(1, len(self.hands))

    def _is_free(self, hand: Hand) -> bool:
        """A call behind a long one would wait while others are free."""
        return not hand.sending and len(hand.calls) < CALLS and not (hand.calls and (self.coming or self._each > PART))

    def _batch_for(self, hand: Hand) -> Batch:
        batch = Batch(self._taken(hand))
        self.report.taken += len(batch.items)
        self.changed = True
        if not hand.calls:
            self._count_idle(hand)
        hand.calls.append(batch)
        hand.sending = True
        self.in_flight += 1
        return batch

    def _taken(self, hand: Hand) -> list[tuple[int, Any]]:
        if hand.dealt:
            if self._goes_alone(hand.dealt[0][0]):
                return [hand.dealt.popleft()]
            return [hand.dealt.popleft() for _ in range(self._fitting(len(hand.dealt), 1)) if not self._goes_alone(hand.dealt[0][0])]
        if rounds := len(self.results.rounds):
            return [self.results.rounds.next() for _ in range(self._fitting(rounds, len(self.hands)))]
        taken: list[tuple[int, Any]] = []
        for _ in range(self._fitting(len(self.before.items), len(self.hands))):
            if isinstance(self.before.items[0][0], To):
                break
            taken.append((self.next_number, self.before.take()))
            self.next_number += 1
        return taken

    def _goes_alone(self, number: int) -> bool:
        """So that the item is found of which workers die, or which does not come."""
        return number in self._deaths or number in self._alone

    def _fitting(self, here: int, hands: int) -> int:
        if self.is_async:
            return min(here, MOST)
        share = max(1, here // (CALLS * hands))
        by_time = int(PART / self._each) if self._each else 1
        self._size = max(1, min(MOST, share, by_time, 4 * self._size))
        return self._size

    def _count_idle(self, hand: Hand) -> None:
        now = time.monotonic()
        idle, hand.since = now - hand.since, now
        if hand.for_room:
            self.report.waited_for_room += idle
        else:
            self.report.waited_for_input += idle
        hand.for_room = False

    # --- what came back ---

    def answered(self, hand: Hand, batch: Batch) -> None:
        hand.calls.remove(batch)
        self.in_flight -= 1
        hand.since, self.changed = time.monotonic(), True

    def take(self, hand: Hand, batch: Batch, answer: Answer) -> None:
        """Fewer results than items: the worker had failed. Raises what is wrong with them."""
        self.report.busy += answer.busy
        if answer.results:
            took = max(answer.busy, 1e-7) / len(answer.results)
            self._each = took if not self._each else (self._each + took) / 2
        for number, result in zip(batch.numbers, answer.results, strict=False):
            outputs = [result] if answer.flat else result
            self.results.take(number, hand.index, outputs, workers=len(self.hands), rounds=answer.rounds)

    def died(self, hand: Hand, batch: Batch) -> int | None:
        """A worker, with a call of this batch in it. What it had waits for the next one. Returns the item of which as many died as may."""
        if not hand.is_dead:
            hand.is_dead = True
            self.hands.remove(hand)
            self.coming += 1
            for number in hand.calls[0].numbers:  # one of these was it, the call behind had not begun
                self._deaths[number] = self._deaths.get(number, 0) + 1
            for call in reversed(hand.calls):
                self._take_back(hand, call)
        self.answered(hand, batch)
        return next((number for number in batch.numbers if self._deaths.get(number, 0) >= MOST_DEATHS), None)

    def sent_alone(self, hand: Hand, batch: Batch) -> None:
        """What was sent in one call and did not come."""
        self._alone.update(batch.numbers)
        self._take_back(hand, batch)
        if self.error is not None:
            self._leave_undone(hand)

    def _take_back(self, hand: Hand, batch: Batch) -> None:
        """What it was sent is dealt to it once more, before all else."""
        hand.dealt.extendleft(reversed(batch.dealt()))
        self.report.taken -= len(batch.items)

    def _leave_undone(self, hand: Hand) -> None:
        """After an error, all but what lies before the item that failed."""
        hand.dealt = deque(each for each in hand.dealt if self.results.by_number and each[0] < (self.fails_at or 0))

    def fail(self, number: int, error: BaseException) -> None:
        if self.fails_at is None or number < self.fails_at:
            self.error, self.fails_at = error, number
            self.results.stops_at = number
        self.before.cancel()
        self.results.rounds.clear()
        for hand in self.hands:
            self._leave_undone(hand)

    def flush(self) -> bool:
        """Gives on what is due, as far as there is room. True: something went."""
        went = self.results.flush()
        self.report.given += went
        self.changed = self.changed or went > 0
        return went > 0

    def has_done(self) -> bool:
        """Its results have all gone on."""
        if self.ended or self.behind.cancelled:
            return True
        if self.in_flight or not self.before.closed or self.before.items or any(hand.dealt for hand in self.hands):
            return False
        if self.error is None and len(self.results.rounds):  # what goes round is not done any more after an error
            return False
        return self.results.is_over()
