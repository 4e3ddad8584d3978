# SPDX-License-Identifier: Apache-2.0
"""Arrays in the pool: shared while more than one holds them, given away, and what large ones in other memory become on their way."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo
import pytest
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)
Array = npt.NDArray[Any]
LARGE = 300_000  # elements of 8 bytes: more than what goes by way of a page


class Keeper:
    """Has arrays, and says what they are to it."""

    def take(self, array: Array) -> bool:
        self.array = array
        return bool(array.flags.writeable)

    def add(self, value: float) -> None:
        self.array += value

    def first_and_last(self) -> tuple[float, float]:
        return float(self.array[0]), float(self.array[-1])

    def whole(self) -> Array:
        return self.array


def pooled(count: int = LARGE) -> Array:
    array = octavo.empty(count)
    array[:] = np.arange(count)
    return array


@pytest.fixture
def keeper() -> Keeper:
    return octavo.process.make(Keeper)


def test_a_shared_one_is_read_only_where_it_arrives(keeper: Keeper) -> None:
    array = pooled()
    assert keeper.take(array) is False
    with pytest.raises(ValueError, match="read-only"):
        keeper.add(1)
    array[0] = 7
    assert keeper.first_and_last() == (7, LARGE - 1)  # it is the same memory


CURE = (
    "An array of octavo.empty() is shared with who sent it, and read-only where it arrives. "
    "Write to a copy (a.copy()) there, or give it away where it is sent: p.take(octavo.give(a))"
)


class Writer:
    def write(self, array: Array, way: str) -> None:
        if way == "item":
            array[0] = 1
        elif way == "in place":
            array += 1
        else:
            array.sort()

    def fail(self) -> None:
        raise ValueError("of another kind")


def said(error: BaseException) -> str:
    """Besides its text."""
    return "\n".join(getattr(error, "__notes__", [])) if sys.version_info >= (3, 11) else str(error.__cause__)


@pytest.mark.parametrize("way", ["item", "in place", "sort"])
def test_a_write_to_a_shared_one_says_the_cure(way: str) -> None:
    writer = octavo.process.make(Writer)
    with pytest.raises(ValueError, match="read-only") as caught:
        writer.write(pooled(), way)
    assert CURE in said(caught.value)
    writer.write(octavo.give(pooled()), way)
    with pytest.raises(ValueError, match="of another kind") as caught:
        writer.fail()
    assert "octavo.give" not in said(caught.value)


def test_a_small_one_of_the_pool_is_a_value(keeper: Keeper) -> None:
    for count, writable in ((511, True), (512, False)):  # 4 KiB
        array = pooled(count)
        assert keeper.take(array) is writable
    array = pooled(511)
    keeper.take(array)
    keeper.add(1)
    assert array[0] == 0


def test_a_given_one_may_be_written_where_it_arrives(keeper: Keeper) -> None:
    array = pooled()
    assert keeper.take(octavo.give(array)) is True
    keeper.add(1)
    assert keeper.first_and_last() == (1, LARGE)
    assert array[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 2
    with pytest.raises(octavo.UsageError, match="given to another process"):
        keeper.take(array)
    with pytest.raises(octavo.UsageError, match="given to another process"):
        octavo.give(array)


@pytest.mark.parametrize("where", ["elsewhere", "a part"])
def test_only_whole_arrays_of_the_pool_are_given(where: str) -> None:
    with pytest.raises(octavo.UsageError, match=r"octavo\.empty"):
        octavo.give(pooled()[1:] if where == "a part" else np.arange(5.0))


@pytest.mark.parametrize("count", [1000, 32_768, LARGE])
def test_one_in_other_memory_is_a_value_both_ways(keeper: Keeper, count: int) -> None:
    array = np.arange(float(count))
    assert keeper.take(array) is True
    keeper.add(1)
    assert array[0] == 0
    back = keeper.whole()
    assert back.flags.writeable
    back += 1
    assert keeper.first_and_last() == (1, count)
    assert octavo.start(keeper.take, array).result() is True
    array[0] = 5
    assert keeper.first_and_last() == (0, count - 1)


def test_other_libraries_see_the_memory_of_the_pool() -> None:
    array = pooled()
    np.from_dlpack(array)[0] = 9
    assert array[0] == 9


def test_where_the_pool_is_small_large_ones_travel_as_before(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        import numpy
        with octavo.Runtime(memory="4MiB"):
            echo = octavo.process.make(Echo)
            for count in (100_000, 400_000, 2_000_000):
                array = numpy.arange(float(count))
                kept = [echo.same(array) for _ in range(4)]
                assert all(numpy.array_equal(each, array) for each in kept)
        """,
    )


