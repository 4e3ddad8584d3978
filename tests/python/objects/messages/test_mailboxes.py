# SPDX-License-Identifier: Apache-2.0
"""Mailboxes of Python values and of types: what they carry, and between threads, and objects on each place. With C++: test_mailboxes_cpp.py."""

from __future__ import annotations

import copy
import pickle
import random
import threading
from typing import Any

import numpy as np
import octavo as ov
import pytest
from mailbox_classes import Clerk, Unchecked, at_import, new_name

pytestmark = pytest.mark.timeout(120)


def values_of(choices: random.Random, type: Any) -> Any:
    size = choices.choice([0, 1, 20, 40, 3000, 5000, 300_000])
    kinds: dict[Any, Any] = {
        int: lambda: choices.randrange(-(2**63), 2**63),
        float: lambda: choices.choice([choices.random(), float("inf"), -0.0]),
        str: lambda: "é" * size,
        bytes: lambda: choices.randbytes(size),
        np.ndarray: lambda: np.arange(size, dtype=choices.choice(["i1", "u8", "f4", "c16"])).reshape(choices.choice([(size,), (1, size), (size, 1, 1)])),
        tuple[int, str]: lambda: (choices.randrange(100), "x" * size),
        tuple[bytes, tuple[float, str], np.ndarray]: lambda: (choices.randbytes(size), (choices.random(), "ü" * size), np.full((), size)),
        tuple[()]: lambda: (),
        None: lambda: choices.choice([None, True, 2**70, {"a": [1, (2, 3.5)]}, np.arange(size), "x" * size]),
    }
    return kinds[type]()


def same(left: Any, right: Any) -> bool:
    if isinstance(left, tuple):
        return len(left) == len(right) and all(same(*each) for each in zip(left, right, strict=True))
    if isinstance(left, np.ndarray):
        return bool(np.array_equal(left, right)) and (left.dtype, left.shape) == (right.dtype, right.shape)
    return type(left) is type(right) and left == right


TYPES = [int, float, str, bytes, np.ndarray, tuple[int, str], tuple[bytes, tuple[float, str], np.ndarray], tuple[()], None]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_values_there_and_back(place: ov.Place, type: Any) -> None:
    seed = random.randrange(2**32)
    choices = random.Random(seed)
    messages = choices.choice([1, 4, 256])
    wanted, out = ov.Mailbox(new_name(), type, messages=messages), ov.Mailbox(new_name(), type, messages=messages)
    posted = [values_of(choices, type) for _ in range(60)]
    echoes = ov.start(place.make(Clerk).echo, wanted, out, len(posted))
    poster = threading.Thread(target=lambda: [wanted.post(each) for each in posted])
    poster.start()
    came = [next(out) for _ in posted]
    poster.join()
    echoes.result()
    assert all(same(*each) for each in zip(came, posted, strict=True)), seed


def test_each_type_is_given_as_it_is_here() -> None:
    """From one thread to itself: nothing is encoded, but for Python values."""
    for type, given, comes in [
        (int, np.uint8(7), 7),
        (int, 2**63 - 1, 2**63 - 1),
        (float, np.float32(0.5), 0.5),
        (float, 3, 3.0),
        (str, "half \udcff", "half \udcff"),
        (bytes, bytearray(b"abc"), b"abc"),
        (np.ndarray, np.ones((3, 4), order="F"), np.ones((3, 4))),
        (np.ndarray, np.zeros((0, 2)), np.zeros((0, 2))),
        (tuple[int, float], (1, 2), (1, 2.0)),
        (None, [{1, 2}], [{1, 2}]),
    ]:
        box = ov.Mailbox(new_name(), type)
        box.post(given)
        assert same(box.retrieve(timeout=30), comes), (type, given)


