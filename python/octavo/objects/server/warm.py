# SPDX-License-Identifier: Apache-2.0
"""What a fork server of Python objects loads before it forks, and what a fork needs to be as good as a process that was started."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
from typing import TYPE_CHECKING

from octavo.objects.trust import here

if TYPE_CHECKING:
    from octavo.objects.server.rehearsal import Rehearsal

RUNS = 20  # of the interpreter's code until it is what it stays


def load(modules: list[str]) -> Rehearsal:
    """Before the first fork: NumPy, what each object needs, and these modules of the standard library.

    The threads of NumPy's BLAS end before the first fork; in a fork they begin when needed.
    """
    import numpy  # noqa: F401

    from octavo.objects import hosting, pickling, raising, streams, unpicklable  # noqa: F401
    from octavo.objects.server.rehearsal import Rehearsal

    if not here.pickle:
        from octavo.objects.plain import reader, writer  # noqa: F401

    for each in modules:
        with contextlib.suppress(Exception):  # another machine's Python may lack it
            importlib.import_module(each)
    rehearsal = Rehearsal()
    for _ in range(RUNS):
        rehearsal.run()
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page that holds an object
    return rehearsal


def wake_fork() -> None:
    """In a fork: no two draw the same random numbers."""
    if random := sys.modules.get("numpy.random"):
        random.seed()
