# SPDX-License-Identifier: Apache-2.0
"""What a worker that died had is done by another one: ST-9."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import octavo
import pytest
from streams_kit import DiesOnce, add_one, nothing_is_left

pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize("kind", ["free", "in turn"])
def test_st9_each_items_results_are_given_once_and_in_order(tmp_path: Path, kind: str) -> None:
    farm = octavo.farm(DiesOnce, tmp_path, [0, 5, 40, 99]).workers(2).stateless().on_death("redo")
    s = octavo.pipeline(farm if kind == "free" else farm.round_robin())
    assert list(s(range(100))) == [y for x in range(100) for y in (x, -x)]
    nothing_is_left()


def deadly(x: int) -> int:
    if x == 17:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def test_st9_an_item_that_three_workers_died_of_is_named() -> None:
    got: list[int] = []
    with pytest.raises(octavo.ProcessDied) as raised:
        octavo.pipeline(octavo.farm(deadly).workers(2).on_death("redo")).run(range(100), into=got.append)
    assert "item 17 of stage 'deadly' of a stream, of which 3 workers died" in raised.value.__notes__
    assert got == list(range(17))
    nothing_is_left()


def test_st9_a_class_says_that_it_may_be_redone(tmp_path: Path) -> None:
    with pytest.raises(octavo.UsageError, match="stateless"):
        octavo.pipeline(octavo.farm(DiesOnce, tmp_path, []).on_death("redo"))
    with pytest.raises(octavo.UsageError, match="redo"):
        octavo.farm(add_one).on_death("again")  # type: ignore[arg-type]
