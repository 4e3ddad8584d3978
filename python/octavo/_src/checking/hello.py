# SPDX-License-Identifier: Apache-2.0
"""Whether an object in a process answers, and how soon."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from octavo._src.checking.echo import echoing
from octavo._src.checking.finding import Finding

SECTION = "hello"


def find() -> Iterator[Finding]:
    """The first object of a program starts the Runtime and an interpreter; later ones are forked off that."""
    for name in ("first object made and called", "later object made and called"):
        begin = perf_counter()
        with echoing():
            yield Finding(SECTION, name, perf_counter() - begin, "s")
