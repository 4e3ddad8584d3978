# SPDX-License-Identifier: Apache-2.0
"""``for x in p``: what has a length comes at once, anything else a little ahead of who reads it."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest

pytestmark = pytest.mark.timeout(60)


class Endless:
    def __init__(self) -> None:
        self.made = self.ended = 0

    def __iter__(self) -> Iterator[int]:
        try:
            for i in itertools.count():
                self.made += 1
                yield i
        finally:
            self.ended += 1


class Three(Endless):
    def __iter__(self) -> Iterator[int]:
        return itertools.islice(super().__iter__(), 3)


class Sized(Three):
    def __len__(self) -> int:
        return 3


class Failing:
    def __iter__(self) -> Iterator[int]:
        yield from range(3)
        raise LookupError("after three")


class ByIndex:
    def __getitem__(self, index: int) -> int:
        if index == 100:
            raise IndexError
        return index * index


class Nothing:
    pass


def test_an_endless_one_gives_its_first_items() -> None:
    p: Any = octavo.process.make(Endless)
    assert list(itertools.islice(p, 100)) == list(range(100))
    assert p.made <= 100 + 3 * 64
    numbers: Any = octavo.process.make(itertools.count, 5)
    assert list(itertools.islice(numbers, 3)) == [5, 6, 7]


def test_it_ends_with_its_reader() -> None:
    p: Any = octavo.process.make(Endless)
    for x in p:
        if x == 5:
            break
    gc.collect()
    assert p.ended == 1


@pytest.mark.parametrize("kind", [Three, Sized])
def test_all_of_it(kind: Any) -> None:
    p = octavo.process.make(kind)
    assert list(p) == [0, 1, 2]
    first, *rest = p
    assert (first, rest) == (0, [1, 2])
    a, b, c = p
    assert (a, b, c) == (0, 1, 2)
    with pytest.raises(ValueError, match="too many values"):
        a, b = p
    assert list(zip(p, p, strict=True)) == [(0, 0), (1, 1), (2, 2)]
    assert (sum(p), max(p), 2 in [*p]) == (3, 2, True)


def test_one_with_a_length_comes_at_once() -> None:
    p: Any = octavo.process.make(Sized)
    items = iter(p)
    assert p.made == 3
    octavo.destroy(p)
    assert list(items) == [0, 1, 2]


def test_one_with_items_by_index() -> None:
    assert list(octavo.process.make(ByIndex)) == [i * i for i in range(100)]  # type: ignore[call-overload]


def test_what_it_raises_comes_after_its_items() -> None:
    items = iter(octavo.process.make(Failing))
    assert [next(items) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(LookupError, match="after three"):
        next(items)


def test_an_iterator_is_not_closed_with_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("one\ntwo\n")
    p: Any = octavo.process.make(open, str(path))
    items = iter(p)
    assert next(items) == "one\n"
    del items
    gc.collect()
    assert not p.closed


def test_one_that_has_no_items() -> None:
    with pytest.raises(TypeError, match="'Nothing' object is not iterable"):
        iter(octavo.process.make(Nothing))  # type: ignore[call-overload]
