# SPDX-License-Identifier: Apache-2.0
"""One run of a stream. Answers of workers come on whichever thread reads; each brings on what it makes possible, and nobody waits with the lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from octavo import _core
from octavo.errors import GoneError
from octavo.objects.futures import outcome_of
from octavo.objects.serving.workers import sent_as
from octavo.objects.trust import here
from octavo.streams.belt import Belt
from octavo.streams.crew import Batch, Crew, Hand
from octavo.streams.description import BOUND_BYTES, BOUND_ITEMS, Stage, call_in
from octavo.streams.ending import begin_to_end, end_workers, note
from octavo.streams.report import StreamReport
from octavo.streams.source import Source
from octavo.streams.worker import Answer, AsyncStageWorker, StageWorker, is_async


class Flow:
    """``items``: of the source. Begins at once."""

    def __init__(self, items: Iterator[Any], stages: list[Stage[Any, Any]]) -> None:
        self.lock = threading.Lock()
        self.began, self.seconds = time.monotonic(), 0.0
        self.cancelled = False
        self._signals: list[Any] = []
        bounds = [(stage.most_items, stage.most_bytes) for stage in stages]
        belts = [Belt(*bound) for bound in (*bounds, (BOUND_ITEMS, BOUND_BYTES))]
        self.out = belts[-1]
        self.crews = [Crew(stage, belts[i], belts[i + 1], is_async=is_async(call_in(stage.what))) for i, stage in enumerate(stages)]
        self.delivered = 0
        self.source = Source(items, belts[0], self)
        try:
            for crew in self.crews:
                self._make(crew)
        except BaseException:
            self.end()
            raise
        self.source.begin()

    # --- workers ---

    def _make(self, crew: Crew) -> None:
        stage = crew.stage
        what = sent_as(stage.what) if not here.pickle else stage.what
        for number in range(stage.worker_count()):
            place = stage.places[number % len(stage.places)]
            try:
                making = place._begin(AsyncStageWorker if crew.is_async else StageWorker, (what, stage.arguments, stage.keywords), {})
            except Exception as error:
                note(error, f"in stage '{stage.name}' of a stream")
                raise
            crew.coming += 1
            making._when_answered(partial(self._is_made, crew, number, making))

    def _is_made(self, crew: Crew, number: int, making: Any) -> None:
        error = making.exception()
        if error is not None:
            with self.lock:
                crew.coming -= 1
            self._failed(crew, 0, error)
            return
        hand = Hand(making.result(), number)
        hand.sending = True
        with self.lock:
            is_late = self.cancelled
            if not is_late:
                crew.hands.append(hand)
        if is_late:
            begin_to_end([hand])
            return
        self._start(crew, hand, "pid", (), self._is_known)
        self._start(crew, hand, "begin", (), self._has_begun)

    def _is_known(self, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        hand.pid = value if worked else 0

    def _has_begun(self, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        with self.lock:
            crew.coming -= 1
            hand.sending = not worked
            hand.begins = False
            hand.idle_since = time.monotonic()
        if worked:
            self.pump()
        else:
            self._failed(crew, 0, value)

    def _start(self, crew: Crew, hand: Hand, method: str, arguments: tuple[Any, ...], then: Any) -> None:
        """then: called with the outcome, on the thread that reads."""
        try:
            begun = _core.start_method(getattr(hand.worker, method), *arguments)
        except Exception as error:
            then(crew, hand, (False, error))
            return
        reply: Any = begun._reply
        if reply is None:
            then(crew, hand, (False, begun.exception()))
            return
        begun._reply = None
        reply.on_ready(lambda: then(crew, hand, outcome_of(reply)))

    # --- items ---

    def pump(self) -> None:
        """Brings on what can be."""
        while True:
            with self.lock:
                self.source.refill()
                step = next((step for crew in reversed(self.crews) if (step := self._step_of(crew)) is not None), None)
                self._tell()
            if step is None:
                return
            step()

    def _step_of(self, crew: Crew) -> Callable[[], None] | None:
        """What is to be done for a crew next, without the lock."""
        if crew.flush():
            return self._nothing_more
        try:
            chosen = crew.next_batch()
        except Exception as error:  # of a function of by() or scatter()
            return partial(self._failed, crew, crew.next_number, error)
        if chosen is not None:
            return partial(self._send, crew, *chosen)
        if crew.ending < 0 and not crew.coming and crew.has_done():
            crew.behind.closed = True
            crew.ending = 0 if crew.error is not None or crew.behind.cancelled else len(crew.hands)
            crew.ended = crew.ending == 0
            return partial(self._end_workers, crew)
        return None

    def _nothing_more(self) -> None:
        """Results went on: the next stage may have something to do."""

    def _send(self, crew: Crew, hand: Hand, batch: Batch) -> None:
        self._start(crew, hand, "run_async" if crew.is_async else "run", (batch.items,), partial(self._answered, batch))
        with self.lock:
            hand.sending = False

    def _end_workers(self, crew: Crew) -> None:
        for hand in list(crew.hands) if crew.ending else ():
            self._start(crew, hand, "end", (), self._has_ended)

    def _answered(self, batch: Batch, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        if not worked and not isinstance(value, GoneError):
            self._start(crew, hand, "before", (), partial(self._partly, batch, value))
            return
        with self.lock:
            crew.answered(hand, batch)
            if worked:
                crew.take(hand, batch, value)
        if worked:
            self.pump()
        else:
            self._failed(crew, batch.numbers[0], value)

    def _partly(self, batch: Batch, error: BaseException, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        """The results of the items before the one that raised."""
        worked, value = outcome
        before = value if worked else []
        with self.lock:
            crew.answered(hand, batch)
            crew.take(hand, batch, Answer(0.0, flat=False, results=before))
        self._failed(crew, batch.numbers[len(before)], error)

    def _failed(self, crew: Crew, number: int, error: BaseException) -> None:
        with self.lock:
            crew.fail(number, error)
            for each in self.crews[: self.crews.index(crew)]:
                each.before.cancel()
            self.source.stop()
        note(error, f"in stage '{crew.stage.name}' of a stream, item {number}")
        self.pump()

    def _has_ended(self, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        with self.lock:
            crew.ending -= 1
            if not worked and crew.error is None:
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
                    waiting = _core.Signal()
                    self._signals.append(waiting)
            if waiting is None:
                if is_low:
                    self.pump()
                return True, item
            waiting.wait(None)
        self.end()
        for crew in reversed(self.crews):
            if crew.error is not None:
                raise crew.error
        if self.source.error is not None:
            raise self.source.error
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
            self._tell()
        end_workers(hands)
