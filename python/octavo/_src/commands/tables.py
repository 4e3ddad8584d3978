# SPDX-License-Identifier: Apache-2.0
"""What commands print for people: aligned columns, and times."""

from __future__ import annotations

import time
from collections.abc import Sequence

from octavo._src.paths import shown


def duration(seconds: float) -> str:
    """For people: two digits or a little more."""
    for unit, one in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * one:
            return f"{seconds / one:.0f} {unit}"
    return f"{max(seconds, 0.0):.0f} s"


def moment(seconds: float) -> str:
    """A time of the clock, here."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds)) if seconds else "-"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> str:
    """Aligned columns below a line that names them; the last is as long as it is."""
    lines = [[shown(text) for text in line] for line in (head, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    cells = [[text.rjust(w) if name in right else text.ljust(w) for text, w, name in zip(line, widths, head, strict=True)] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in cells)
