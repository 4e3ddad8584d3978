# SPDX-License-Identifier: Apache-2.0
"""Results of generators and coroutines, executors, functions on places, arrays in the pool, and what objects print."""

from __future__ import annotations

import asyncio
import gc
import itertools
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import octavo
import pytest
from kit import wait_for

pytestmark = pytest.mark.timeout(60)


class Lines:
    def __init__(self) -> None:
        self.made, self.ended = 0, 0

    def count(self, n: int) -> Iterator[int]:
        try:
            for i in range(n):
                self.made += 1
                yield i
        finally:
            self.ended += 1

    def failing(self, n: int) -> Iterator[int]:
        yield from range(n)
        raise KeyError(n)

    def state(self) -> tuple[int, int]:
        return self.made, self.ended

    async def later(self, n: int) -> int:
        await asyncio.sleep(0.2)
        return n * n

    async def count_later(self, n: int) -> AsyncGenerator[int, None]:
        self.made = 0
        try:
            for i in range(n):
                await asyncio.sleep(0)
                self.made += 1
                yield i
        finally:
            self.ended += 1

    async def nothing(self) -> None:
        await asyncio.sleep(0)

    async def wrong(self) -> None:
        await asyncio.sleep(0)
        raise LookupError("later")

    def array(self, n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        made = octavo.empty(n)
        made[:] = n
        return made


@pytest.fixture
def lines() -> Iterator[Lines]:
    with octavo.scoped(octavo.process.make(Lines)) as made:
        yield made


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_a_generator_is_read_to_its_end(lines: Lines, n: int) -> None:
    assert list(lines.count(n)) == list(range(n))
    assert lines.state() == (n, 1)


def test_it_is_no_more_than_two_batches_ahead(lines: Lines) -> None:
    stream = lines.count(10**9)
    assert list(itertools.islice(stream, 1000)) == list(range(1000))
    assert lines.state()[0] <= 1000 + 3 * 64


def test_it_ends_when_its_reader_goes(lines: Lines) -> None:
    stream = lines.count(10**9)
    assert next(stream) == 0
    del stream
    gc.collect()
    assert lines.state()[1] == 1


def test_what_it_raises_comes_after_its_items(lines: Lines) -> None:
    got = []
    with pytest.raises(KeyError, match="100"):
        got.extend(iter(lines.failing(100)))
    stream = lines.failing(3)
    assert [next(stream) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError):
        next(stream)


def test_two_are_read_in_turn(lines: Lines) -> None:
    assert list(zip(lines.count(200), lines.count(200), strict=True)) == [(i, i) for i in range(200)]


def test_coroutines_run_beside_each_other(lines: Lines) -> None:
    calls = [octavo.start(lines.later, n) for n in range(20)]
    assert lines.state() == (0, 0)  # the object is free meanwhile
    assert [call.result(10) for call in calls] == [n * n for n in range(20)]


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_an_async_generator_is_read_to_its_end(lines: Lines, n: int) -> None:
    async def read() -> list[int]:
        return [i async for i in lines.count_later(n)]

    assert list(lines.count_later(n)) == list(range(n))  # type: ignore[call-overload]
    assert asyncio.run(read()) == list(range(n))
    assert lines.state() == (n, 2)


def test_an_async_generator_ends_with_its_reader(lines: Lines) -> None:
    async def read_some() -> None:
        async for i in lines.count_later(10**9):
            if i == 100:
                break

    asyncio.run(read_some())
    gc.collect()
    wait_for(lambda: lines.state()[1] == 1, 20, "it has ended")


def test_a_coroutine_may_give_nothing(lines: Lines) -> None:
    assert octavo.start(lines.nothing).result() is None


def test_coroutines_can_be_awaited_and_called(lines: Lines) -> None:
    async def both() -> list[int]:
        return list(await asyncio.gather(octavo.start(lines.later, 2), octavo.start(lines.later, 3)))  # type: ignore[arg-type]

    assert asyncio.run(both()) == [4, 9]
    assert lines.later(4) == 16  # type: ignore[comparison-overlap]
    with pytest.raises(LookupError, match="later"):
        lines.wrong()  # type: ignore[unused-coroutine]


def test_an_executor_is_one_of_the_standard_library() -> None:
    with octavo.Executor(2) as workers:
        assert list(workers.map(lambda x: x * x, range(20))) == [x * x for x in range(20)]
        assert workers.submit(int, "12", base=8).result() == 10
        with pytest.raises(ZeroDivisionError):
            workers.submit(lambda: 1 // 0).result()
    with pytest.raises(RuntimeError, match="shut down"):
        workers.submit(int)


def test_a_function_on_a_place() -> None:
    assert octavo.start(octavo.process, pow, 2, 10).result() == 1024
    assert octavo.start(octavo.thread, threading.get_ident).result() != threading.get_ident()


def test_arrays_of_the_pool(lines: Lines) -> None:
    made = lines.array(100_000)
    assert made.shape == (100_000,)
    assert made[-1] == 100_000
    mine = octavo.empty((3, 5), "int16")
    mine[...] = 7
    assert mine.flags.writeable
    assert (mine.shape, int(mine.sum())) == ((3, 5), 105)
    assert octavo.empty(0).shape == (0,)
    with pytest.raises(octavo.Refused):
        octavo.empty(1 << 50)


def test_an_array_outlives_the_runtime() -> None:
    program = "import octavo; a = octavo.empty(1 << 20); a[:] = 3; octavo.process.make(dict); print(int(a.sum()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{3 << 20}\n", "")


def test_what_objects_print_says_whose_it_is() -> None:
    program = """
import logging, octavo, sys
class Talker:
    def talk(self):
        print("one"); print("two"); print("three", file=sys.stderr); logging.warning("four")
octavo.process.make(Talker).talk()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=True)
    out, errors = done.stdout.splitlines(), done.stderr.splitlines()
    assert [line.partition(") ")[2] for line in out] == ["one", "two"]
    assert [line.partition(") ")[2] for line in errors] == ["three", "WARNING:root:four"]
    assert all(line.startswith("(Talker, pid ") for line in out + errors)


class Gives:
    def with_result(self, n: int) -> Iterator[int]:
        yield from range(n)
        return 99


def test_what_a_generator_returns_is_what_yield_from_gives() -> None:
    def drive(n: int) -> Iterator[Any]:
        return (yield from octavo.process.make(Gives).with_result(n))

    for n in (0, 1, 300):
        items, generator = [], drive(n)
        with pytest.raises(StopIteration) as end:
            while True:
                items.append(next(generator))
        assert (items, end.value.value) == (list(range(n)), 99)


def test_several_threads_share_the_items_of_one() -> None:
    stream = octavo.process.make(Gives).with_result(2000)
    with ThreadPoolExecutor(3) as pool:
        parts = list(pool.map(lambda _: list(stream), range(3)))
    assert sorted(item for part in parts for item in part) == list(range(2000))
