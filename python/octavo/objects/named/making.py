# SPDX-License-Identifier: Apache-2.0
"""Objects with names as programs make and open them."""

import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, overload

from octavo import _core
from octavo.errors import NotSupported, ProcessDied, UsageError
from octavo.objects import current
from octavo.objects.futures import Future
from octavo.objects.hosting import Making, method_names
from octavo.objects.named.state import check_class, version_of
from octavo.objects.pickling import dumps_first, raise_at
from octavo.objects.places import import_paths, server_command
from octavo.objects.pointers import pointer_of
from octavo.objects.trust import IMPORT_FROM, here
from octavo.objects.unpicklable import places_of_call

T = TypeVar("T")
MOST_TRIES = 3


def begin_named(place: _core.NamedPlace, machine: str, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
    """What ``NamedPlace.make`` waits for."""
    if not callable(function):
        raise UsageError(f"make() takes a class or a function, not {type(function).__name__}. Write octavo.named(name).make(Class, argument, ...)")
    if isinstance(function, type):
        check_class(function)
        version_of(function)
    current.begin()
    check_pickles("made")
    title = getattr(function, "__qualname__", type(function).__qualname__)
    making = Making(function, arguments, keywords)
    try:
        pickled, handles = dumps_first(tuple(making))
    except (TypeError, UsageError) as problem:
        raise_at(problem, places_of_call(*making))
    what = (*import_paths(elsewhere=bool(machine)), title, pickled, handles)
    names = (*method_names(function), weakref.ref(function)) if isinstance(function, type) else None
    begun: Future[Any] = _core.make_named(place, lasting_command(), what, title, names)
    return begun


@overload
def open(name: str, kind: type[T], *, machine: str = ...) -> T: ...
@overload
def open(name: str, kind: None = ..., *, machine: str = ...) -> Any: ...
def open(name: str, kind: type[Any] | None = None, *, machine: str = "local") -> Any:
    """The object with this name, of this class or one derived from it: ``octavo.open("ov://home/counter", Counter)``; a remote pointer to it.

    Where its process is gone, this brings it back from its last saved state, with the class as this program imports it. machine: that has the name, one
    of the Runtime's. Without a class it may be any, also one of C++, whose methods can be called that its OCTAVO_PYTHON names. UsageError: there is none, or it
    is of another class; NotSupported: its state is of a later version.
    """
    if kind is not None and not isinstance(kind, type):
        raise UsageError(f"octavo.open() of a {type(kind).__name__}. Give the class that the object was made of: octavo.open('{name}', Class)")
    current.begin()
    check_pickles("opened")
    if kind is None:
        return _core.open_named(machine, name, lasting_command(), "an object", of_any=True)
    try:
        pointer = _core.open_named(machine, name, lasting_command(), kind.__qualname__)
    except UsageError as problem:
        if "is no octavo::bindings::PythonObject" not in str(problem):
            raise
        cure = f"Open an array with octavo.open_array('{name}'), an object of C++ with octavo.open('{name}')"
        raise UsageError(f"'{name}' is an object of C++, or of an array, and no {kind.__qualname__}. {cure}") from None
    wanted = f"{kind.__module__}.{kind.__qualname__}"
    classes = classes_of(pointer)
    if wanted not in classes:
        cure = " A class of the program itself is no class of an object with a name: import it from its module." if kind.__module__ == "__main__" else ""
        raise UsageError(f"'{name}' is a {classes[0]}, no {wanted}. Open it as that class, or one that it is derived from.{cure}")
    return pointer


def classes_of(pointer: Any) -> list[str]:
    """One that has just died may be there again at the next call, and it does no harm to ask twice."""
    for _ in range(MOST_TRIES - 1):
        with suppress(ProcessDied):
            return list(_core.perform(pointer, "classes", ()))
    return list(_core.perform(pointer, "classes", ()))


def save(p: object) -> None:
    """Returns when the state of an object with a name is on the disk. UsageError: it has no name."""
    pointer = pointer_of(p, "save()")
    if not _core.has_lasting_address(pointer):
        raise UsageError(f"{pointer!r} has no name, so there is no place to save it to. Make it with octavo.named(name).make(Class, ...)")
    _core.save_object(pointer)


def restore_previous(name: str, *, machine: str = "local") -> None:
    """The state before the last saved becomes the object's: what was done since is lost. Its process is ended first, without saving.

    IoError: no earlier state is whole.
    """
    current.begin()
    _core.restore_previous(machine, name)


def check_pickles(doing: str) -> None:
    if not here.pickle:
        cure = "Use a Runtime that pickles for objects with names; it reads states from files of your own only"
        raise NotSupported(f"an object with a name was to be {doing} where nothing is pickled (Runtime(pickle=False)), and its state is a pickle. {cure}")


def lasting_command() -> list[str]:
    """By which the process of such an object is started now and later, whoever calls it: it says where this program imports from."""
    return [*server_command(), IMPORT_FROM + os.pathsep.join(import_paths(elsewhere=False)[0])]
