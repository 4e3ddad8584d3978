# SPDX-License-Identifier: Apache-2.0
"""Async generators of objects: their steps run on the object's event loop, so that other calls begin while one awaits (C-12)."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import itertools
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from kit import wait_for

pytestmark = pytest.mark.timeout(60)

note = contextvars.ContextVar("note", default="nobody's")


class Feed:
    def __init__(self) -> None:
        self.queue: asyncio.Queue[int] = asyncio.Queue()
        self.value = self.made = self.ended = 0
        self.runs = False

    def put(self, number: int) -> None:
        self.queue.put_nowait(number)

    async def items(self) -> AsyncGenerator[int, None]:
        try:
            while True:
                yield await self.queue.get()
        finally:
            await asyncio.sleep(0)
            self.ended += 1

    async def count(self, n: int, rounds: int = 0) -> AsyncGenerator[int, None]:
        """Awaits that often before each."""
        for i in range(n):
            for _ in range(rounds):
                await asyncio.sleep(0)
            self.made += 1
            yield i

    async def values(self) -> AsyncGenerator[int, None]:
        while True:
            await asyncio.sleep(0.001)
            yield self.value

    def set(self, value: int) -> bool:
        self.value = value
        return self.runs

    async def long_steps(self) -> AsyncGenerator[int, None]:
        for i in range(5):
            await asyncio.sleep(0)
            self.runs = True
            time.sleep(0.02)
            self.runs = False
            yield i

    async def failing(self, n: int) -> AsyncGenerator[int, None]:
        for i in range(n):
            yield i
        await asyncio.sleep(0)
        raise KeyError(n)

    async def notes(self, n: int) -> AsyncGenerator[str, None]:
        note.set("its own")
        for _ in range(n):
            await asyncio.sleep(0)
            yield note.get()

    async def leaves(self, path: str) -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            Path(path).touch()

    async def stubborn(self) -> AsyncGenerator[int, None]:
        """Is not cancelled."""
        for i in range(100):
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.value += 1
            yield i

    def reads(self, me: Any) -> list[int]:
        return list(me.count(100, 1))

    async def awaits(self, me: Any) -> list[int]:
        return [i async for i in await octavo.start(me.count, 100, 1)]


@pytest.fixture(params=["process", "thread"])
def feed(request: pytest.FixtureRequest) -> Iterator[Any]:
    with octavo.scoped(getattr(octavo, request.param).make(Feed)) as made:
        yield made


def test_one_that_waits_for_its_own_object(feed: Any) -> None:
    stream = feed.items()
    for i in range(10):
        feed.put(i)
        assert next(stream) == i
    for i in range(100):
        feed.put(i)
    assert list(itertools.islice(stream, 100)) == list(range(100))


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_two_are_read_in_turn(feed: Any, rounds: int) -> None:
    assert list(zip(feed.count(200, rounds), feed.count(200, 1), strict=True)) == [(i, i) for i in range(200)]


def test_two_wait_at_once(feed: Any) -> None:
    """Neither holds up the other."""
    never, stream = feed.items(), feed.count(100, 1)
    assert list(stream) == list(range(100))
    feed.put(5)
    assert next(never) == 5


def test_methods_are_called_between(feed: Any) -> None:
    stream = feed.values()
    for value in (1, 2, 3):
        feed.set(value)
        while next(stream) != value:
            pass


def test_c12_no_method_runs_beside_a_step(feed: Any) -> None:
    stream = feed.long_steps()
    assert not any(feed.set(i) for i in range(200))
    assert list(stream) == list(range(5))


def test_what_it_raises_comes_after_its_items(feed: Any) -> None:
    got = []
    with pytest.raises(KeyError, match="100"):
        got.extend(iter(feed.failing(100)))
    stream = feed.failing(3)
    assert [next(stream) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="3"):
        next(stream)
    with pytest.raises(KeyError, match="0"):
        next(feed.failing(0))


def test_it_ends_when_it_is_closed_also_while_it_awaits(feed: Any) -> None:
    stream = feed.items()
    stream.close()
    wait_for(lambda: feed.ended == 1, 20, "one whose first item is awaited has ended")
    with pytest.raises(StopIteration):
        next(stream)
    stream = feed.items()
    feed.put(1)
    assert next(stream) == 1
    del stream
    gc.collect()
    wait_for(lambda: feed.ended == 2, 20, "one that was dropped has ended")


def test_one_that_is_not_cancelled_is_closed(feed: Any) -> None:
    feed.stubborn().close()
    wait_for(lambda: feed.value == 1, 20, "it has gone on")
    assert list(feed.count(3)) == [0, 1, 2]


def test_it_is_no_more_than_two_batches_ahead(feed: Any) -> None:
    stream = feed.count(10**9)
    wait_for(lambda: feed.made > 0, 20, "it has begun")
    time.sleep(0.05)
    assert feed.made <= 2
    assert list(itertools.islice(stream, 1000)) == list(range(1000))
    assert feed.made <= 1000 + 3 * 64


def test_it_is_read_with_async_for(feed: Any) -> None:
    async def read(n: int) -> list[int]:
        return [i async for i in feed.count(n, 1)]

    async def both() -> list[list[int]]:
        return list(await asyncio.gather(read(100), read(200)))

    assert asyncio.run(both()) == [list(range(100)), list(range(200))]


def test_its_context_is_its_own_from_the_first_step_to_the_last(feed: Any) -> None:
    assert list(feed.notes(200)) == ["its own"] * 200


def test_its_object_reads_it(feed: Any) -> None:
    assert octavo.start(feed.reads, feed).result(20) == list(range(100))
    assert octavo.start(feed.awaits, feed).result(20) == list(range(100))


@pytest.mark.parametrize("place", [octavo.process, octavo.thread], ids=["process", "thread"])
def test_it_ends_with_its_object(place: octavo.Place, tmp_path: Path) -> None:
    made, path = place.make(Feed), tmp_path / "left"
    stream: Any = made.leaves(str(path))
    assert next(stream) == 1
    octavo.destroy(made)
    assert path.exists()
    with pytest.raises(octavo.GoneError, match="ended before"):  # and no end, as if that were all
        next(stream)
