# SPDX-License-Identifier: Apache-2.0
"""What errors say to who calls from Python: the words of Python, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Echo, wait_until
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


class Names:
    bad = 1
    xadd = 2

    def add(self) -> None:
        pass


@pytest.mark.parametrize(("name", "near"), [("adx", "add"), ("badd", "bad"), ("ad", "add"), ("xad", "xadd")])
def test_the_nearest_name_is_the_one_that_begins_alike(name: str, near: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(octavo.thread.make(Names), name)
    assert str(caught.value) == f"'Names' object has no attribute '{name}'. Did you mean '{near}'?"


def test_where_no_name_is_near() -> None:
    with pytest.raises(AttributeError) as caught:
        octavo.thread.make(Names).quite_another  # type: ignore[attr-defined]  # noqa: B018
    assert str(caught.value) == "'Names' object has no attribute 'quite_another'"


def test_after_the_end_of_its_runtime(tmp_path: Path) -> None:
    out = run_program(
        tmp_path,
        """
        with octavo.Runtime():
            p = octavo.process.make(Counter)
        for work in (lambda: p.add(1), lambda: octavo.start(p.add, 1), lambda: octavo.destroy(p)):
            try:
                work()
            except octavo.UsageError as error:
                print(error)
        """,
    )
    text = "a remote pointer was used without a Runtime. There was none yet, or it has ended, and its objects with it: make the object again\n"
    assert out == 3 * text


class Waiting:
    def ask(self, other: Waiting, mine: str, others: str) -> int:
        Path(mine).touch()
        wait_until(others)
        return other.answer()

    def answer(self) -> int:
        return 1


def test_a_cycle_is_told_without_words_of_the_library(tmp_path: Path) -> None:
    a, b = (octavo.process.make(Waiting) for _ in range(2))
    began = [str(tmp_path / name) for name in "ab"]
    first, second = octavo.start(a.ask, b, *began), octavo.start(b.ask, a, *began[::-1])
    errors = [str(error) for error in (first.exception(), second.exception()) if error is not None]
    assert errors  # the other may go on when one has failed
    for error in errors:
        assert re.match(r"these wait for each other: Waiting \(process \d+, pid \d+ on [^)]+\) waits for a method of process \d+, Waiting", error)
        assert "::" not in error


PROCESS_CURE = "which is no method of a remote object. Write octavo.start(octavo.process, {}, ...) to run it in a worker of that place"
MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "an engine by a name that none has": (
        lambda: octavo.Runtime(engine="ssh"),
        "there is no engine that is called 'ssh'. By name there are 'slurm'; played() and ssh() are told their machines",
    ),
    "no engine": (
        lambda: octavo.Runtime(engine=["node1"]),  # type: ignore[arg-type]
        "the engine of a Runtime is what octavo.ssh(), octavo.slurm() or octavo.played() gives, not ['node1']. "
        "Write octavo.Runtime(engine=octavo.ssh([machine, ...])), octavo.slurm() or octavo.played([...])",
    ),
    "a negative extent": (lambda: octavo.empty(-1), "an array was to have the shape (-1,). Give extents of 0 or more"),
    "one of several": (lambda: octavo.empty((2, -3)), "an array was to have the shape (2, -3). Give extents of 0 or more"),
    "a function": (
        lambda: octavo.start(len, [1]),
        f"octavo.start() of len, {PROCESS_CURE.format('len')}, or octavo.start(p.method, argument, ...)",
    ),
    "a class": (
        lambda: octavo.start(Counter, 1),
        "octavo.start() of Counter, which is no method of a remote object. Write octavo.start(octavo.process.make, Counter, ...), "
        "or octavo.start(p.method, argument, ...)",
    ),
    "a number": (
        lambda: octavo.start(5),  # type: ignore[call-overload]
        "octavo.start() of what is no method of a remote object. Write octavo.start(p.method, argument, ...)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_cure(mistake: str) -> None:
    make, text = MISTAKES[mistake]
    with pytest.raises(octavo.UsageError) as caught:
        make()
    assert str(caught.value) == text


@pytest.mark.parametrize("index", [[1, 2], (1, 2), "1", 1.0, None], ids=repr)
def test_a_remote_array_has_no_such_index(index: Any) -> None:
    array: Any = octavo.thread.make(octavo.RemoteArray[float], 4)
    uses: list[Callable[[], object]] = [lambda: array[index], lambda: array.__setitem__(index, 1), lambda: array.add(index, 1)]
    for use in uses:
        with pytest.raises(octavo.UsageError) as caught:
            use()
        assert str(caught.value) == (
            f"a remote array has one dimension, and no element at {index!r}. "
            "Give an integer or a slice; what needs others goes to the data as a function: octavo.call(p, f)"
        )
    assert octavo.process.make(Echo).same(1) == 1
