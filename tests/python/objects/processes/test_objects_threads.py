# SPDX-License-Identifier: Apache-2.0
"""Methods that wait, outside of Octavo, for threads of theirs which call other objects: what is answered to those is read meanwhile."""

from __future__ import annotations

import asyncio
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from hosted_classes import Counter, Process

pytestmark = pytest.mark.timeout(60)


class Asker(Process):
    """Asks other objects on threads."""

    def by_thread(self, other: Any, times: int = 1) -> list[int]:
        got: list[int] = []

        def ask() -> None:
            got.extend(other.add(1) for _ in range(times))

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        return got

    async def by_coroutine(self, other: Any) -> int:
        return await asyncio.to_thread(other.add, 1)

    def by_event_loop(self, other: Any) -> int:
        async def ask() -> int:
            return await asyncio.to_thread(other.add, 1)

        return asyncio.run(ask())

    def by_pool(self, other: Any, n: int) -> list[int]:
        with ThreadPoolExecutor(4) as pool:
            return sorted(pool.map(other.add, [1] * n))

    def with_array(self, sent: Any, other: Any) -> tuple[float, list[int]]:
        return float(sent.sum()), self.by_thread(other)

    def make_on_a_thread(self) -> int:
        made: queue.Queue[Any] = queue.Queue()
        thread = threading.Thread(target=lambda: made.put(octavo.process.make(Counter, 3)))
        thread.start()
        thread.join()
        return int(made.get().add(1))

    def ask_that_asks_back(self, me: Any, other: Any) -> list[int]:
        """While a thread waits, this method calls one that calls back."""
        got: list[int] = []
        thread = threading.Thread(target=lambda: got.append(other.by_pool(self.counter, 3)[-1]))
        thread.start()
        got.append(octavo.start(other.call_back, me).result(20))
        thread.join()
        return got

    def call_back(self, asker: Any) -> int:
        return int(asker.pid())

    def have(self, counter: Any) -> None:
        self.counter = counter

    def begin_waiting(self, other: Any, file: str, began: str) -> None:
        self.waiting = threading.Thread(target=lambda: other.hold(file, began))
        self.waiting.start()

    def join(self) -> bool:
        self.waiting.join(20)
        return self.waiting.is_alive()

    def value(self) -> int:
        return 5


@pytest.fixture(params=["process", "thread"])
def asker(request: pytest.FixtureRequest) -> Asker:
    return getattr(octavo, request.param).make(Asker)  # type: ignore[no-any-return]


@pytest.fixture
def counter() -> Counter:
    return octavo.process.make(Counter, 0)


def test_a_method_waits_for_its_thread(asker: Asker, counter: Counter) -> None:
    assert asker.by_thread(counter) == [1]
    assert asker.by_thread(counter, 200) == list(range(2, 202))


def test_a_coroutine_awaits_a_thread(asker: Asker, counter: Counter) -> None:
    assert asker.by_coroutine(counter) == 1  # type: ignore[comparison-overlap]
    futures = [octavo.start(asker.by_coroutine, counter) for _ in range(20)]
    assert sorted(f.result(20) for f in futures) == list(range(2, 22))


def test_an_event_loop_in_a_method_awaits_a_thread(asker: Asker, counter: Counter) -> None:
    assert [asker.by_event_loop(counter) for _ in range(3)] == [1, 2, 3]


def test_many_threads_ask_at_once(asker: Asker, counter: Counter) -> None:
    assert asker.by_pool(counter, 100) == list(range(1, 101))


@pytest.mark.parametrize("elements", [10, 1 << 16, 1 << 20])
def test_after_an_array_was_received_where_it_lies(asker: Asker, counter: Counter, elements: int) -> None:
    for n in range(3):
        assert asker.with_array(np.ones(elements), counter) == (elements, [n + 1])


def test_a_thread_makes_an_object(asker: Asker) -> None:
    assert asker.make_on_a_thread() == 4


def test_callbacks_run_while_a_thread_waits(asker: Asker, counter: Counter) -> None:
    other = octavo.process.make(Asker)
    asker.have(counter)
    got = asker.ask_that_asks_back(asker, other)
    assert sorted(got) == sorted([3, asker.pid()])


def test_calls_are_served_while_a_thread_of_the_object_waits(asker: Asker, tmp_path: Path) -> None:
    other = octavo.process.make(Counter, 0)
    asker.begin_waiting(other, f"{tmp_path}/go", f"{tmp_path}/began")
    assert [asker.value() for _ in range(2000)] == [5] * 2000
    (tmp_path / "go").touch()
    assert not asker.join()
