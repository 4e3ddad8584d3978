# SPDX-License-Identifier: Apache-2.0
"""Makes the workers of a stage at their places, and calls them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo.errors import GoneError
from octavo.objects.futures import outcome_of
from octavo.objects.serving.workers import sent_as
from octavo.objects.trust import here
from octavo.streams.running.crew import MOST_DEATHS, Crew
from octavo.streams.running.ending import begin_to_end, note
from octavo.streams.running.hands import Dealt, Hand
from octavo.streams.worker import AsyncStageWorker, StageWorker

if TYPE_CHECKING:
    from octavo.streams.running.flow import Flow

Then = Callable[[Crew, Hand, tuple[bool, Any]], None]


def begin_call(crew: Crew, hand: Hand, method: str, arguments: tuple[Any, ...], then: Then) -> None:
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


class Hiring:
    def __init__(self, flow: Flow, crew: Crew) -> None:
        self._flow, self._crew = flow, crew
        self._what = sent_as(crew.stage.what) if not here.pickle else crew.stage.what

    def all(self) -> None:
        for index in range(self._crew.stage.worker_count()):
            with self._flow.lock:
                self._crew.coming += 1
            self.one(index)

    def one(self, index: int, before: Dealt | None = None) -> None:
        """It is counted as coming already. ``before``: what the worker in whose place it is had."""
        crew, stage = self._crew, self._crew.stage
        place = stage.places[index % len(stage.places)]
        threads = 0 if place._where()[0] else max(1, (os.cpu_count() or 1) // stage.worker_count())
        try:
            making = place._begin(AsyncStageWorker if crew.is_async else StageWorker, (self._what, stage.arguments, stage.keywords, threads), {})
        except Exception as error:
            note(error, f"in stage '{stage.name}' of a stream")
            raise
        making._when_answered(partial(self._is_made, index, before, making))

    def _is_made(self, index: int, before: Dealt | None, making: Any) -> None:
        flow, crew = self._flow, self._crew
        error = making.exception()
        if error is not None:
            if self._dies_early(error):
                self.one(index, before)
                return
            with flow.lock:
                crew.coming -= 1
            flow.failed(crew, 0, error)
            return
        hand = Hand(making.result(), index, before)
        hand.sending = True
        with flow.lock:
            is_late = flow.cancelled
            if not is_late:
                crew.hands.append(hand)
        if is_late:
            begin_to_end([hand])
            return
        begin_call(crew, hand, "pid", (), self._is_known)
        begin_call(crew, hand, "begin", (), self._has_begun)

    @staticmethod
    def _is_known(_crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        hand.pid = value if worked else 0

    def _has_begun(self, crew: Crew, hand: Hand, outcome: tuple[bool, Any]) -> None:
        worked, value = outcome
        if not worked and self._dies_early(value):
            with self._flow.lock:
                hand.is_dead = True
                crew.hands.remove(hand)
            self.one(hand.index, hand.dealt)
            return
        with self._flow.lock:
            crew.coming -= 1
            crew.early_deaths = 0
            hand.sending = not worked
            hand.begins = False
            hand.since = time.monotonic()
            crew.changed = True
        if worked:
            self._flow.pump()
        else:
            self._flow.failed(crew, 0, value)

    def _dies_early(self, error: BaseException) -> bool:
        """A worker that has begun nothing yet, which another one is to be made for."""
        if not (self._crew.stage.redoes and isinstance(error, GoneError)):
            return False
        with self._flow.lock:
            self._crew.early_deaths += 1
            return self._crew.early_deaths < MOST_DEATHS and not self._flow.cancelled
