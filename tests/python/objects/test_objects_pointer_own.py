# SPDX-License-Identifier: Apache-2.0
"""What is a remote pointer's own: ==, hash, bool, repr, copies and pickles, its names, its life; and many threads that use one."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from xml.etree import ElementTree

import octavo
import pytest
from hosted_classes import Counter

pytestmark = pytest.mark.timeout(60)


class Settings:
    limit = 10

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
    rows = [[cell.text for cell in row] for row in ElementTree.fromstring(made()._repr_html_()).iter("tr")]  # type: ignore[attr-defined]
    assert rows[:2] == [["octavo pointer"], ["to", "Counter"]]
    assert rows[2][0] == "process"
    assert rows[2][1] is not None and rows[2][1].isdecimal()


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
    assert sorted(x for result in results for x in result) == list(range(1, 401))
    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(p.add, [1] * 20))) == 20
