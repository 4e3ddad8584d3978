# SPDX-License-Identifier: Apache-2.0
"""Defaults of the functions of a script, by value."""

from __future__ import annotations

import octavo
import pytest
from hosted_classes import Echo
from script_kit import Script, answer

pytestmark = pytest.mark.timeout(60)


CHANGING = """
counts, options = [0], {"a": 1}
def plain(x, n=1): return n
def positional(x, options=options): return dict(options)
def named(x, *, options=options): return dict(options)
def helper(options=options): return dict(options)
def calling(x): return helper()
def counting(x, counts=counts):
    counts[0] += 1
    return counts[0]
"""


def test_defaults_are_what_they_are_here_at_each_call(worker: octavo.Executor) -> None:
    script = Script(CHANGING)
    functions = script.positional, script.named, script.calling
    assert [answer(worker, each, 0) for each in functions] == [{"a": 1}] * 3
    script.options["a"] = 2
    assert [answer(worker, each, 0) for each in functions] == [{"a": 2}] * 3
    script.positional.__defaults__, script.named.__kwdefaults__, script.helper.__defaults__ = ({"b": 3},), {"options": {"b": 3}}, ({"b": 3},)
    assert [answer(worker, each, 0) for each in functions] == [{"b": 3}] * 3
    assert answer(worker, script.plain, 0) == 1
    script.plain.__defaults__ = (2,)
    assert answer(worker, script.plain, 0) == 2
    script.plain.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'n'"):
        answer(worker, script.plain, 0)


def test_defaults_that_a_function_changes_there_stay_until_they_change_here(worker: octavo.Executor) -> None:
    script = Script(CHANGING)
    assert [answer(worker, script.counting, 0) for _ in range(2)] == [1, 2]
    script.counts[0] = 10
    assert [answer(worker, script.counting, 0) for _ in range(2)] == [11, 12]


def test_defaults_of_a_function_that_an_object_was_made_with(echo: Echo) -> None:
    script = Script(CHANGING, "class Keeping:\n    def __init__(self, f): self.f = f\n    def call(self, f): return f is self.f, f(0)")
    p = octavo.process.make(script.Keeping, script.positional)
    script.options["a"] = 2
    assert p.call(script.positional) == (True, {"a": 2})


def test_defaults_at_home_stay_when_the_function_comes_back(echo: Echo) -> None:
    script = Script(CHANGING)
    assert echo.same(script.positional) is script.positional
    script.options["a"] = 2
    assert echo.same(script.positional) is script.positional
    assert script.positional(0) == {"a": 2}
