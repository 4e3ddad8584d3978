# SPDX-License-Identifier: Apache-2.0
"""Stages that do not fit are found when the stream is built; nesting; workers' threads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import octavo
import pytest
from streams_kit import Notes, Times, add_one, nothing_is_left, repeat, repeated, twice

pytestmark = pytest.mark.timeout(120)


def text(x: int) -> str:
    return str(x)


def letters(x: str) -> Iterator[str]:
    yield from x


def number(x: str | bytes) -> float:
    return float(x)


def half(x: float) -> float:
    return x / 2


def any_of(x: Any) -> Any:
    return x


@pytest.mark.parametrize(
    ("before", "behind"),
    [(text, add_one), (letters, octavo.farm(Times, 2)), (octavo.farm(text).workers(2), twice), (octavo.pipeline(add_one, text), half), (Times, letters)],
)
def test_stages_that_do_not_fit_are_refused(before: Any, behind: Any) -> None:
    with pytest.raises(octavo.UsageError, match="Join stages of one type"):
        octavo.pipeline(octavo.stage(before, 2) if before is Times else before, behind)


def test_stages_that_fit_are_not() -> None:
    octavo.pipeline(text, letters, number, half, any_of, add_one, half)
    octavo.pipeline(octavo.farm(Times, 2), octavo.farm(text).broadcast().gather(), any_of)
    octavo.pipeline([1], text, letters)


def test_a_farm_of_a_pipeline_runs_its_stages_in_each_worker(tmp_path: Any) -> None:
    inner = octavo.pipeline(repeat, octavo.stage(Times, 2), octavo.stage(Notes, tmp_path / "notes"))
    s = octavo.pipeline(octavo.farm(inner).workers(2), add_one)
    assert list(s(range(300))) == [2 * x + 1 for x in repeated(list(range(300)))]
    assert sorted((tmp_path / "notes").read_text().split()) == ["end", "end", "init", "init"]
    assert list(s.inline()(range(30))) == [2 * x + 1 for x in repeated(list(range(30)))]
    with pytest.raises(octavo.UsageError, match="nothing is dealt there"):
        octavo.farm(octavo.pipeline(octavo.farm(add_one).round_robin()))


def threads_said(x: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def test_workers_have_so_many_threads_of_blas_as_there_are_cores_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert set(octavo.pipeline(octavo.farm(threads_said).workers(2))(range(4))) == {str(max(1, (os.cpu_count() or 1) // 2))}
    assert set(octavo.pipeline(octavo.farm(threads_said).workers(2).on(octavo.thread))(range(4))) == {None}


def slow_to_begin(x: int) -> int:
    return x


def test_st2_an_unbounded_stage_takes_what_comes_up_to_its_memory() -> None:
    assert list(octavo.pipeline(octavo.stage(add_one).unbounded())(range(5000))) == list(range(1, 5001))
    with pytest.raises(octavo.Refused, match="before stage 'add_one'"):
        octavo.pipeline(octavo.stage(add_one).unbounded(100_000)).run(itertools.count())
    nothing_is_left()
