# SPDX-License-Identifier: Apache-2.0
"""Modules that take long to import are imported once, by the interpreter that objects are forked off, and not by each object."""

import importlib.util
import os

from octavo.errors import UsageError


class Preloaded:
    modules: tuple[str, ...] = ()


here = Preloaded()


def preload(*modules: str) -> None:
    """``octavo.preload("sklearn.ensemble")``: the objects that are made in processes from now on have these modules imported when they begin.

    For modules that only define something: one that starts threads when it is imported cannot be forked (then each object is started anew, and a line of the
    log says so), and one that opens a device shares it with all. They see the environment of the first object that is made after this.
    """
    for each in modules:
        if not isinstance(each, str):
            name = getattr(each, "__name__", "module")
            raise UsageError(f"preload() takes names of modules, not {type(each).__name__}. Write octavo.preload({name!r})")
        if importlib.util.find_spec(each.partition(".")[0]) is None:
            raise ModuleNotFoundError(f"preload(): there is no module named '{each}'. Check its name, and sys.path", name=each)
    here.modules = tuple(dict.fromkeys([*here.modules, *modules]))


def as_arguments(path: list[str]) -> list[str]:
    """Of the command of a fork server: the modules, and where they are imported from."""
    return [",".join(here.modules), os.pathsep.join(path)] if here.modules else []
