# SPDX-License-Identifier: Apache-2.0
"""The saved state of a Python object with a name: a pickle of the object, with the name of its class and its version before it.

Octavo writes it to a file that only its owner can read or write, and looks at that before it reads it (src/machine/registry/state_file.hpp).
"""

import pickle
import sys
from typing import Any, NamedTuple

from octavo.errors import Error, IoError, NotSupported, UsageError

PROTOCOL = 5  # that each Python of the last years reads
VERSION, UPGRADE = "state_version", "upgrade_state"  # what a class may have


class Saved(NamedTuple):
    """What stands in the file."""

    module: str
    name: str  # of the class there
    version: int
    pickled: bytes


def saved(what: object) -> bytes:
    """UsageError: its class cannot be found by a program that imports it, or something in its state cannot be pickled."""
    kind = type(what)
    check_class(kind)
    try:
        pickled = pickle.dumps(what, PROTOCOL)
    except Error:
        raise
    except Exception as problem:
        cure = "Leave out of the state what belongs to this process (files, threads, locks): __getstate__ gives what is kept, __setstate__ makes the rest anew"
        raise UsageError(f"the state of a {kind.__qualname__} cannot be stored: {type(problem).__name__}: {problem}. {cure}") from problem
    return pickle.dumps(tuple(Saved(kind.__module__, kind.__qualname__, version_of(kind), pickled)), PROTOCOL)


def check_class(kind: type) -> None:
    """UsageError, if a program that imports its module does not find it there."""
    module, name = kind.__module__, kind.__qualname__
    if module in ("__main__", "__mp_main__"):
        raise UsageError(
            f"the class {name} is defined in the program itself (__main__), and an object with a name outlives it: the next program could not import that. "
            "Put the class into a module, in a file beside the program, and import it from there"
        )
    if found(module, name) is not kind:
        raise UsageError(f"the class {name} is not what '{module}' has under this name, so that no later program finds it. Define it at the top of that module")


def found(module: str, name: str) -> object:
    what: Any = sys.modules.get(module)
    for each in name.split("."):
        what = getattr(what, each, None)
    return what


def version_of(kind: type) -> int:
    version = getattr(kind, VERSION, 0)
    if type(version) is not int or version < 0:
        raise UsageError(f"{kind.__qualname__}.{VERSION} is {version!r}. Give an integer of 0 or more, and a higher one where states change their meaning")
    return version


def title_of(state: bytes) -> str:
    return read(state).name.rpartition(".")[2]


def read(state: bytes) -> Saved:
    try:
        return Saved(*pickle.loads(state))
    except Exception as problem:
        raise IoError(f"it is no state of a Python object ({type(problem).__name__}: {problem})") from problem


def object_of(state: bytes) -> object:
    """UsageError: its class cannot be imported. NotSupported: a later version wrote it, or an earlier one, which this does not upgrade. IoError: all else."""
    stored = read(state)
    kind = imported(stored)
    mine = version_of(kind)
    text = f"its state was written by version {stored.version} of {stored.name}, and '{stored.module}' has version {mine}"
    if stored.version > mine:
        raise NotSupported(f"{text}. Open it from a program that has the later one")
    upgrade = getattr(kind, UPGRADE, None)
    if stored.version < mine and upgrade is None:
        cure = f"Define {stored.name}.{UPGRADE}(self, version), which is called once the state of that version is there, and changes it"
        raise NotSupported(f"{text}. {cure}")
    try:
        what = pickle.loads(stored.pickled)
        if upgrade is not None and stored.version < mine:
            upgrade(what, stored.version)
    except Exception as problem:
        raise IoError(f"making a {stored.name} of its state raised {type(problem).__name__}: {problem}") from problem
    return what


def imported(stored: Saved) -> type:
    try:
        __import__(stored.module)
    except Exception as problem:
        cure = "Open it from a program that can: it is looked for where that program imports from"
        raise UsageError(f"its class {stored.name} cannot be imported from '{stored.module}' ({type(problem).__name__}: {problem}). {cure}") from problem
    kind = found(stored.module, stored.name)
    if not isinstance(kind, type):
        raise UsageError(f"'{stored.module}' has no class {stored.name} any more. Give it back its name, or leave that name to the new one there")
    return kind
