# SPDX-License-Identifier: Apache-2.0
"""Relative paths of to_disk and from_array: of one machine they are in the directory of the program; members of several machines are refused (DA-8)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
import pytest
from distributed_classes import Holder
from octavo.distributed import from_array

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def by_members(me: ov.Member, whole: Any) -> Any:
    a = from_array(whole, group=me.group)
    a.to_disk("by_members.npy")
    return from_array(Path("by_members.npy"), group=me.group).gather(root=0)


@pytest.mark.parametrize("place", [ov.process, ov.thread])
def test_da8_of_one_machine_they_are_in_the_directory_of_the_program(here: Path, place: Any) -> None:
    whole = np.arange(12.0).reshape(6, 2)
    g = ov.make_group(Holder, 3, place=place)
    assert g.all.run(by_members, whole)[0].tolist() == whole.tolist()
    from_array(whole, group=g).to_disk("by_program.npy")
    assert from_array("by_program.npy", group=g).gather().tolist() == whole.tolist()
    assert sorted(each.name for each in here.iterdir()) == ["by_members.npy", "by_program.npy"]
    ov.destroy(g)


def test_da8_one_member_that_went_elsewhere_reads_what_the_others_read(here: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    def work(me: ov.Member, elsewhere: str) -> float:
        if me.index == 1:
            os.chdir(elsewhere)
        return float(from_array("x.npy", group=me.group).sum())

    elsewhere = tmp_path_factory.mktemp("elsewhere")
    np.save(here / "x.npy", np.ones(6))
    np.save(elsewhere / "x.npy", np.zeros(6))
    g = ov.make_group(Holder, 2)
    assert g.all.run(work, str(elsewhere)) == [6, 6]
    ov.destroy(g)


def test_da8_members_of_several_machines_are_refused_and_absolute_paths_are_not(here: Path, runtime: ov.Runtime) -> None:
    def write(me: ov.Member, path: str) -> None:
        ov.distributed.full((6, 2), 2.0, group=me.group).to_disk(path)

    def read(me: ov.Member, path: str) -> float:
        return float(from_array(path, group=me.group).sum())

    g = ov.make_group(Holder, 2, place=[ov.process, runtime.machine("box")])
    cure = "Give an absolute path, of a directory that all of them see"
    for work in (write, read):
        with pytest.raises(ov.UsageError, match=rf"'x.npy' by members on .*box.*{cure}"):
            g.all.run(work, "x.npy")
    g.all.run(write, str(here / "x.npy"))
    assert g.all.run(read, str(here / "x.npy")) == [24, 24]
    ov.destroy(g)
