# SPDX-License-Identifier: Apache-2.0
"""What a worker that died had is done by another one, or is told: ST-9, ST-3."""

from __future__ import annotations

import os
import re
import signal
from functools import partial
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


def deadly_at(at: int, x: int) -> int:
    if x == at:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


@pytest.mark.parametrize("at", [0, 17, 41, 77])
def test_st3_no_innocent_item_is_named_for_the_death_of_its_worker(at: int) -> None:
    with pytest.raises(octavo.ProcessDied) as raised:
        octavo.pipeline(octavo.farm(partial(deadly_at, at)).workers(2)).run(range(100))
    [told] = [each for each in raised.value.__notes__ if each.startswith("in stage")]
    found = re.search(r" item (?P<at>\d+)$| one of the \d+ items from (?P<first>\d+) to (?P<last>\d+) that", told)
    assert found is not None, told
    assert found["at"] == str(at) or int(found["first"] or -1) <= at <= int(found["last"] or -1), told
    nothing_is_left()


class DiesAtItsEnds:
    """In svc_init and svc_end, the first times."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _die_once(self, mark: str) -> None:
        try:
            (self.folder / mark).touch(exist_ok=False)
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def svc_init(self) -> None:
        self._die_once("init")

    def svc(self, x: int) -> int:
        return x

    def svc_end(self) -> None:
        self._die_once("end")


class NeverBegins:
    def svc_init(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def svc(self, x: int) -> int:
        return x


def test_st9_a_worker_that_dies_before_its_first_item_or_behind_its_last(tmp_path: Path) -> None:
    assert list(octavo.pipeline(octavo.farm(DiesAtItsEnds, tmp_path).workers(2).stateless().on_death("redo"))(range(100))) == list(range(100))
    with pytest.raises(octavo.ProcessDied):
        octavo.pipeline(octavo.farm(NeverBegins).workers(2).stateless().on_death("redo")).run(range(9))
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