@pytest.mark.parametrize(
    ("type", "value", "why"),
    [
        (int, True, r"holds int: True \(bool\) is no int"),
        (int, 1.0, "is no int"),
        (int, np.array(1), "is no int"),
        (int, np.bool_(True), "is no int"),
        (int, 2**63, "does not fit 64 bits"),
        (int, -(2**63) - 1, "does not fit 64 bits"),
        (float, "1", r"holds float: '1' \(str\) is no float"),
        (float, False, "is no float"),
        (float, np.longdouble(1), "is no float"),
        (float, 2**53 + 1, "not all of its digits fit"),
        (float, 10**400, "not all of its digits fit"),
        (str, b"a", "is no str"),
        (str, "\ud800", "surrogate"),
        (bytes, "a", "is no bytes"),
        (np.ndarray, [1], r"holds numpy.ndarray: \[1\] \(list\) is no numpy.ndarray"),
        (np.ndarray, np.array(["a"]), "elements of <U1"),
        (np.ndarray, np.array([None]), "elements of object"),
        (np.ndarray, np.ones(3, ">f8"), "elements of >f8"),
        (np.ndarray, np.ones((1,) * 9), "more than 8 dimensions"),
        (np.ndarray, np.ma.masked_array([1.0]), "is no numpy.ndarray"),
        (tuple[int, str], (1,), r"holds tuple\[int, str\]: \(1,\) \(tuple\) has 1 items"),
        (tuple[int, str], [1, "a"], "is no tuple"),
        (tuple[int, tuple[str, int]], (1, ("a", "b")), r"item 2, item 2, 'b' \(str\) is no int"),
    ],
)
def test_what_does_not_fit_is_a_type_error_at_post(type: Any, value: Any, why: str) -> None:
    box = ov.Mailbox(new_name(), type)
    for post in (box.post, box.try_post):
        with pytest.raises(TypeError, match=why):
            post(value)
    assert box.try_retrieve("nothing") == "nothing"


def test_a_value_is_taken_as_it_is_when_it_is_posted(place: ov.Place) -> None:
    for type in (np.ndarray, None):
        box = ov.Mailbox(new_name(), type)
        reader = place.make(Clerk)
        for reads_already in (False, True):  # it waits here, or goes to the reader
            small, large = np.ones(3), np.ones(100_000)
            for each in (small, large):
                box.post(each)
                each[:] = 2
            assert [reader.sum_of(box) for _ in range(2)] == [3, 100_000], reads_already


def test_an_array_of_the_pool_is_shared(place: ov.Place) -> None:
    """Not copied at post: it takes no more room of the pool."""
    box = ov.Mailbox(new_name(), np.ndarray)
    array = ov.empty((1000, 50))
    array[:] = 1
    box.post(array)
    assert place.make(Clerk).sum_of(box) == 50_000
    box = ov.Mailbox(new_name(), np.ndarray)
    box.post(array)
    came = box.retrieve()
    assert came.ctypes.data == array.ctypes.data
    assert not came.flags.writeable


def test_what_lies_there_before_anybody_reads(place: ov.Place) -> None:
    box = ov.Mailbox(new_name())
    place.make(Clerk).post(box, [1, "two", [3]])
    assert [box.retrieve(timeout=30) for _ in range(3)] == [1, "two", [3]]


def test_another_reader_is_refused(place: ov.Place) -> None:
    box = ov.Mailbox(new_name())
    assert box.try_retrieve() is None
    with pytest.raises(ov.Refused, match="mailbox"):
        place.make(Clerk).take(box, 1)
    with pytest.raises(ov.Refused):
        place.make(Clerk).serve(box, box, box)


def test_another_type_is_a_usage_error_that_names_both(place: ov.Place) -> None:
    name = new_name()
    box = ov.Mailbox(name, tuple[int, str])
    box.try_retrieve()
    for type, text in [
        (int, r"int \(std::int64_t of C\+\+\)"),
        (None, "Python values"),
        (tuple[()], r"tuple\[\(\)\]"),
        (tuple[int, tuple[str, bytes]], r"tuple\[int, tuple\[str, bytes\]\]"),
    ]:
        message = rf"mailbox '{name}' holds messages of type tuple\[int, str\], not of type {text}"
        with pytest.raises(ov.UsageError, match=message):
            ov.Mailbox(name, type)

    clerk = place.make(Clerk)
    with pytest.raises(ov.UsageError, match=r"holds messages of type tuple\[int, str\], not of type float \(double of C\+\+\)"):
        clerk.take_in_time(Unchecked(name, float))
    box.post((1, "the box goes on"))
    assert box.retrieve() == (1, "the box goes on")


