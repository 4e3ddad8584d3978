# SPDX-License-Identifier: Apache-2.0
"""A remote array: elements in a process of their own, used with [] as a sequence of a fixed size."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, Optional, TypeVar

import numpy as np
import octavo as ov
import pytest
from hosted_classes import Counter, Echo
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def data() -> ov.RemoteArray[float]:
    return ov.process.make(ov.RemoteArray[float], 1024)


class Adder:
    def add(self, block: ov.RemoteArray[int], times: int) -> None:
        for _ in range(times):
            block.add(-1, 1)


@pytest.mark.parametrize(
    ("kind", "value", "first"),
    [(float, 3.14, 0.0), (int, -(2**60), 0), (complex, 2j, 0j), (bool, True, False), (np.float32, np.float32(1.5), np.float32(0)), (np.uint8, np.uint8(9), 0)],
)
def test_numbers_are_zero_at_first_and_keep_their_type(kind: type, value: Any, first: Any) -> None:
    data = ov.process.make(ov.RemoteArray[kind], 3)
    data[1] = value
    assert [data[0], data[1], data[2]] == list(data) == [first, value, first]
    assert {type(data[i]) for i in range(3)} == {type(each) for each in data} == {kind}
    assert data[:].dtype == np.dtype(kind)


@pytest.mark.parametrize("kind", [str, list[int], Any, Counter, np.str_, object])
def test_all_else_is_none_at_first(kind: Any) -> None:
    data = ov.process.make(ov.RemoteArray[kind], 2)
    data[1] = "text"
    assert data[:] == list(data) == [None, "text"]


def test_an_array_of_remote_pointers_is_remote_data_too(data: ov.RemoteArray[float], shared_counter: Counter) -> None:
    group = ov.process.make(ov.RemoteArray[Counter], 2)
    group[1] = shared_counter
    assert group[1] == shared_counter
    assert group[1].pid() == shared_counter.pid()
    assert group[:] == [None, shared_counter]
    nested = ov.process.make(ov.RemoteArray[ov.RemoteArray[float]], [data])
    nested[0][5] = 2.5
    assert data[5] == 2.5


def test_without_a_kind_it_is_of_float() -> None:
    assert type(ov.process.make(ov.RemoteArray, 10)[9]) is float
    assert type(ov.process.make(ov.RemoteArray, [1])[0]) is float


@pytest.mark.parametrize("elements", [[1, 2, 3], (1, 2, 3), range(1, 4), np.arange(1, 4), {1: 0, 2: 0, 3: 0}])
def test_it_is_made_of_elements(elements: Any) -> None:
    assert list(ov.thread.make(ov.RemoteArray[float], elements)) == [1.0, 2.0, 3.0]
    assert list(ov.thread.make(ov.RemoteArray[str], [str(each) for each in elements])) == ["1", "2", "3"]


def test_what_it_cannot_be_made_of_is_refused() -> None:
    with pytest.raises(ov.UsageError, match="a remote array of -1 elements"):
        ov.thread.make(ov.RemoteArray[float], -1)
    with pytest.raises(ov.UsageError, match="has one dimension, and these elements have 2"):
        ov.thread.make(ov.RemoteArray[float], np.zeros((2, 2)))
    with pytest.raises(TypeError, match="a remote array of int takes no float64"):
        ov.thread.make(ov.RemoteArray[int], [1.5])
    with pytest.raises(TypeError, match="not iterable"):
        ov.thread.make(ov.RemoteArray[float], None)


@pytest.mark.parametrize("index", [1024, -1025, 2**70])
@pytest.mark.parametrize("kind", [float, str])
def test_an_index_beyond_the_ends_says_so(kind: type, index: int) -> None:
    data = ov.process.make(ov.RemoteArray[kind], 1024)
    text = f"^index {index} of a remote array of 1024 elements"
    with pytest.raises(IndexError, match=text):
        data[index]
    with pytest.raises(IndexError, match=text):
        data[index] = 1
    with pytest.raises(IndexError, match=text):
        data.add(index, 1)
    data[-1024] = kind(7)
    assert data[0] == kind(7)


def test_len_iteration_and_in(data: ov.RemoteArray[float]) -> None:
    data[1023] = 4
    assert (len(data), sum(data), 4.0 in data, 5.0 in data) == (1024, 4.0, True, False)


@pytest.mark.parametrize("part", [slice(6, 9), slice(None), slice(-2, None), slice(8, 2, -3), slice(5, 5), slice(0, 2000, 7)])
def test_slices_are_those_of_numpy_and_of_lists(part: slice) -> None:
    values = list(range(10))
    numbers, objects = ov.thread.make(ov.RemoteArray[int], values), ov.thread.make(ov.RemoteArray[object], values)
    assert isinstance(numbers[part], np.ndarray)
    assert numbers[part].tolist() == objects[part] == values[part]
    new = [-each for each in values[part]]
    values[part] = numbers[part] = objects[part] = new
    assert list(numbers) == list(objects) == values
    numbers[part] = 7  # an array takes one for all
    assert set(numbers[part].tolist()) <= {7}


def test_a_slice_is_a_copy(data: ov.RemoteArray[float]) -> None:
    part = data[0:4]
    data[0] = 1
    assert part[0] == 0
    large = ov.process.make(ov.RemoteArray[float], 1 << 20)
    whole = large[:]
    large[:] = 1
    assert whole.sum() == 0
    assert large[:].sum() == 1 << 20


def test_the_size_does_not_change(data: ov.RemoteArray[float]) -> None:
    texts = ov.process.make(ov.RemoteArray[str], 3)
    with pytest.raises(ValueError, match="1 values for 2 elements"):
        texts[0:2] = ["one"]
    with pytest.raises(ValueError, match="broadcast"):
        data[0:2] = [1, 2, 3]
    with pytest.raises(AttributeError, match="__delitem__"):
        del data[0]
    assert len(texts) == 3


@pytest.mark.parametrize(("kind", "value"), [(int, 1.5), (int, 1j), (float, 1j), (bool, 2), (float, "1.5"), (np.int8, np.float32(1))])
def test_no_part_of_a_value_is_lost(kind: type, value: Any) -> None:
    data = ov.thread.make(ov.RemoteArray[kind], 2)
    for index in (0, slice(0, 2)):
        with pytest.raises(TypeError, match=f"a remote array of {kind.__name__} takes no"):
            data[index] = value
    with pytest.raises((TypeError, ValueError)):
        data.add(0, value) if kind is not bool else data.add(0, 5)
    assert list(data) == [0, 0]
    with pytest.raises(OverflowError):
        ov.thread.make(ov.RemoteArray[int], 1)[0] = 2**70


def test_add_gives_what_was_there_before_and_works_with_all_that_adds(data: ov.RemoteArray[float]) -> None:
    assert (data.add(2, 0.5), data.add(2, 0.25), data[2]) == (0, 0.5, 0.75)
    texts = ov.thread.make(ov.RemoteArray[str], ["a"])
    assert (texts.add(-1, "b"), texts[0]) == ("a", "ab")
    with pytest.raises(TypeError, match="NoneType"):
        ov.thread.make(ov.RemoteArray[Counter], 1).add(0, 1)


def test_nothing_that_several_processes_add_is_lost() -> None:
    block = ov.process.make(ov.RemoteArray[int], 4)
    adders = [ov.process.make(Adder) for _ in range(3)]
    for done in [ov.start(each.add, block, 200) for each in adders]:
        done.result()
    assert list(block) == [0, 0, 0, 600]


def test_it_and_its_kinds_travel_by_pickle(echo: Echo) -> None:
    made = ov.RemoteArray[int]([1, 2])
    for each in (pickle.loads(pickle.dumps(made)), echo.same(made)):
        assert (list(each), repr(each)) == ([1, 2], "<RemoteArray[int] of 2 elements>")
    assert echo.same(ov.RemoteArray[float]) == ov.RemoteArray[float] != ov.RemoteArray[int]
    assert hash(ov.RemoteArray[float]) == hash(ov.RemoteArray[float])
    assert isinstance(echo.apply(ov.RemoteArray[float], 3), ov.RemoteArray)


def test_reprs_name_the_kind(data: ov.RemoteArray[float]) -> None:
    assert repr(data).startswith("<octavo pointer to RemoteArray[float], process ")
    assert repr(ov.RemoteArray[np.float32]) == "octavo.RemoteArray[float32]"
    assert repr(ov.RemoteArray[list[int]]) == "octavo.RemoteArray[list[int]]"
    assert repr(ov.RemoteArray[ov.RemoteArray[float]]) == "octavo.RemoteArray[octavo.RemoteArray[float]]"


def test_its_kinds_stand_in_annotations() -> None:
    any_kind = TypeVar("any_kind")
    assert Optional[ov.RemoteArray[float]] == (ov.RemoteArray[float] | None) == (None | ov.RemoteArray[float])  # noqa: UP045
    assert ov.RemoteArray[any_kind].__parameters__ == (any_kind,)


def test_a_class_of_main_is_a_kind(tmp_path: Path) -> None:
    text = """
    class Mine:
        def __init__(self, number):
            self.number = number
    data = octavo.process.make(octavo.RemoteArray[Mine], 2)
    data[1] = Mine(7)
    print(data[1].number, data[0])
    """
    assert run_program(tmp_path, text) == "7 None\n"


@pytest.mark.parametrize(("kind", "value"), [(int, 2**63), (np.int8, 300), (np.uint8, -1)])
def test_integers_that_do_not_fit_are_refused(kind: type, value: int) -> None:
    with pytest.raises(OverflowError, match="takes integers from"):
        ov.process.make(ov.RemoteArray[kind], [value])  # type: ignore[valid-type]
