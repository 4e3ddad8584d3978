# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows: whole tables, in which hostile names are text."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from xml.etree import ElementTree

import octavo
import pytest
from octavo._src.html_table import facts_html, rows_html
from octavo.watching import DiskFacts, MachineFacts, Machines

pytestmark = pytest.mark.timeout(60)

HOSTILE = "<script>alert('&amp;')</script>\"\x1b[31m"


def cells(html: str) -> list[list[str]]:
    """The text of each line of a table; fails where the tags do not fit, or there are others in it."""
    table = ElementTree.fromstring(html)
    assert table.tag == "table"
    assert {each.tag for each in table.iter()} <= {"table", "thead", "tbody", "tr", "th", "td"}
    return [[cell.text or "" for cell in row] for row in table.iter("tr")]


def test_text_is_escaped() -> None:
    shown = HOSTILE.replace("\x1b", "\\x1b")
    assert cells(facts_html(HOSTILE, {HOSTILE: HOSTILE})) == [[shown], [shown, shown]]
    assert cells(rows_html([HOSTILE, "b"], [[HOSTILE, "\udce9"]])) == [[shown, "b"], [shown, "\\xe9"]]
    assert "<script" not in facts_html(HOSTILE, {HOSTILE: HOSTILE})


def test_an_array(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/<b>&\xe9.zarr")
    with octavo.create_array(path, (6, 5), "float32", chunks=(3, 5), dims=("<y>", None)) as a:
        title, *facts = cells(a._repr_html_())
        assert title == ["octavo.Array"]
        assert dict(facts) == {
            "shape": "(6, 5)",
            "dtype": "float32",
            "chunks": "(3, 5)",
            "dims": "<y>, -",
            "bytes": "120 B",
            "format": "zarr",
            "path": f"{tmp_path}/<b>&\\xe9.zarr",
        }
        a._repr_html_().encode()
    assert cells(a._repr_html_())[0] == ["octavo.Array, closed"]


def test_an_array_of_pages(tmp_path: Path) -> None:
    with octavo.create_array(tmp_path / "a.octavo", (8,), "int16", chunks=(4,)) as a:
        assert ["pages", str(a.chunks)] in cells(a._repr_html_())


def test_machines() -> None:
    found = octavo.watching.machines()
    assert isinstance(found, list)
    head, line = cells(found._repr_html_())
    assert head == ["machine", "cores", "load", "memory", "disks"]
    assert line[:2] == [found[0].name, str(found[0].cores)]
    assert pickle.loads(pickle.dumps(found)) == found == list(found)


def test_machines_with_hostile_names() -> None:
    found = Machines([MachineFacts("<b>", 2, 4 << 30, 1 << 30, 0.5, (DiskFacts("/a&b", 2 << 30, 1 << 30),)), MachineFacts("box", 1, 1, 1, 0.0, ())])
    assert cells(found._repr_html_())[1:] == [
        ["<b>", "2", "0.50", "1 GiB of 4 GiB available", "/a&b 1 GiB of 2 GiB free"],
        ["box", "1", "0.00", "1 B of 1 B available", "-"],
    ]
