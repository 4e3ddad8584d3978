# SPDX-License-Identifier: Apache-2.0
"""Random calls of an object in a process, and the same of one held here: they never differ."""

from __future__ import annotations

import operator
from typing import Any

import octavo
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

pytestmark = pytest.mark.timeout(120)

KEYS = st.sampled_from(["a", "b", "c", 1, (2, 3)])
VALUES = st.recursive(st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5), lambda x: st.lists(x, max_size=3), max_leaves=5)
NAMES = st.sampled_from(["first", "second", "title", "rows"])


class Shelf:
    """A list, a table and attributes."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.table: dict[Any, Any] = {}

    def append(self, what: Any, *more: Any, times: int = 1) -> int:
        self.rows.extend([what, *more] * times)
        return len(self.rows)

    def take(self, index: int) -> Any:
        return self.rows.pop(index)

    def swap(self, what: list[Any]) -> list[Any]:
        self.rows, old = what, self.rows
        return old

    @property
    def count(self) -> int:
        return len(self.rows)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, key: Any) -> Any:
        return self.table[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.table[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.table[key]

    def __contains__(self, key: object) -> bool:
        return key in self.table

    def __iter__(self) -> Any:
        return iter(self.table)

    def __add__(self, other: int) -> int:
        return len(self.rows) + other

    def __iadd__(self, other: list[Any]) -> Shelf:  # type: ignore[misc]
        self.rows += other
        return self

    def __call__(self, **keywords: Any) -> list[Any]:
        return [self.rows, keywords]

    def state(self) -> list[Any]:
        return sorted((key, value) for key, value in vars(self).items())


def outcome(work: Any, what: Any) -> Any:
    try:
        return work(what)
    except Exception as error:
        return type(error), error.args


class Twins(RuleBasedStateMachine):
    remote: Any

    @initialize(on_thread=st.sampled_from([False, False, False, True]))
    def begin(self, on_thread: bool) -> None:
        self.local = Shelf()
        self.remote = (octavo.thread if on_thread else octavo.process).make(Shelf)
        self.started: list[tuple[Any, octavo.Future[Any]]] = []

    def both(self, work: Any) -> None:
        assert outcome(work, self.remote) == outcome(work, self.local)

    @rule(what=VALUES, more=st.lists(VALUES, max_size=2), times=st.integers(0, 2))
    def append(self, what: Any, more: list[Any], times: int) -> None:
        self.both(lambda p: p.append(what, *more, times=times))

    @rule(index=st.integers(-3, 3))
    def take(self, index: int) -> None:
        self.both(lambda p: p.take(index))

    @rule(what=st.lists(VALUES, max_size=3))
    def swap(self, what: list[Any]) -> None:
        self.both(lambda p: p.swap(list(what)))

    @rule(key=KEYS, value=VALUES)
    def set_item(self, key: Any, value: Any) -> None:
        self.both(lambda p: operator.setitem(p, key, value))

    @rule(key=KEYS)
    def item(self, key: Any) -> None:
        self.both(lambda p: p[key])
        self.both(lambda p: key in p)

    @rule(key=KEYS)
    def delete_item(self, key: Any) -> None:
        def delete(p: Any) -> None:
            del p[key]

        self.both(delete)

    @rule(name=NAMES, value=st.lists(VALUES, max_size=3))
    def set_attribute(self, name: str, value: Any) -> None:
        self.both(lambda p: setattr(p, name, list(value)))

    @rule(name=st.sampled_from(["first", "second", "title"]))
    def delete_attribute(self, name: str) -> None:
        def delete(p: Any) -> Any:
            try:
                delattr(p, name)
            except AttributeError:
                return "none"

        self.both(delete)

    @rule(name=NAMES)
    def attribute(self, name: str) -> None:
        self.both(lambda p: getattr(p, name, "none"))
        self.both(lambda p: hasattr(p, name))

    @rule(n=st.integers(), more=st.lists(VALUES, max_size=2))
    def operators(self, n: int, more: list[Any]) -> None:
        self.both(lambda p: (p + n, len(p), list(p), p.count))
        self.remote += more
        self.local += more

    @rule(keywords=st.dictionaries(st.sampled_from("abc"), VALUES))
    def call(self, keywords: dict[str, Any]) -> None:
        self.both(lambda p: p(**keywords))

    @rule(what=VALUES)
    def start(self, what: Any) -> None:
        self.started.append((self.local.append(what), octavo.start(self.remote.append, what)))

    @rule()
    def results(self) -> None:
        for want, call in self.started:
            assert call.result() == want
        self.started.clear()

    @invariant()
    def same_state(self) -> None:
        if hasattr(self, "local"):
            assert self.remote.state() == self.local.state()

    def teardown(self) -> None:
        if hasattr(self, "local"):
            self.results()
            octavo.destroy(self.remote)


def test_an_object_and_its_twin() -> None:
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(Twins, settings=settings(max_examples=12, stateful_step_count=30))
