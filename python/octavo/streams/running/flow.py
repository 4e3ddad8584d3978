# SPDX-License-Identifier: Apache-2.0
"""One run of a stream. Answers of workers come on whichever thread reads; each brings on what it makes possible, and nobody waits with the lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from octavo import _core
from octavo.errors import Error, GoneError
from octavo.streams.fitting import call_in
from octavo.streams.report import StreamReport
from octavo.streams.running.belt import Belt
from octavo.streams.running.crew import MOST_DEATHS, Crew
from octavo.streams.running.ending import end_workers, note
from octavo.streams.running.hands import Batch, Hand
from octavo.streams.running.hiring import Hiring, begin_call
from octavo.streams.running.showing import Showing
from octavo.streams.running.source import Source
from octavo.streams.stages import BOUND_BYTES, BOUND_ITEMS, Stage
from octavo.streams.worker import Answer, is_async


class Flow:
    """``items``: of the source. Begins at once."""

    def __init__(self, items: Iterator[Any], stages: list[Stage[Any, Any]]) -> None:
        self.lock = threading.Lock()
        self.began, self.seconds = time.monotonic(), 0.0
        self.cancelled = False
        self._signals: list[Any] = []
        bounds = [(stage.name, stage.most_items, stage.most_bytes) for stage in stages]
        belts = [Belt(*bound) for bound in (*bounds, ("", BOUND_ITEMS, BOUND_BYTES))]
        self.out = belts[-1]
        self.crews = [Crew(stage, belts[i], belts[i + 1], is_async=is_async(call_in(stage.what))) for i, stage in enumerate(stages)]
        self.delivered = 0
        self.source = Source(items, belts[0], self)
        self._showing = Showing(self.crews)
        try:
            for crew in self.crews:
                Hiring(self, crew).all()
        except BaseException:
            self.end()
            raise
        self.source.begin()

    # --- items ---

    def pump(self) -> None:
        """Brings on what can be."""
        while True:
            with self.lock:
                self.source.refill()
                step = next((step for crew in reversed(self.crews) if (step := self._step_of(crew)) is not None), None)
                if step is None:
                    self._showing.show(self.source.given, self.delivered)
                self._tell()
            if step is None:
                return
            step()

    def _step_of(self, crew: Crew) -> Callable[[], None] | None:
        """What is to be done for a crew next, without the lock."""
        try:
            if crew.flush():
                return self._nothing_more
        except Exception as error:  # the stage behind takes no more
            return partial(self.failed, crew, crew.results.due, error)
        try:
            chosen = crew.next_batch()
        except Exception as error:  # of a function of by() or scatter()
            return partial(self.failed, crew, crew.next_number, error)
        if chosen is not None:
            return partial(self._send, crew, *chosen)
        if crew.ending < 0 and not crew.coming and crew.has_done():
            crew.behind.closed = crew.changed = True
            crew.ending = 0 if crew.error is not None or crew.behind.cancelled else len(crew.hands)
            crew.ended = crew.ending == 0
            return partial(self._end_workers, crew)
        return None

    def _nothing_more(self) -> None:
        """Results went on: the next stage may have something to do."""

    def _send(self, crew: Crew, hand: Hand, batch: Batch) -> None:
        begin_call(crew, hand, "run_async" if crew.is_async else "run", (batch.items, batch.numbers[0]), partial(self._answered, batch))
        with self.lock:
            hand.sending = False

    def _end_workers(self, crew: Crew) -> None:
        for hand in list(crew.hands) if crew.ending else ():
            begin_call(crew, hand, "end", (), self._has_ended)

    def _answered(self, batch: Batch, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        if worked:
            self._take(crew, hand, batch, value)
        elif not isinstance(value, GoneError):
            begin_call(crew, hand, "before", (batch.numbers[0], len(batch.items)), partial(self._partly, batch, value))
        elif crew.stage.redoes:
            self._redo(crew, hand, batch, value)
        else:
            with self.lock:
                crew.answered(hand, batch)
            self.failed(crew, batch.numbers[0], value, batch.told())

    def _take(self, crew: Crew, hand: Hand, batch: Batch, answer: Answer) -> None:
        wrong: Exception | None = None
        with self.lock:
            crew.answered(hand, batch)
            try:
                if not hand.is_dead:  # else another one has had its items since it was found so
                    crew.take(hand, batch, answer)
            except Error as error:
                wrong = error
        if wrong is None:
            self.pump()
        else:
            self.failed(crew, batch.numbers[0], wrong)

    def _partly(self, batch: Batch, error: BaseException, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        """The results of the items before the one that raised. Where they did not come they are sent one by one, so that it is known which is wrong."""
        worked, value = outcome
        before: Answer = value if worked else Answer(0.0, False, [])
        with self.lock:
            crew.answered(hand, batch)
            is_done_again = hand.is_dead or not before.came
            if not hand.is_dead and not before.came:
                crew.sent_alone(hand, batch)
            elif not is_done_again:
                crew.take(hand, batch, before)
        if is_done_again:
            self.pump()
        else:
            self.failed(crew, batch.numbers[len(before.results)], error)

    def _redo(self, crew: Crew, hand: Hand, batch: Batch, error: GoneError) -> None:
        """Another worker, which has what this one had."""
        with self.lock:
            is_first = not hand.is_dead
            deadly = crew.died(hand, batch)
            is_wanted = deadly is None and not self.cancelled
            if is_first and not is_wanted:
                crew.coming -= 1
        if deadly is not None:
            note(error, f"item {deadly} of stage '{crew.stage.name}' of a stream, of which {MOST_DEATHS} workers died")
            self.failed(crew, deadly, error)
        elif is_first and is_wanted:
            Hiring(self, crew).one(hand.index, hand.dealt)
        else:
            self.pump()

    def failed(self, crew: Crew, number: int, error: BaseException, items: str = "") -> None:
        """items: one of which it was, where it is not known which."""
        with self.lock:
            crew.fail(number, error)
            for each in self.crews[: self.crews.index(crew)]:
                each.before.cancel()
            self.source.stop()
        note(error, f"in stage '{crew.stage.name}' of a stream, {items or f'item {number}'}")
        self.pump()

    def _has_ended(self, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        with self.lock:
            crew.ending -= 1
            has_raised = not worked and not (crew.stage.redoes and isinstance(value, GoneError))
            if has_raised and crew.error is None:
                crew.error, crew.fails_at = value, crew.next_number
            crew.ended = crew.ending == 0
            self._tell()

    # --- who reads ---

    def _tell(self) -> None:
        """With the lock."""
        if self._signals and (self.out.items or self.is_over()):
            for waiting in self._signals:
                waiting.set()
            self._signals.clear()

    def is_over(self) -> bool:
        return self.cancelled or (all(crew.ended for crew in self.crews) and self.source.is_over() and (self.out.closed or not self.crews))

    def take(self) -> tuple[bool, Any]:
        """The next result; or False at the end, where the error is raised if there was one."""
        while True:
            with self.lock:
                if self.out.items:
                    item = self.out.take()
                    self.delivered += 1
                    is_low = len(self.out.items) * 2 <= self.out.most_items
                    waiting = None
                elif self.is_over():
                    break
                else:
                    self._showing.show(self.source.given, self.delivered)
                    waiting = _core.Signal()
                    self._signals.append(waiting)
            if waiting is None:
                if is_low:
                    self.pump()
                return True, item
            waiting.wait(None)
        self.end()
        error = next((crew.error for crew in reversed(self.crews) if crew.error is not None), self.source.error)
        if error is not None:
            if not all(crew.stage.in_order for crew in self.crews):
                note(error, f"{self.delivered} results were given before, in no order", of="results")
            raise error
        return False, None

    def report(self) -> StreamReport:
        report = StreamReport(delivered=self.delivered, seconds=self.seconds)
        if self.source.error is not None:
            report.failed_stage, report.failed_item = "source", self.source.given
        came = self.source.given
        for crew in self.crews:
            crew.report.left = max(0, came - crew.report.taken)
            came = crew.report.given
            report.stages.append(crew.report)
            if crew.error is not None:
                report.failed_stage, report.failed_item = crew.stage.name, crew.fails_at or 0
        return report

    def end(self) -> None:
        """Nothing is left when this returns. May be called again."""
        with self.lock:
            if self.cancelled:
                return
            self.cancelled = True
            self.seconds = time.monotonic() - self.began
            self.source.stop()
            for crew in self.crews:
                crew.before.cancel()
            self.out.cancel()
            hands = [hand for crew in self.crews for hand in crew.hands]
            self._showing.end()
            self._tell()
        self.source.let_go()
        end_workers(hands)
