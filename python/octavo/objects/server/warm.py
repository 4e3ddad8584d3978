# SPDX-License-Identifier: Apache-2.0
"""What a fork server of Python objects loads before it forks."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING

from octavo.objects.trust import here

if TYPE_CHECKING:
    from octavo.objects.server.rehearsal import Rehearsal

RUNS = 20  # of the interpreter's code until it is what it stays


def load(modules: str, preloaded: str = "", path: str = "") -> Rehearsal:
    """Before the first fork: NumPy, what each object needs, these modules of the standard library, and what the program had preloaded, from where it imports.

    The threads of NumPy's BLAS end before the first fork; in a fork they begin when needed.
    """
    import numpy  # noqa: F401

    from octavo.objects import hosting, pickling, raising, streams  # noqa: F401
    from octavo.objects.server.rehearsal import Rehearsal

    if not here.pickle:
        from octavo.objects.plain import reader, writer  # noqa: F401

    for each in modules.split(","):
        with contextlib.suppress(Exception):  # another machine's Python may lack it
            importlib.import_module(each)
    if preloaded:
        preload(preloaded.split(","), path.split(os.pathsep))
    rehearsal = Rehearsal()
    for _ in range(RUNS):
        rehearsal.run()
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page that holds an object
    return rehearsal


def preload(modules: list[str], path: list[str]) -> None:
    own = list(sys.path)
    sys.path[:] = [*path, *(each for each in own if each not in path)]
    try:
        for each in modules:
            try:
                importlib.import_module(each)
            except Exception as problem:  # an object that needs it says more
                print(f"octavo: '{each}' was not preloaded: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
    finally:
        sys.path[:] = own
