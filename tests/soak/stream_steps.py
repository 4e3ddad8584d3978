# SPDX-License-Identifier: Apache-2.0
"""Steps of objects_program.py: streams of random stages, dealt and bounded at random, whose workers die, and which are left in the middle."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import octavo as ov


def with_pid(x: int) -> tuple[int, int]:
    return x + 1, os.getpid()


class Repeat:
    def __init__(self, most: int) -> None:
        self.most = most

    def svc(self, x: int) -> Iterator[int]:
        yield from [x] * (x % (self.most + 1))


class CountDown:
    """Feeds back what is no multiple."""

    def __init__(self, of: int) -> None:
        self.of = of

    def svc(self, x: int) -> Iterator[int | ov.Again[int]]:
        yield ov.Again(x - 1) if x % self.of else x


def expected(kind: type[Any], number: int, items: list[int]) -> list[int]:
    if kind is Repeat:
        return [x for x in items for _ in range(x % (number + 1))]
    return [x - x % number for x in items]


class StreamSteps:
    def __init__(self, choices: random.Random) -> None:
        self._random = choices

    def _farm(self, kind: type[Any], number: int) -> Any:
        farm = ov.farm(kind, number).workers(self._random.randrange(1, 4)).bound(self._random.choice([1, 2, 3, 100]))
        deals = self._random.choice(["free", "turn", "key"]) if kind is Repeat else "free"
        dealt = farm.round_robin() if deals == "turn" else farm.by(abs) if deals == "key" else farm
        return dealt.on(self._random.choice([ov.process, ov.thread]))

    def flows(self) -> None:
        kinds = [(self._random.choice([Repeat, CountDown]), self._random.randrange(1, 4)) for _ in range(self._random.randrange(1, 3))]
        items = list(range(self._random.randrange(100)))
        stream = ov.pipeline(*(self._farm(kind, number) for kind, number in kinds))
        right = items
        for kind, number in kinds:
            right = expected(kind, number, right)
        last = self._random.randrange(2 * len(right) + 1)
        got = []
        with stream(items) as results:
            for result in results:
                got.append(result)
                if len(got) == last:
                    break
        assert got == (right[:last] if 0 < last <= len(right) else right), (kinds, len(items), last)

    def joins(self) -> None:
        """A stream that goes on in another one, which takes all of it, or leaves it."""
        box: ov.StreamBox[int] = ov.StreamBox(f"joint {self._random.getrandbits(64):x}", messages=self._random.choice([1, 8, 256]))
        count = self._random.randrange(500)
        last = self._random.randrange(2 * count + 1)
        with ThreadPoolExecutor(1) as executor:
            gives = executor.submit(lambda: ov.pipeline(range(count)).run(into=box).delivered)
            got = []
            for x in box:
                got.append(x)
                if len(got) == last:
                    break
            assert got == list(range(count))[: last if 0 < last <= count else count], (count, last)
            left = gives.exception()
            assert gives.result() == count if left is None else isinstance(left, ov.Cancelled), (count, last)

    def worker_dies(self) -> None:
        """While it works, or between two items; what it had is done by the next one."""
        kills = self._random.randrange(3)
        got = []
        for x, pid in ov.pipeline(ov.farm(with_pid).workers(2).on_death("redo").bound(20))(range(500)):
            got.append(x)
            if kills and self._random.random() < 0.02:
                kills -= 1
                with contextlib.suppress(ProcessLookupError):  # it was killed before
                    os.kill(pid, signal.SIGKILL)
        assert got == list(range(1, 501))
