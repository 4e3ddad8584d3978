# SPDX-License-Identifier: Apache-2.0
"""Random streams against their functions one after the other: ST-1 to ST-3, ST-7."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import octavo
import pytest
from streams_kit import nothing_is_left

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


def one_after_the_other(items: list[int], steps: list[Step]) -> tuple[list[int], str]:
    def through(x: int, rest: list[Step]) -> Iterator[int]:
        if not rest:
            yield x
            return
        for each in list(rest[0].svc(x)):
            yield from through(each, rest[1:])

    got: list[int] = []
    try:
        for item in items:
            for each in through(item, steps):
                got.append(each)
    except ArithmeticError as error:
        return got, str(error)
    return got, ""


def outcome(s: Any, items: list[int]) -> tuple[list[int], str]:
    got: list[int] = []
    try:
        s.run(items, into=got.append)
    except ArithmeticError as error:
        return got, str(error)
    return got, ""


@pytest.mark.parametrize("seed", range(3))
def test_st3_random_streams_are_as_their_functions(seed: int) -> None:
    some = random.Random(seed)
    for _ in range(4):
        items = list(range(some.randrange(200)))
        steps = [
            Step(some.choice([1, 1, 2, 3]), some.choice([-1, -1, some.randrange(200)]), some.choice([0, 0, 0.0005])) for _ in range(some.choice([1, 2, 3]))
        ]
        place = some.choice([octavo.thread, octavo.thread, octavo.thread, octavo.process])
        parts = [octavo.farm(Step, *vars(each).values()).workers(some.choice([1, 2, 3])).bound(some.choice([1, 2, 3, 50])).on(place) for each in steps]
        parts[-1] = some.choice([parts[-1], parts[-1].round_robin(), parts[-1].by(abs)])
        expected, error = one_after_the_other(items, steps)
        got, raised = outcome(octavo.pipeline(*parts), items)
        assert raised == error
        if error:  # what the failing item gave before may not be told apart from what it would have given
            assert got == expected[: len(got)]
            assert len(expected) - len(got) <= 3 * 3 * 3
        else:
            assert got == expected
    nothing_is_left()
