# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/distributed.md for those who come from elsewhere: each piece of code at the right of each row runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
import pytest
from distributed_classes import Holder

pytestmark = pytest.mark.timeout(120)
PAGE = Path(__file__).resolve().parents[3] / "docs" / "distributed.md"
PIECE = re.compile(r"`([^`]+)`")


def rows() -> dict[str, list[list[str]]]:
    """The pieces of each row, by table."""
    found: dict[str, list[list[str]]] = {}
    rows_of: list[list[str]] = []
    for line in PAGE.read_text().split("## Coming from elsewhere")[1].splitlines():
        if not line.startswith("|") or line.startswith("|---"):
            continue
        there, here = line.strip("| ").rsplit(" | ", 1)
        if here == "here":
            rows_of = found[there] = []
        else:
            rows_of.append(PIECE.findall(here))
    return found


def test_all_tables_are_there() -> None:
    assert {name: len(each) > 4 for name, each in rows().items()} == {"pMatlab": True, "pPython": True, "Heat": True, "mpi4py": True}


@pytest.mark.parametrize("table", ["pMatlab", "pPython", "Heat", "mpi4py"])
def test_what_stands_at_the_right_runs(table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.ones((8, 8)))

    def work(me: ov.Member, pieces: list[str]) -> int:
        words: dict[str, Any] = {"ov": ov, "np": np, "me": me, "Split": ov.distributed.Split, "x": np.ones((8, 8))}
        words.update(a=ov.distributed.zeros((8, 8), halo=1, group=me.group), b=ov.distributed.zeros((8, 8), group=me.group))
        for each in pieces:
            exec(each, words)
        return len(pieces)

    g = ov.make_group(Holder, 4)
    for pieces in rows()[table]:
        assert g.all.run(work, pieces) == [len(pieces)] * 4
        assert pieces
    ov.destroy(g)
