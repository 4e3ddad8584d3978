# SPDX-License-Identifier: Apache-2.0
"""Exceptions through several objects, and such as are hard to make again: they keep type, text and origin, and cost no more than their text (C-5)."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import octavo
import pytest

pytestmark = pytest.mark.timeout(120)
GROUP: Any = getattr(builtins, "ExceptionGroup", None)


class TwoArguments(Exception):
    def __init__(self, code: int, why: str) -> None:
        super().__init__(f"{code}: {why}")
        self.code = code


class Wrapping(Exception):
    def __init__(self, text: str) -> None:
        super().__init__("wrapped: " + text)


class OfKeywords(OSError):
    def __init__(self, *, path: str) -> None:
        super().__init__(2, "no such thing", path)


class NotMadeAgain:
    def __reduce__(self) -> tuple[Any, ...]:
        return NotMadeAgain, (1, 2)


class Relay:
    """Calls another, or itself by that, until it raises."""

    def __init__(self) -> None:
        self.next: Any = None

    @property
    def broken(self) -> int:
        return self.next.not_there  # type: ignore[no-any-return]

    def set_next(self, p: Any) -> None:
        self.next = p

    def fail(self, error: BaseException, hops: int = 0) -> None:
        if hops == 0:
            raise error
        self.next.fail(error, hops - 1)

    def two(self) -> None:
        raise TwoArguments(7, "why")

    def wrapping(self) -> None:
        raise Wrapping("x")

    def keywords(self) -> None:
        raise OfKeywords(path="/nowhere")

    def group(self) -> None:
        raise GROUP("some", [TwoArguments(7, "why"), ValueError(3)])

    def relay(self, name: str) -> None:
        getattr(self.next, name)()

    def take(self, value: object) -> str:
        return str(value)


@pytest.fixture
def pair() -> tuple[Relay, Relay]:
    first, second = octavo.process.make(Relay), octavo.process.make(Relay)
    first.set_next(second)
    second.set_next(first)
    return first, second


@pytest.mark.parametrize(("name", "kind", "text"), [("two", TwoArguments, "7: why"), ("wrapping", Wrapping, "wrapped: x"), ("keywords", OfKeywords, "")])
def test_its_constructor_is_not_called_again(pair: tuple[Relay, Relay], name: str, kind: type[Exception], text: str) -> None:
    for call in (getattr(pair[1], name), lambda: pair[0].relay(name)):
        with pytest.raises(kind) as caught:
            call()
        assert text in str(caught.value)
        assert str(caught.value).count("wrapped") <= 1
    if name == "two":
        assert caught.value.code == 7  # type: ignore[attr-defined]
    if name == "keywords":
        assert caught.value.filename == "/nowhere"  # type: ignore[attr-defined]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no exception groups")
def test_so_it_is_of_the_members_of_a_group(pair: tuple[Relay, Relay]) -> None:
    with pytest.raises(GROUP) as caught:
        pair[0].relay("group")
    first, second = caught.value.exceptions
    assert (type(first), first.code, type(second), second.args) == (TwoArguments, 7, ValueError, (3,))


def test_origin_is_where_it_was_raised_first(pair: tuple[Relay, Relay]) -> None:
    with pytest.raises(Wrapping) as caught:
        pair[0].relay("wrapping")
    origin = octavo.errors.origin(caught.value)
    assert origin is not None
    assert origin.process == octavo.watching.address(pair[1]).object
    notes = getattr(caught.value, "__notes__", [])
    assert len(notes) == (1 if sys.version_info >= (3, 11) else 0)
    trace = str(caught.value.__cause__)
    assert "in wrapping" in trace
    assert "in relay" in trace


def test_what_it_costs_grows_with_the_way_not_faster(pair: tuple[Relay, Relay]) -> None:
    """A mutual recursion of 400 levels took 6 s, and its text 3 MB."""
    with pytest.raises(LookupError, match="deep") as caught:
        pair[0].fail(LookupError("deep"), 400)
    trace = str(caught.value.__cause__)
    assert len(trace) < 64 << 10
    assert "raise error" in trace
    assert "left out here" in trace


def test_a_property_that_fails_within_tells_its_line(pair: tuple[Relay, Relay]) -> None:
    pair[0].set_next(None)
    with pytest.raises(AttributeError, match="not_there") as caught:
        _ = pair[0].broken
    assert "Did you mean" not in str(caught.value)
    assert "return self.next.not_there" in str(caught.value.__cause__)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_what_cannot_be_made_again_says_so(pair: tuple[Relay, Relay]) -> None:
    with pytest.raises(TypeError) as caught:
        pair[0].take(NotMadeAgain())
    assert "could not be made again where it arrived" in "".join(caught.value.__notes__)  # type: ignore[attr-defined,unused-ignore]
