# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/python.md for those who come from elsewhere: each piece of code at the right of each row runs as it stands there."""

from __future__ import annotations

import concurrent.futures
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import octavo as ov
import pytest
from coming_classes import C, f, g, work
from kit import MARK, marked, wait_for

pytestmark = pytest.mark.timeout(120)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
TABLES = {"Ray", "multiprocessing", "threading", "Dask", "mpi4py"}
PIECE = re.compile(r"`([^`]+)`")
WORDS = {"UsageError"}  # which are no code that does anything


class Row(NamedTuple):
    table: str
    there: str
    pieces: list[str]


def rows() -> list[Row]:
    text = PAGE.read_text()
    part = text[text.index("## Coming from elsewhere") : text.index("## Devices, and computing next to the data")]
    found, table = [], ""
    for line in part.splitlines():
        if not line.startswith("|") or line.startswith("|---"):
            continue
        there, here = line.strip("| ").split(" | ", 1)
        if here == "here":
            table = there
            continue
        found.append(Row(table, there, [each for each in PIECE.findall(here) if each not in WORDS]))
    return found


ROWS = rows()


def test_all_tables_are_there_and_have_rows() -> None:
    assert {each.table for each in ROWS} == TABLES
    assert len(ROWS) >= 50
    assert [each.there for each in ROWS if not each.pieces and not each.there.startswith(("`RLock()`", "`local()`"))] == []


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What the rows speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv(MARK, str(tmp_path))
    (tmp_path / "ssh").write_text('#!/bin/sh\nwhile [ "$1" != node1 ]; do shift; done\nshift\nexec sh -c "$*"\n')  # the machine is this one
    (tmp_path / "ssh").chmod(0o755)
    ov.create_array("a.zarr", (16, 8), "complex128", chunks=(4, 4))[...] = np.ones((16, 8))
    words = {"ov": ov, "C": C, "f": f, "g": g, "work": work, "concurrent": concurrent}
    yield {**words, "x": 3, "xs": [1, 2, 3, 4], "shape": (4, 4), "dtype": "f8", "name": "heat", "n": 4, "chunks": (8, 8)}
    wait_for(lambda: marked(str(tmp_path)) == [], 20, "all processes have ended")


def run(piece: str, names: dict[str, Any]) -> Any:
    try:
        code = compile(piece, piece, "eval")
    except SyntaxError:
        exec(piece, names)
        return None
    return eval(code, names)


def run_in_member(member: C, pieces: list[str]) -> None:
    """In a method of a group, where `me` is."""
    me = ov.self()
    names = {"ov": ov, "me": me, "x": 3, "a": np.ones(4), "b": np.empty(4)}
    for each in pieces:
        run(each, names)
    assert isinstance(member, C)


def is_for_member(piece: str) -> bool:
    return piece.startswith(("me.", "ov.self()"))


@pytest.mark.parametrize("row", [each for each in ROWS if each.pieces], ids=lambda row: f"{row.table}: {row.there}")
def test_what_stands_at_the_right_runs(row: Row, names: dict[str, Any]) -> None:
    if any("ov.Runtime(" in each for each in row.pieces):
        for each in row.pieces:
            with run(each, names) as runtime:
                assert "node1" in runtime.machines()
        return
    with ov.Runtime():
        use(row.pieces, names)
        if any("ov://home/" in each for each in row.pieces):
            ov.naming.end_lasting_agent()


def use(pieces: list[str], names: dict[str, Any]) -> None:
    names.update(c=ov.process.make(C, 5), p=ov.process.make(C, 5), d=ov.process.make(C, 5))
    names["r"] = ov.start(names["c"].f, 3)
    names["rs"] = [ov.start(names["c"].f, each) for each in range(4)]
    names["part"] = ov.make_group(C, 2, 5)
    if any(each.startswith("ov.open(") for each in pieces) and not any("ov.named(" in each for each in pieces):
        ov.named("ov://home/counter").make(C, 5)
    if any("a[10:20]" in each or each == "a.mean()" for each in pieces):
        names["a"] = ov.open_array("a.zarr")
    if any(each.startswith("changed.") for each in pieces):
        names["changed"] = ov.Condition()
        names["changed"].acquire()
    for each in pieces:
        if is_for_member(each):
            ov.call(names["part"], run_in_member, [each])
            continue
        kept = names.get("changed")
        run(each, names)
        if each.startswith("changed ="):
            assert names["changed"] is not kept
            names["changed"].acquire()
    if isinstance(names.get("a"), ov.Array):
        names["a"].close()
