# SPDX-License-Identifier: Apache-2.0
"""A remote pointer is used like the object: attributes, items, calls, with; what is its own: ==, hash, bool, repr, copies and pickles."""

from __future__ import annotations

import copy
import enum
import gc
import pickle
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import octavo
import pytest
from hosted_classes import Bag, Counter, Delegate, Process

pytestmark = pytest.mark.timeout(60)


class Mode(enum.Enum):
    FAST = 1


class Settings(Process):
    Mode = Mode
    limit = 10

    def __init__(self) -> None:
        self.mode = Mode.FAST
        self.run = self.walk
        self.table = {"a": [1]}

    def walk(self) -> str:
        self.limit += 1
        return f"walked {self.limit}"

    def __eq__(self, other: object) -> bool:
        raise AssertionError("== is the pointer's")

    def __hash__(self) -> int:
        raise AssertionError("hash is the pointer's")

    def __bool__(self) -> bool:
        raise AssertionError("bool is the pointer's")

    def __repr__(self) -> str:
        raise AssertionError("repr is the pointer's")

    def __str__(self) -> str:
        raise AssertionError("str is the pointer's")


def made(count: int = 0) -> Counter:
    return octavo.process.make(Counter, count)


def test_attributes_and_properties() -> None:
    p = made(3)
    assert (p.value, p.double, p.step) == (3, 6, 1)
    p.value = 5
    assert p.add(1) == 6
    p.double = 20
    assert p.value == 10
    del p.double
    assert p.value == 0
    p.other = [1]  # type: ignore[attr-defined]
    assert p.other == [1]  # type: ignore[attr-defined]
    del p.other  # type: ignore[attr-defined]
    assert not hasattr(p, "other")
    with pytest.raises(AttributeError):
        del p.other  # type: ignore[attr-defined]
    p.value += 4
    assert p.value == 4


def test_an_attribute_is_a_value() -> None:
    p = made()
    p.history.append(1)  # of the copy that came
    assert p.history == []
    p.history = [1, 2]
    assert len(p.history) == 2


def test_methods_of_every_kind() -> None:
    p = made(1)
    assert (p.add(), p.add(2), p.add(n=3)) == (2, 4, 7)
    assert p.plus(1, 2) == 3
    assert p.name() == "Counter"
    add = p.add
    assert (add(1), add(1)) == (8, 9)
    assert [add.__name__, repr(add)] == ["add", "<remote method add of Counter>"]


def test_a_method_of_partial_arguments_acts_on_the_object() -> None:
    p = made(1)
    assert p.add_five() == 6
    assert p.value == 6


def test_a_method_by_the_type_of_its_argument_acts_on_the_object() -> None:
    p = made(1)
    assert p.note("a") == "text after 2"
    assert p.note(1.5) == "float after 3"
    assert p.value == 3


def test_methods_that_an_object_has_from_another_act_on_that() -> None:
    p = octavo.process.make(Delegate, [1])
    p.append(2)
    assert p.inner == [1, 2]
    q = octavo.process.make(Delegate, Counter(1))
    assert q.add(2) == 3
    assert q.value == 3


def test_an_attribute_of_the_object_hides_a_method_of_its_class() -> None:
    p = made()
    assert p.add(1) == 1
    p.add = 5  # type: ignore[method-assign,assignment]
    assert p.add == 5  # type: ignore[comparison-overlap]


def test_a_method_that_an_object_keeps_as_an_attribute() -> None:
    p = octavo.process.make(Settings)
    assert [p.run(), p.run(), p.walk()] == ["walked 11", "walked 12", "walked 13"]


def test_a_class_that_is_an_attribute_of_a_class() -> None:
    p = octavo.process.make(Settings)
    assert p.Mode.FAST is Mode.FAST
    assert p.mode is Mode.FAST
    assert p.limit == 10
    assert p.table["a"] == [1]


def test_items() -> None:
    p = octavo.process.make(Bag, [1, 2, 3])
    assert (len(p), p[0], p[-1], p[1:]) == (3, 1, 3, [2, 3])
    p[0] = 10
    p[1:2] = [20, 21]
    del p[-1]
    p[0] += 5
    assert list(p) == [15, 20, 21]
    assert 20 in p
    assert 99 not in p
    with pytest.raises(IndexError):
        p[9]


