# SPDX-License-Identifier: Apache-2.0
"""Executor.map: in order, in parts whose size follows from the time, and lazily with buffersize."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

import octavo
import pytest
from hosted_classes import wait_until
from kit import wait_for

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def two() -> Iterator[octavo.Executor]:
    with octavo.Executor(2) as workers:
        yield workers


def square(i: int) -> int:
    return i * i


@pytest.mark.parametrize("chunksize", [None, 1, 3, 100, 100000])
def test_results_are_in_order(two: octavo.Executor, chunksize: int | None) -> None:
    assert list(two.map(square, range(1000), chunksize=chunksize)) == [i * i for i in range(1000)]
    assert list(two.map(pow, range(5), itertools.repeat(2), chunksize=chunksize)) == [0, 1, 4, 9, 16]
    assert list(two.map(lambda i: -i, range(50), chunksize=chunksize)) == [-i for i in range(50)]
    assert list(two.map(square, [], chunksize=chunksize)) == []


def both(items: list[int] | int, more: object = None) -> tuple[object, object]:
    return (list(items) if isinstance(items, list) else items), more


def test_items_are_as_they_were_when_map_was_called(two: octavo.Executor) -> None:
    """Those that never change go with others of their part; lists, and what refers to definitions, are packed by themselves."""
    changing = [[i] for i in range(200)]
    mixed = [i if i % 3 else changing[i] for i in range(200)]
    results = two.map(both, mixed, ["x", 1.5, None, b"y", 2**80] * 40)
    for each in changing:
        each.append(-1)
    assert list(results) == [(i if i % 3 else [i], ["x", 1.5, None, b"y", 2**80][i % 5]) for i in range(200)]


def test_parts_grow_where_items_are_short(two: octavo.Executor) -> None:
    list(two.map(square, range(100)))
    sizes: list[int] = []
    first = two.map(square, range(20000))
    part = first.gi_frame.f_locals["first"]  # type: ignore[attr-defined]
    assert sum(1 for _ in first) == 20000
    while part is not None:
        sizes.append(part._number)
        part = part._next
    assert len(sizes) < 5000


def meet(i: int, others: octavo.Event, folder: str) -> int:
    """The first one lasts until all but some of the others are done."""
    if i == 0:
        assert others.wait(30)
    (Path(folder) / str(i)).touch()
    if len(list(Path(folder).iterdir())) >= 16:
        others.set()
    return i


def test_an_uneven_mix_is_balanced(two: octavo.Executor, tmp_path: Path) -> None:
    list(two.map(square, range(4)))
    assert list(two.map(meet, range(20), itertools.repeat(octavo.Event()), itertools.repeat(str(tmp_path)))) == list(range(20))


def hold(i: int) -> int:
    time.sleep(0.2)
    return i


def fail_at(i: int) -> int:
    if i == 777:
        raise LookupError(i)
    return i


@pytest.mark.parametrize("chunksize", [None, 1, 50])
def test_what_came_before_an_error_is_given(two: octavo.Executor, chunksize: int | None) -> None:
    came: list[int] = []
    with pytest.raises(LookupError, match="777") as caught:
        for i in two.map(fail_at, range(2000), chunksize=chunksize):
            came.append(i)
    assert came == list(range(777))
    assert octavo.errors.origin(caught.value) is not None


def test_an_endless_source_is_read_as_far_as_is_asked(two: octavo.Executor) -> None:
    taken = itertools.count()
    results = two.map(square, taken, buffersize=4)
    assert next(taken) == 4
    assert [next(results) for _ in range(10)] == [i * i for i in range(4)] + [i * i for i in range(5, 11)]
    assert next(taken) <= 16
    assert list(itertools.islice(two.map(square, itertools.count(), buffersize=2, chunksize=10), 25)) == [i * i for i in range(25)]


@pytest.mark.parametrize("wrong", [{"chunksize": 0}, {"buffersize": 0}, {"chunksize": -1}, {"buffersize": "2"}, {"chunksize": 1.5}])
def test_sizes_that_make_no_sense(two: octavo.Executor, wrong: dict[str, int]) -> None:
    with pytest.raises(octavo.UsageError, match=next(iter(wrong))):
        two.map(square, range(3), **wrong)


def test_a_map_that_is_not_read_on_is_cancelled(two: octavo.Executor, tmp_path: Path) -> None:
    results = two.map(hold, range(0, 1000, 2))
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert two.submit(square, 3).result(20) == 9  # all of them take 50 s
    wait_for(two._pool.has_done, 20, "the end of what had begun")


def test_time_is_limited(two: octavo.Executor, tmp_path: Path) -> None:
    with pytest.raises(octavo.TimedOut):
        list(two.map(wait_until, [str(tmp_path / "gate")] * 20, timeout=0.3))
    (tmp_path / "gate").touch()


def stream(i: int) -> Iterator[int]:
    yield from range(i)


async def awaited(i: int) -> int:
    return i


def test_streams_and_coroutines(two: octavo.Executor) -> None:
    assert [list(each) for each in two.map(stream, range(20))] == [list(range(i)) for i in range(20)]
    assert list(two.map(awaited, range(20))) == list(range(20))


def crash_at_two(i: int) -> int:
    if i == 2:
        os._exit(1)
    return i


def test_a_death_in_a_map(two: octavo.Executor) -> None:
    with pytest.raises(octavo.ProcessDied):
        list(two.map(crash_at_two, range(4), chunksize=2))
    assert list(two.map(square, range(10))) == [i * i for i in range(10)]