def test_it_is_a_name(place: ov.Place) -> None:
    name = new_name()
    box = ov.Mailbox(name, tuple[int, np.ndarray], messages=3)
    assert repr(box) == f"octavo.Mailbox({name!r}, tuple[int, numpy.ndarray])"
    assert repr(ov.Mailbox("any")) == "octavo.Mailbox('any')"
    assert box == ov.Mailbox(name, tuple[int, np.ndarray])
    assert len({box, copy.copy(box), copy.deepcopy(box), pickle.loads(pickle.dumps(box))}) == 1
    assert box != ov.Mailbox(new_name(), tuple[int, np.ndarray])
    assert box != name
    place.make(Clerk).post(box, [(1, np.ones(2))])
    assert same(box.retrieve(), (1, np.ones(2)))


def test_a_mailbox_in_a_mailbox(place: ov.Place) -> None:
    answers, asked = ov.Mailbox(new_name(), int), ov.Mailbox(new_name())
    asked.post({"to": answers, "what": 6})
    place.make(Clerk).post(asked.retrieve()["to"], [6])
    assert answers.retrieve() == 6


def test_one_that_was_made_before_the_runtime(place: ov.Place) -> None:
    place.make(Clerk).post_at_import()
    assert at_import.retrieve(timeout=30) == 5


def test_select_of_what_is_no_mailbox_says_the_cure() -> None:
    box: ov.Mailbox[int] = ov.Mailbox("of a select")
    cures: dict[Any, str] = {
        "jobs": "octavo.Mailbox('jobs')",
        2.5: "timeout=2.5",
        ov.Queue(): "Of queues",
        (box,): "octavo.select(*boxes)",
        None: "octavo.Mailbox(name)",
    }
    for wrong, cure in cures.items():
        with pytest.raises(ov.UsageError, match="no mailbox") as said:
            ov.select(box, wrong)
        assert cure in str(said.value)


def test_select(place: ov.Place) -> None:
    urgent, jobs, out = ov.Mailbox(new_name(), str), ov.Mailbox(new_name()), ov.Mailbox(new_name(), int)
    runs = ov.start(place.make(Clerk).serve, urgent, jobs, out)
    for i in range(20):
        jobs.post(i)
        assert out.retrieve() == i + 1
    urgent.post("end")
    runs.result()


def test_select_gives_the_first_of_several() -> None:
    first, second = ov.Mailbox(new_name(), int), ov.Mailbox(new_name(), float)
    with pytest.raises(ov.TimedOut, match="nothing came to"):
        ov.select(first, second, timeout=0.01)
    second.post(1.5)
    assert ov.select(first, second) is second
    first.post(1)
    assert ov.select(first, second) is first
    assert ov.select(second, first, timeout=0) is second
    with pytest.raises(ov.UsageError, match="without a mailbox"):
        ov.select()


def test_misuse() -> None:
    for type in (list, dict[str, int], tuple, tuple[int, ...], tuple[int, None], bool, np.float64, "int", [int]):
        with pytest.raises(ov.UsageError, match="is no type of messages"):
            ov.Mailbox("misuse", type)  # type: ignore[arg-type]
    for name in ("", "ov://elsewhere/box"):
        with pytest.raises(ov.UsageError):
            ov.Mailbox(name)
    for room in ({"messages": 0}, {"bytes": 0}):
        with pytest.raises(ov.UsageError, match="room for one at least"):
            ov.Mailbox("misuse", **room)
    box = ov.Mailbox(new_name())
    with pytest.raises(ov.TimedOut, match="nothing came to mailbox"):
        box.retrieve(timeout=0.01)
    assert box.try_retrieve("nothing") == "nothing"