def test_iteration() -> None:
    p = octavo.process.make(Bag, [1, 2, 3])
    assert [x for x in p] == [1, 2, 3]  # noqa: C416
    assert list(zip(p, p, strict=True)) == [(1, 1), (2, 2), (3, 3)]
    assert sum(p) == 6
    assert dict(octavo.process.make(dict, a=1, b=2)) == {"a": 1, "b": 2}
    assert list(reversed(octavo.process.make(list, "abc"))) == ["c", "b", "a"]
    assert list(reversed(octavo.process.make(dict, a=1, b=2))) == ["b", "a"]
    assert [*octavo.process.make(set, [1])] == [1]
    with pytest.raises(TypeError, match="not iterable"):
        list(made())  # type: ignore[call-overload]


def test_next_of_an_iterator() -> None:
    p = octavo.process.make(iter, [1, 2])  # type: ignore[arg-type]
    assert (next(p), next(p)) == (1, 2)
    with pytest.raises(StopIteration):
        next(p)


def test_calling() -> None:
    p = octavo.process.make(Bag, [1])
    assert p() == (1,)
    assert p(2, name=3, self_=4) == (1, 2, ("name", 3), ("self_", 4))
    assert callable(p)
    with pytest.raises(TypeError, match="not callable"):
        made()()  # type: ignore[operator]


def test_with() -> None:
    p = octavo.process.make(Bag, [])
    with p as inside:
        assert inside is p or inside == p
        assert p.calls == ["enter"]
    assert p.calls[1:] == ["exit None: None"]
    assert len(p) == 0  # it was not destroyed


def test_with_and_an_exception() -> None:
    p = octavo.process.make(Bag, [])
    with p:
        raise KeyError("swallowed")
    with pytest.raises(ValueError, match="not swallowed"), p:
        raise ValueError("not swallowed")
    assert p.calls == ["enter", "exit KeyError: 'swallowed'", "enter", "exit ValueError: not swallowed"]


def test_with_of_what_has_none_is_a_type_error_as_ever() -> None:
    with pytest.raises(TypeError), made():  # type: ignore[attr-defined]
        pass


def test_what_is_the_pointers_own() -> None:
    p, q = octavo.process.make(Settings), octavo.process.make(Settings)
    same = copy.copy(p)
    assert p == same
    assert p != q
    assert p != 5
    assert len({p, same, q}) == 2
    assert bool(p)
    assert repr(p) == str(p) == f"{p}"
    assert "Settings" in repr(p)
    assert p.limit == 10


def test_an_empty_container_is_true() -> None:
    assert octavo.process.make(list)
    assert octavo.process.make(int) and True


def test_copies_and_pickles_point_to_the_same() -> None:
    p = made(1)
    for other in (copy.copy(p), copy.deepcopy(p), copy.deepcopy([p])[0], pickle.loads(pickle.dumps(p))):
        assert other == p
        assert hash(other) == hash(p)
        assert repr(other) == repr(p)
        assert other.add(1) == p.value
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps({"p": p}, protocol))["p"] == p


def test_completion_knows_the_methods_and_attributes() -> None:
    p = made()
    assert {"add", "plus", "double", "value", "history", "step"} <= set(dir(p))


def test_html() -> None:
    assert "Counter" in made()._repr_html_()  # type: ignore[attr-defined]


def test_dropped_pointers_do_not_destroy() -> None:
    p = made(1)
    kept = pickle.dumps(p)
    gone = weakref.ref(p)
    del p
    gc.collect()
    assert gone() is None
    assert pickle.loads(kept).value == 1


def test_a_pointer_and_its_methods_are_garbage_when_nobody_has_them() -> None:
    def cycle() -> weakref.ref[Any]:
        p = made(1)
        p.add(1)
        methods = [p.add, p.fail]
        methods.append(methods)  # type: ignore[arg-type]
        return weakref.ref(p)

    ref = cycle()
    gc.collect()
    assert ref() is None


def test_many_threads_call_one_object() -> None:
    p = made()
    gate = threading.Barrier(4)

    def work(_: int) -> list[int]:
        gate.wait()
        return [p.add(1) for _ in range(100)]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))
    assert all(result == sorted(result) for result in results)
    assert sorted(sum(results, [])) == list(range(1, 401))
    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(p.add, [1] * 20))) == 20
