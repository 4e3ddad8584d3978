# SPDX-License-Identifier: Apache-2.0
"""octavo.buffered(..., debug=True): what two processes must not do between two barriers is named (BA-3)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import octavo
import pytest
from octavo.buffered_arrays.conflicts import Steps

pytestmark = pytest.mark.timeout(120)
SHAPE = (12, 10)


def test_steps_meet_where_their_elements_do() -> None:
    random = np.random.default_rng(36)
    for _ in range(2000):
        pair = []
        for _ in range(2):
            lo, step, counts = random.integers(0, 9, 2), random.integers(1, 6, 2), random.integers(0, 5, 2)
            pair.append(Steps(tuple(map(int, lo)), tuple(map(int, step)), tuple(map(int, counts))))

        def elements(of: Steps) -> set[tuple[int, ...]]:
            return set(itertools.product(*(range(lo, lo + step * count, step) for lo, step, count in zip(of.lo, of.step, of.counts, strict=True))))

        both = elements(pair[0]) & elements(pair[1])
        found = pair[0].meets(pair[1])
        assert (found in both) if both else found is None, pair


class Members:
    """Two that meet: threads here, each with the array opened by itself."""

    def __init__(self) -> None:
        self._barrier, self._given = Barrier(2, timeout=60), [None, None]

    def member(self, number: int) -> Any:
        outer = self

        class Member:
            def barrier(self) -> None:
                outer._barrier.wait()

            def all_gather(self, value: Any) -> list[Any]:
                outer._given[number] = value
                outer._barrier.wait()
                return list(outer._given)

        return Member()


def both(path: Path, works: list[Callable[[octavo.BufferedArray], Any]]) -> list[str]:
    """What sync() said to each."""
    members = Members()

    def one(number: int) -> str:
        u = octavo.buffered(path, mode="r+", memory="64KiB", debug=True)
        try:
            works[number](u)
            u.sync(members.member(number))
            u.sync(members.member(number))  # of what was noted before nothing is left
        except octavo.UsageError as error:
            return str(error)
        finally:
            u.close()
        return ""

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(one, range(2)))


def put(index: Any) -> Callable[[octavo.BufferedArray], None]:
    return lambda u: u.__setitem__(index, 1)


def get(index: Any) -> Callable[[octavo.BufferedArray], Any]:
    return lambda u: u[index]


CASES: dict[str, tuple[Any, Any, str]] = {
    "rows": (put(np.s_[::2]), put(np.s_[1::2]), ""),
    "two writers": (put(np.s_[2:5]), put(np.s_[4:6, 3]), r"element (4, 3) of .* was written by members 0 and 1"),
    "steps": (put(np.s_[::2]), put(np.s_[::3, 5]), r"element (0, 5) of .* was written by members 0 and 1"),
    "a reader": (get(np.s_[3]), put(np.s_[3, 7]), r"element (3, 7) of .* was read by member 0 while member 1 wrote it"),
    "readers": (get(...), get(...), ""),
    "points": (put(([1, 2], [3, 4])), put(([2, 5], [4, 4])), r"element (2, 4) of .* was written by members 0 and 1"),
    "points and rows": (put(([1, 2], [3, 4])), get(np.s_[2]), r"element (2, 4) of .* was read by member 1 while member 0 wrote it"),
    "other points": (put(([1, 2], [3, 4])), put(([1, 2], [4, 3])), ""),
}


@pytest.mark.parametrize("case", CASES)
def test_ba3_what_the_protocol_forbids_is_named_to_all(tmp_path: Path, case: str) -> None:
    first, second, wanted = CASES[case]
    octavo.create_array(tmp_path / "u.npy", SHAPE, "int32").close()
    said = both(tmp_path / "u.npy", [first, second])
    assert said[0] == said[1]
    if wanted:
        begin, end = wanted.split(" of .* ")
        assert said[0].startswith(begin) and end in said[0]
    else:
        assert said[0] == ""


def test_who_cannot_gather_is_told(tmp_path: Path) -> None:
    with octavo.buffered(tmp_path / "u.npy", mode="w", shape=4, dtype="int32", debug=True) as u, pytest.raises(octavo.UsageError, match="no all_gather"):
        u.sync(Barrier(1))  # type: ignore[arg-type]