def test_what_is_given_stands_by_itself_and_is_given_when_it_is_sent(keeper: Keeper) -> None:
    array = octavo.give(pooled())
    for within in (lambda: keeper.take([array]), lambda: octavo.call(keeper, Keeper.take, array), lambda: octavo.process.make(list, array)):
        with pytest.raises(octavo.UsageError, match="by itself"):
            within()
    with pytest.raises(TypeError):
        keeper.take(array, threading.Lock())  # type: ignore[call-arg]
    assert keeper.take(array) is True


class Passing(Keeper):
    def give_to(self, other: Keeper) -> None:
        other.take(octavo.give(self.array))


def test_what_was_shared_is_not_anothers_to_give(keeper: Keeper) -> None:
    array = pooled()
    passing = octavo.process.make(Passing)
    assert passing.take(array) is False
    with pytest.raises(octavo.UsageError, match="shared"):
        passing.give_to(keeper)


def test_a_list_that_another_thread_changes_while_it_is_sent(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        import numpy
        p = octavo.process.make(Echo)
        def parts():
            return [[numpy.ones(1 << 20), [i, f"x{i}"]] for i in range(4)]
        data, ends = parts(), time.monotonic() + 3
        def change():
            while time.monotonic() < ends:
                data[:] = parts()
        thread = threading.Thread(target=change)
        thread.start()
        while time.monotonic() < ends:
            assert len(p.same(data)) in (0, 4)
        thread.join()
        """,
        seconds=60,
    )


OF_ANOTHER = """
import multiprocessing

class Taker:
    def take(self, array):
        self.array = array
        return float(array.sum())
    def whole(self):
        return self.array

def check(olds, mine, taker):
    mine[:] = 777
    for value, old in olds:
        for _ in range(2):
            assert taker.take(old) == value * old.size, value
            assert taker.take([old][0]) == value * old.size
            assert octavo.start(taker.take, old).result() == value * old.size
            assert (taker.whole() == value).all()
            assert (old == value).all()
    assert taker.take(mine) == 777 * mine.size

def made(value):
    array = octavo.empty(100_000)
    array[:] = value
    return array

def in_worker(value):
    with octavo.Runtime(memory="64MiB"):
        check([(value, inherited)], made(0), octavo.process.make(Taker))
    return True

if __name__ == "__main__":
    with octavo.Runtime(memory="64MiB"):
        first = made(5)
        giver = octavo.process.make(Taker)
        giver.take(made(6))
        result = giver.whole()
    with octavo.Runtime(memory="64MiB"):
        olds = [(5, first), (6, result)]
        check(olds, made(0), octavo.process.make(Taker))
        check(olds, made(0), octavo.thread.make(Taker))
    with octavo.Runtime(memory="64MiB"):
        inherited = made(8)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(in_worker, [8, 8, 8]) == [True] * 3
        check([(8, inherited), *olds], made(0), octavo.process.make(Taker))
"""


def test_those_of_another_or_an_inherited_runtime_are_copied(tmp_path: Path) -> None:
    """What the receiver counts are the pages of one pool: their places in another mean something else."""
    run_program(tmp_path, OF_ANOTHER)
