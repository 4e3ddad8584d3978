# SPDX-License-Identifier: Apache-2.0
"""Where objects are made: a process of this machine, a thread of this program, another machine, beside another object."""

import functools
import os
import subprocess
import sys
import sysconfig
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from octavo import _core
from octavo.errors import UsageError
from octavo.objects import current
from octavo.objects.futures import Future
from octavo.objects.hosting import Making, method_names
from octavo.objects.pickling import dumps_first, raise_at
from octavo.objects.plain.names import name_of
from octavo.objects.pointers import Pointer, pointer_of
from octavo.objects.server.preloading import as_arguments
from octavo.objects.trust import NO_PICKLE, here
from octavo.objects.unpicklable import places_of_call

P = ParamSpec("P")
T = TypeVar("T")
NOT_PRELOADED = {"__main__", "antigravity", "readline", "rlcompleter", "this"}  # importing them shows or asks something


class Maker:
    """What begins to make objects: a place, or octavo.naming.NamedPlace."""

    def _begin(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
        raise NotImplementedError


class Place(Maker):
    """A place of objects. ``place.make(Class, ...)`` makes one there; ``octavo.start(place.make, Class, ...)`` gives a future of it, at once."""

    def __init__(self, name: str, *, on_thread: bool = False, machine: str = "", beside: Pointer | None = None) -> None:
        self._name, self._on_thread, self._machine, self._beside = name, on_thread, machine, beside

    def __repr__(self) -> str:
        return f"<octavo place: {self._name}>"

    def _where(self) -> tuple[bool, str, Pointer | None]:
        return self._on_thread, self._machine, self._beside

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._where() == other._where()

    def __hash__(self) -> int:
        return hash(self._where())

    def make(self, function: Callable[P, T], /, *arguments: P.args, **keywords: P.kwargs) -> T:
        """An object of a class, or what a function returns, in a process of its own there; a remote pointer to it.

        Returns when the constructor has, and raises what it raised. What is defined in ``__main__`` or in a function travels by value, all else is
        imported there by its name.
        """
        return cast(T, self._begin(function, arguments, keywords).result())

    def _begin(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
        if not callable(function):
            raise UsageError(f"make() takes a class or a function, not {type(function).__name__}. Write place.make(Class, argument, ...)")
        current.begin()
        title = getattr(function, "__qualname__", type(function).__qualname__)
        making = Making(function if here.pickle else name_of(function), arguments, keywords)
        try:
            pickled, handles = dumps_first(tuple(making))
        except (TypeError, UsageError) as problem:
            raise_at(problem, places_of_call(*making))
        what = (*import_paths(elsewhere=bool(self._machine) or self._beside is not None), title, pickled, handles)
        names = (*method_names(function), weakref.ref(function)) if isinstance(function, type) else None
        begun: Future[Any] = _core.make(self._on_thread, self._machine, self._beside, server_command(), fork_server_command(), what, title, names)
        return begun


def import_paths(*, elsewhere: bool) -> tuple[list[str], list[str], bool]:
    """What hosting.Host takes of them: where the program imports from, and which modules of the standard library it has from elsewhere."""
    if "" in sys.path:
        directory = str(Path.cwd())
        return [place or directory for place in sys.path], shadowed(), elsewhere
    return sys.path, shadowed(), elsewhere


def server_command() -> list[str]:
    """With the interpreter's flags of this program (-I, -O, -W, -X and the others), as multiprocessing passes them on."""
    if getattr(sys, "frozen", False):
        raise UsageError("an object in a process of a frozen program, whose executable is no interpreter. Run it by Python; octavo.thread works here")
    if not sys.executable:
        raise UsageError("an object in a process, where sys.executable does not name the interpreter to run. Set it: sys.executable = '/usr/bin/python3'")
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    command = [sys.executable, *flags, str(Path(__file__).parent / "server" / "program.py")]
    return command if here.pickle else [*command, NO_PICKLE]


def fork_server_command() -> list[str]:
    return [*server_command(), preloaded(), *as_arguments(import_paths(elsewhere=False)[0])]


@functools.cache
def preloaded() -> str:
    """Of the first object: the modules of the standard library that this program has by then are loaded before any fork."""
    left_out = NOT_PRELOADED.union(shadowed())
    loaded = {name for name in list(sys.modules) if name.partition(".")[0] in sys.stdlib_module_names - left_out}
    return ",".join(sorted(loaded))


def shadowed() -> list[str]:
    """Modules of this program that are called as some of the standard library are, and are others."""
    return [name for name in sys.modules.keys() & sys.stdlib_module_names if not is_of_standard_library(sys.modules.get(name))]


def is_of_standard_library(module: object) -> bool:
    file = getattr(module, "__file__", None)
    return file is None or (str(file).startswith(standard_library()) and "site-packages" not in str(file))


@functools.cache
def standard_library() -> tuple[str, ...]:
    """Its folders, by each of the names that they may have."""
    dynamic = (place for place in sys.path if place.endswith("lib-dynload"))
    return str(Path(os.__file__).parent), sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *dynamic


process = Place("a process of this machine")
thread = Place("a thread of this program", on_thread=True)


def beside(p: object) -> Place:
    """The machine of an object."""
    return Place(f"beside {p!r}", beside=pointer_of(p, "beside()"))


def place_of(p: object) -> Place:
    """The machine of an object, as a place; the same as ``beside(p)``."""
    return beside(p)
