# SPDX-License-Identifier: Apache-2.0
"""Random streams against their functions one after the other: ST-1 to ST-4, ST-7 to ST-9.

Stages of all forms, nested, dealt, fed back, at both places, with bounds of 1, 2 and 3; some of them raise, and their workers are killed, at any instant.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import octavo
import pytest
from streams_kit import count_down, digits, nothing_is_left

pytestmark = pytest.mark.timeout(300)


@dataclass
class Step:
    """One stage: how many results it gives to an item, where it raises, how long it takes."""

    most: int
    fails_at: int
    grain: float

    def svc(self, x: int) -> Iterator[int]:
        if self.grain:
            time.sleep(self.grain * (x % 3))
        if x == self.fails_at:
            raise ArithmeticError(str(x))
        for i in range(x % (self.most + 1) if self.most > 1 else 1):
            yield x + i


def total(parts: list[int]) -> int:
    return sum(parts)


class Form(NamedTuple):
    """Stages, and what they give to an item."""

    stages: list[Any]
    gives: Callable[[int], list[int]]


class Forms:
    """fails: some raise, at any item. redone: what dies is done again."""

    def __init__(self, choices: random.Random, *, fails: bool, redone: bool = False) -> None:
        self._some, self._fails, self._redone = choices, fails, redone

    def _step(self) -> Step:
        fails_at = self._some.choice([-1, -1, self._some.randrange(200)]) if self._fails else -1
        return Step(self._some.choice([1, 1, 2, 3]), fails_at, self._some.choice([0, 0, 0.0005]))

    def _set(self, farm: Any, workers: int) -> Any:
        place = octavo.process if self._redone else self._some.choice([octavo.thread, octavo.thread, octavo.thread, octavo.process])
        made = farm.workers(workers).bound(self._some.choice([1, 2, 3, 50])).on(place)
        return made.stateless().on_death("redo") if self._redone else made

    def any(self) -> Form:
        return self._some.choice([self.dealt, self.dealt, self.to_all, self.in_parts, self.nested, self.loop])()

    def dealt(self) -> Form:
        step = self._step()
        farm = self._set(octavo.farm(Step, *vars(step).values()), self._some.choice([1, 2, 3]))
        return Form([self._some.choice([farm, farm.round_robin(), farm.by(abs)])], lambda x: list(step.svc(x)))

    def to_all(self) -> Form:
        step, workers = self._step(), self._some.choice([1, 2, 3])
        return Form([self._set(octavo.farm(Step, *vars(step).values()).broadcast(), workers)], lambda x: list(step.svc(x)) * workers)

    def in_parts(self) -> Form:
        step, workers = self._step(), self._some.choice([1, 2, 3])
        stages = [self._set(octavo.farm(Step, *vars(step).values()).scatter(digits).gather(), workers), self._set(octavo.farm(total), 1)]
        return Form(stages, lambda x: [sum(each for part in digits(x, workers) for each in step.svc(part))])

    def nested(self) -> Form:
        first, second = self._step(), self._step()
        inner = octavo.pipeline(*(octavo.stage(Step, *vars(each).values()) for each in (first, second)))
        return Form([self._set(octavo.farm(inner), self._some.choice([1, 2, 3]))], lambda x: [each for mid in first.svc(x) for each in second.svc(mid)])

    def loop(self) -> Form:
        return Form([self._set(octavo.farm(count_down), self._some.choice([1, 2, 3]))], lambda x: [x - x % 10])


def one_after_the_other(items: list[int], forms: list[Form]) -> tuple[list[int], int, str]:
    """What comes of them; how many results do before the item of the source that fails; and its error."""
    got: list[int] = []
    for item in items:
        whole = len(got)
        results = [item]
        try:
            for form in forms:
                results = [each for result in results for each in form.gives(result)]
        except ArithmeticError as error:
            return got, whole, str(error)
        got += results
    return got, len(got), ""


def outcome(s: Any, items: list[int]) -> tuple[list[int], str]:
    got: list[int] = []
    try:
        s.run(items, into=got.append)
    except ArithmeticError as error:
        return got, str(error)
    return got, ""


def some_forms(some: random.Random, forms: Forms) -> list[Form]:
    return [forms.any() for _ in range(some.choice([1, 2, 3]))]


def stream_of(forms: list[Form]) -> Any:
    return octavo.pipeline(*(stage for form in forms for stage in form.stages))


@pytest.mark.parametrize("seed", range(6))
def test_st3_random_streams_are_as_their_functions(seed: int) -> None:
    some = random.Random(seed)
    for _ in range(4):
        items = list(range(some.randrange(200)))
        forms = some_forms(some, Forms(some, fails=some.choice([True, False])))
        expected, whole, error = one_after_the_other(items, forms)
        got, raised = outcome(stream_of(forms), items)
        assert bool(raised) == bool(error), (raised, error)
        if error:  # of its item some results may have gone on, of which one fails in another stage
            assert got[:whole] == expected
        else:
            assert got == expected
    nothing_is_left()


@pytest.mark.parametrize("seed", range(3))
def test_st4_a_consumer_may_stop_at_any_instant(seed: int) -> None:
    some = random.Random(seed)
    for _ in range(4):
        items = list(range(some.randrange(200)))
        forms = some_forms(some, Forms(some, fails=False))
        expected, _, _ = one_after_the_other(items, forms)
        last = some.randrange(len(expected) + 2)
        got: list[int] = []
        with stream_of(forms)(items) as results:
            for result in results:
                got.append(result)
                if len(got) == last:
                    break
        assert got == (expected[:last] if last else expected)
    nothing_is_left()


def kill_some(some: random.Random, over: threading.Event, most: int) -> None:
    """Workers, at any instant. Fewer than an item may be the death of."""
    for _ in range(most):
        if over.wait(some.random() / 20):
            return
        here = [each.pid for each in octavo.watching.processes() if each.agent_pid == os.getpid() and each.pid != os.getpid()]
        if here:
            with contextlib.suppress(ProcessLookupError):
                os.kill(some.choice(here), signal.SIGKILL)


@pytest.mark.parametrize("seed", range(4))
def test_st9_random_streams_are_the_same_whose_workers_are_killed(seed: int) -> None:
    some = random.Random(seed)
    for _ in range(2):
        items = list(range(some.randrange(200)))
        forms = some_forms(some, Forms(some, fails=False, redone=True))
        over = threading.Event()
        killer = threading.Thread(target=kill_some, args=(random.Random(seed), over, 2))
        killer.start()
        try:
            got, raised = outcome(stream_of(forms), items)
        finally:
            over.set()
            killer.join()
        assert raised == ""
        assert got == one_after_the_other(items, forms)[0]
    nothing_is_left()
