# SPDX-License-Identifier: Apache-2.0
"""What a fork server of Python objects loads before it forks, and what a fork needs to be as good as a process that was started."""

import contextlib
import gc
import importlib
import sys


def load(modules: list[str]) -> None:
    """Before the first fork: NumPy, what each object needs, and these modules of the standard library.

    The threads of NumPy's BLAS end before the first fork; in a fork they begin when needed.
    """
    import numpy  # noqa: F401

    from octavo.objects import hosting, pickling, raising, streams, unpicklable  # noqa: F401

    for each in modules:
        with contextlib.suppress(Exception):  # another machine's Python may lack it
            importlib.import_module(each)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page that holds an object


def wake_fork() -> None:
    """In a fork: no two draw the same random numbers."""
    if random := sys.modules.get("numpy.random"):
        random.seed()
