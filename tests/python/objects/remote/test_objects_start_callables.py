# SPDX-License-Identifier: Apache-2.0
"""start() of what is called without a method of the class: the object itself, its operators, what its ``__getattr__`` gives."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable
from typing import Any

import octavo
import pytest
from hosted_classes import Bag, Counter, Delegate

pytestmark = pytest.mark.timeout(60)


class Later:
    async def __call__(self, n: int) -> int:
        await asyncio.sleep(0)
        return 2 * n


class Counts:
    def __call__(self, n: int) -> Any:
        yield from range(n)


class Dynamic:
    """Its methods are made when asked for, as in a client of some protocol."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.stored = os.getpid

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name == "nothing":
            raise AttributeError(name)
        if name == "partial":
            return functools.partial(self.note, "partial")

        def method(*arguments: Any, **keywords: Any) -> Any:
            return self.note(name, *arguments, **keywords)

        return method

    def note(self, name: str, *arguments: Any, **keywords: Any) -> tuple[Any, ...]:
        self.calls.append(name)
        return (name, os.getpid(), *arguments, *keywords.items())


def test_an_object_that_is_called() -> None:
    p = octavo.process.make(Bag, [1, 2])
    assert octavo.start(p, 3, k=4).result() == p(3, k=4) == (1, 2, 3, ("k", 4))
    assert octavo.start(p.__call__, 3).result() == p.__call__(3) == (1, 2, 3)
    assert octavo.start(octavo.process.make(lambda: pow), 2, 10).result() == 1024
    with pytest.raises(TypeError, match="not callable"):
        octavo.start(octavo.process.make(Counter), 1).result()  # type: ignore[call-overload]


def test_an_object_that_is_called_and_only_begins() -> None:
    later, counts = octavo.process.make(Later), octavo.process.make(Counts)
    assert octavo.start(later, 4).result() == later(4) == 8  # type: ignore[comparison-overlap]
    assert list(octavo.start(counts, 3).result()) == list(counts(3)) == [0, 1, 2]


def test_operators() -> None:
    p = octavo.process.make(Bag, [10, 20, 30])
    assert octavo.start(p.__getitem__, 1).result() == 20
    assert octavo.start(p.__len__).result() == 3
    assert octavo.start(p.__contains__, 30).result() is True
    octavo.start(p.__setitem__, 1, 21).result()
    octavo.start(p.__delitem__, 0).result()
    assert p.items == [21, 30]
    assert p.__getitem__.__name__ == "__getitem__"
    with pytest.raises(IndexError):
        octavo.start(p.__getitem__, 5).result()
    with pytest.raises(TypeError, match=r"__getitem__\(\) takes no keyword"):
        octavo.start(p.__getitem__, index=5)
    numbers = octavo.process.make(float, 2)
    assert octavo.start(numbers.__add__, 1).result() == 3
    assert octavo.start(numbers.__rsub__, 1).result() == -1


def test_what_is_the_pointers_own_is_not_started() -> None:
    p = octavo.process.make(Counter)
    for own in (p.__repr__, p.__eq__, p.__hash__, p.__dir__):
        with pytest.raises(octavo.UsageError, match=r"octavo\.start\(\) of __\w+__, which is the pointer's own"):
            octavo.start(own)


def test_methods_that_getattr_gives() -> None:
    p: Any = octavo.process.make(Delegate, Counter(5))
    assert octavo.start(p.plus, 1, 2).result() == p.plus(1, 2) == 3
    q: Any = octavo.process.make(Dynamic)
    there = octavo.call(q, lambda _: os.getpid())
    assert there != os.getpid()
    assert octavo.start(q.fetch, 1, k=2).result() == ("fetch", there, 1, ("k", 2))
    assert q.fetch(1, k=2) == ("fetch", there, 1, ("k", 2))
    assert octavo.start(q.partial, 1).result() == q.partial(1) == ("partial", there, 1)
    assert q.calls == ["fetch", "fetch", "partial", "partial"]
    with pytest.raises(AttributeError):
        octavo.start(q.nothing)


def test_a_function_that_is_an_attribute_is_a_value() -> None:
    q = octavo.process.make(Dynamic)
    assert q.stored() == os.getpid()
    with pytest.raises(octavo.UsageError, match=r"octavo\.process, getpid"):
        octavo.start(q.stored)
