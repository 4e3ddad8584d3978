# SPDX-License-Identifier: Apache-2.0
"""Pointers as arguments, results and attributes; and objects that call back the object that waits for them (C-3)."""

from __future__ import annotations

import concurrent.futures
import os
import re
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Friend, wait_until

pytestmark = pytest.mark.timeout(60)


class Waiter(Friend):
    """Starts a call that comes back to it, and waits for it in one of the ways there are."""

    def wait_by(self, me: Any, other: Any, way: str) -> Any:
        f = octavo.start(other.ask, me, "hear", way)
        if way == "result":
            f.result(20)
        elif way == "exception":
            assert f.exception(20) is None
        elif way == "result after a callback was added":
            f.add_done_callback(lambda _: self.hear("the callback"))
            f.result(20)
        elif way == "wait":
            assert not concurrent.futures.wait([f], 20).not_done
        elif way == "as_completed":
            list(concurrent.futures.as_completed([f], 20))
        return f.result(20)

    async def in_a_coroutine(self, me: Any, other: Any) -> Any:
        return await octavo.start(other.ask, me, "hear", "await")

    def make_friend(self) -> Friend:
        self.other = octavo.process.make(Friend)
        return self.other  # type: ignore[no-any-return]

    def make_on_a_thread(self) -> int:
        return octavo.thread.make(Friend).pid()


@pytest.fixture(scope="module")
def two() -> tuple[Waiter, Waiter]:
    return octavo.process.make(Waiter), octavo.process.make(Waiter)


def test_a_pointer_is_an_argument_a_result_and_an_attribute(two: tuple[Waiter, Waiter]) -> None:
    p, q = two
    counter = octavo.process.make(Counter, 1)
    assert p.ask(counter, "add", 2) == 3
    p.other = counter
    assert p.other == counter
    assert p.back() == counter
    assert p.back().add(1) == 4
    q.heard = [{"in": (counter,)}]
    assert q.heard[0]["in"][0].value == 4
    assert p.is_same(counter, counter)
    assert not p.is_same(counter, q)
    assert octavo.process.make(Friend, counter).ask(counter, "pid") == counter.pid()


def test_an_object_makes_another(two: tuple[Waiter, Waiter]) -> None:
    made = two[0].make_friend()
    assert len({made.pid(), two[0].pid(), os.getpid()}) == 3
    assert two[0].ask(made, "hear", "from its maker") == 1
    assert made.heard == ["from its maker"]
    assert two[0].make_on_a_thread() == two[0].pid()


def test_a_method_is_an_argument(two: tuple[Waiter, Waiter]) -> None:
    counter = octavo.process.make(Counter, 1)
    friend = octavo.process.make(Friend, counter.add)
    assert friend.back()(2) == 3
    assert counter.value == 3


def test_one_that_waits_is_called_back(two: tuple[Waiter, Waiter]) -> None:
    p, q = two
    before = len(p.heard)
    assert p.ask(q, "ask", p, "hear", "back") == before + 1
    assert p.heard[-1] == "back"


def test_one_calls_itself(two: tuple[Waiter, Waiter]) -> None:
    p = two[0]
    before = len(p.heard)
    assert p.ask(p, "hear", "itself") == before + 1


def test_through_three_objects() -> None:
    objects = [octavo.process.make(Friend) for _ in range(3)]
    for each in objects:
        each.other = objects[0]
    pids = [each.pid() for each in objects]
    assert objects[0].chain(objects[0], objects[1:]) == [*pids, pids[0]]


def test_many_turns(two: tuple[Waiter, Waiter]) -> None:
    p, q = two
    call: list[Any] = [p, "hear", "deep"]
    for turn in range(20):
        call = [q if turn % 2 == 0 else p, "ask", *call]
    before = len(p.heard)
    assert p.ask(*call) == before + 1


def test_an_exception_comes_back_through_all(two: tuple[Waiter, Waiter]) -> None:
    p, q = two
    counter = octavo.process.make(Counter)
    with pytest.raises(LookupError, match="deep inside") as caught:
        p.ask(q, "ask", counter, "fail", LookupError("deep inside"))
    assert str(caught.value.__cause__).count("deep inside") >= 1
    assert p.ask(q, "ask", counter, "add", 1) == 1


@pytest.mark.parametrize("way", ["result", "exception", "result after a callback was added", "wait", "as_completed"])
@pytest.mark.parametrize("place", [octavo.process, octavo.thread], ids=["process", "thread"])
def test_a_started_call_comes_back_while_its_future_is_waited_for(place: octavo.Place, way: str) -> None:
    p, q = place.make(Waiter), octavo.process.make(Waiter)
    assert p.wait_by(p, q, way) >= 1
    assert p.heard[0] == way


def test_a_coroutine_is_called_back_while_it_awaits() -> None:
    p, q = octavo.process.make(Waiter), octavo.process.make(Waiter)
    call = octavo.start(p.in_a_coroutine, p, q)
    assert call.result(20) == 1  # type: ignore[comparison-overlap]


class Caller(Friend):
    """Calls another when both have begun, so that each is busy when it is called."""

    def ask_at_once(self, other: Any, mine: str, others: str) -> int:
        Path(mine).touch()
        wait_until(others)
        return int(other.hear("cycle"))


class Callee(Caller):
    """Another name."""


def test_a_cycle_of_two_callers_ends(tmp_path: Path) -> None:
    """Of two roots: neither may call the other back (C-3)."""
    p, q = octavo.process.make(Caller), octavo.process.make(Callee)
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    calls = [octavo.start(p.ask_at_once, q, one, two), octavo.start(q.ask_at_once, p, two, one)]
    outcomes = [call.exception(10) for call in calls]
    errors = [each for each in outcomes if each is not None]
    assert errors
    for error in errors:
        assert isinstance(error, octavo.Error)
        assert "these wait for each other" in str(error)
        assert {"Caller", "Callee"} <= set(re.findall(r"\w+", str(error)))


def test_an_object_of_a_thread_is_called_back() -> None:
    p, q = octavo.thread.make(Waiter), octavo.process.make(Waiter)
    assert p.ask(q, "ask", p, "hear", 1) == 1
    assert q.ask(p, "ask", q, "hear", 1) == 1
