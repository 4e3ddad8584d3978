# SPDX-License-Identifier: Apache-2.0
"""A remote pointer is used like the object: attributes, items, calls, with; what is its own: ==, hash, bool, repr, copies and pickles."""

from __future__ import annotations

import enum
import pickle

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
    with pytest.raises(TypeError, match="not callable"):
        octavo.start(pickle.loads(pickle.dumps(p)).add, 1).result()  # one that does not know calls what is there
    del p.add
    assert p.add(1) == 2
    assert p.add is p.add


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
    assert [*octavo.process.make(set, [1])] == [1]
    with pytest.raises(TypeError, match="not iterable"):
        list(made())  # type: ignore[call-overload]


def test_reversed_of_a_dict() -> None:
    assert list(reversed(octavo.process.make(dict, a=1, b=2))) == ["b", "a"]


def test_next_of_an_iterator() -> None:
    p = octavo.process.make(iter, [1, 2])
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
