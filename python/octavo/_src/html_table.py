# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of Octavo's values: tables, in which all text is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from octavo._src.paths import shown

LEFT = ' style="text-align: left"'


def facts_html(title: str, facts: Mapping[str, str]) -> str:
    """A line for each fact of one value, below its title."""
    lines = "".join(f"<tr><th{LEFT}>{cell(name)}</th><td{LEFT}>{cell(value)}</td></tr>" for name, value in facts.items())
    return f'<table><thead><tr><th{LEFT} colspan="2">{cell(title)}</th></tr></thead><tbody>{lines}</tbody></table>'


def rows_html(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A line for each of several values, below the names of their columns."""
    names = "".join(f"<th{LEFT}>{cell(each)}</th>" for each in head)
    lines = "".join(f"<tr>{''.join(f'<td{LEFT}>{cell(each)}</td>' for each in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>"


def cell(text: str) -> str:
    """Escaped; what cannot be UTF-8, or is no letter but a control, is shown by its number."""
    return escape(shown(text))
