# SPDX-License-Identifier: Apache-2.0
"""What cannot be sent is named, with its place in the words of who made the call."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Bag, Counter, Echo

pytestmark = pytest.mark.timeout(60)
LOCK: Any = threading.Lock()
TEXT = "{}: _thread.lock cannot be sent to another process: cannot pickle '_thread.lock' object. Send what it was made from, and make it there"


@pytest.fixture(scope="module")
def bag() -> Any:
    return octavo.process.make(Bag, [])


@pytest.fixture(scope="module")
def service() -> Iterator[octavo.Service]:
    made = octavo.Service.on([octavo.process], 1)
    yield made
    octavo.destroy(made)


def test_an_open_file_stays_in_its_process(echo: Echo, tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("w") as file, pytest.raises(TypeError, match=r"cannot pickle an open file, '.*a.txt'.* Send its path"):
        echo.everything(file)
    assert octavo.call(octavo.process, lambda stream: stream is __import__("sys").stdout, sys.__stdout__)


METHODS: list[tuple[Callable[[Any], object], str]] = [
    (lambda p: p.everything(1, LOCK), "argument 2"),
    (lambda p: p.everything([1, {"lock": LOCK}]), "argument 1[1]['lock']"),
    (lambda p: p.everything(1, settings={"a": LOCK}), "argument settings['a']"),
    (lambda p: (lambda twice: p.everything(1, twice, x=twice))([LOCK]), "argument 2[0]"),
    (lambda p: octavo.start(p.everything, x=LOCK), "argument x"),
    (lambda p: setattr(p, "attribute", LOCK), "the value"),
    (lambda p: octavo.call(p, max, LOCK), "argument 1"),
    (lambda p: octavo.call(p, lambda _, x: x, x=[LOCK]), "argument x[0]"),
    (lambda p: octavo.start(octavo.call, p, max, 1, LOCK), "argument 2"),
]


@pytest.mark.parametrize(("send", "place"), METHODS, ids=[place for _, place in METHODS])
def test_its_place_in_a_call_of_an_object(echo: Echo, send: Callable[[Any], object], place: str) -> None:
    with pytest.raises(TypeError) as caught:
        send(echo)
    assert str(caught.value) == TEXT.format(place)


OPERATORS: list[tuple[Callable[[Any], object], str]] = [
    (lambda p: p[LOCK], "the index"),
    (lambda p: p.__setitem__("a", LOCK), "the value"),
    (lambda p: p.__setitem__([LOCK], 1), "the index[0]"),
    (lambda p: LOCK in p, "the value"),
    (lambda p: p + {"k": LOCK}, "the operand['k']"),
    (lambda p: LOCK + p, "the operand"),
    (lambda p: p(1, LOCK), "argument 2"),
    (lambda p: p(x={"k": LOCK}), "argument x['k']"),
]


@pytest.mark.parametrize(("send", "place"), OPERATORS)
def test_its_place_in_an_operator(bag: Any, send: Callable[[Any], object], place: str) -> None:
    with pytest.raises(TypeError) as caught:
        send(bag)
    assert str(caught.value) == TEXT.format(place)


@pytest.mark.parametrize("way", ["make", "start make", "start place", "submit", "service"])
def test_its_place_in_what_is_made_or_called_by_a_worker(service: octavo.Service, way: str) -> None:
    with octavo.Executor(1) as workers:
        ways: dict[str, Callable[..., object]] = {
            "make": octavo.process.make,
            "start make": functools.partial(octavo.start, octavo.process.make),
            "start place": functools.partial(octavo.start, octavo.process),
            "submit": workers.submit,
            "service": functools.partial(octavo.call, service),
        }
        begin = ways[way]
        for arguments, keywords, place in (
            ((LOCK,), {}, "argument 1"),
            ((1, [LOCK]), {}, "argument 2[0]"),
            ((), {"x": {"k": LOCK}}, "argument x['k']"),
        ):
            with pytest.raises(TypeError) as caught:
                begin(Counter, *arguments, **keywords)
            assert str(caught.value) == TEXT.format(place)


def capturing() -> dict[str, Any]:
    lock = LOCK

    class Uses:
        def work(self) -> object:
            return LOCK

    class Has:
        inner = LOCK

    class Derived(Uses):
        pass

    def default(lock: object = LOCK) -> object:
        return lock

    return {
        "the class Uses (global LOCK of Uses.work)": Uses,
        "the class Derived (global LOCK of Uses.work)": Derived,
        "the class Has.inner": Has,
        "the function <lambda> (global LOCK of <lambda>)": lambda: LOCK,
        "the function <lambda> (variable lock of <lambda>)": lambda: lock,
        "the function default (default of default)": default,
        "the partial.args[0]": functools.partial(Counter, LOCK),
    }


@pytest.mark.parametrize("place", capturing())
def test_what_a_class_or_function_takes_along(place: str) -> None:
    with pytest.raises(TypeError) as caught:
        octavo.process.make(capturing()[place])
    assert str(caught.value) == TEXT.format(place)


def test_what_the_class_of_an_argument_takes_along(echo: Echo) -> None:
    with pytest.raises(TypeError) as caught:
        echo.same([capturing()["the class Uses (global LOCK of Uses.work)"]()])
    assert str(caught.value) == TEXT.format("argument 1[0] (global LOCK of Uses.work)")


def test_what_an_octavo_object_of_this_process_says(echo: Echo, service: octavo.Service) -> None:
    stays = "cannot be sent to another process. "
    with octavo.Executor(1) as workers:
        texts = {
            workers: f"an octavo.Executor {stays}Make one there",
            service: f"an octavo.Service {stays}Send its workers(), and make a Service of them there",
            octavo.start(echo.pid): f"an octavo.Future {stays}Send its result(), or the pointer to the object, and begin the call there",
        }
        for what, text in texts.items():
            with pytest.raises(octavo.UsageError) as caught:
                echo.everything(1, x=[what])
            assert str(caught.value) == f"argument x[0]: {text}"
            with pytest.raises(octavo.UsageError) as caught:
                octavo.process.make(Echo, what)  # type: ignore[call-arg]
            assert str(caught.value) == f"argument 1: {text}"


def test_a_place_travels_also_when_functions_were_started_on_it(echo: Echo) -> None:
    assert octavo.start(octavo.process, max, 1, 2).result() == 2
    assert repr(echo.same(octavo.process)) == repr(octavo.process)


def test_a_stream_says_that_it_stays(bag: Any) -> None:
    lines = octavo.process.make(Lines).lines()
    with pytest.raises(octavo.UsageError) as caught:
        bag(lines)
    text = "argument 1: the generator of a remote object cannot be sent to another process. Send its items, as list(stream), or have it begun there"
    assert str(caught.value) == text
    assert list(lines) == ["a", "b"]


class Lines:
    def lines(self) -> Iterator[str]:
        yield "a"
        yield "b"
