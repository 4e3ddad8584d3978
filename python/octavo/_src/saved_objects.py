# SPDX-License-Identifier: Apache-2.0
"""Objects with names as their files say, which need no Runtime, and nothing of NumPy: octavo.naming has these, and so does octavo ls."""

from __future__ import annotations

from dataclasses import dataclass

from octavo import _core


@dataclass(frozen=True)
class SavedObject:
    """An object with a name, whether it runs or rests."""

    name: str
    class_name: str
    object: int
    made: float  # seconds since 1970
    saved: float  # 0: never
    generation: int  # how often it was saved
    bytes: int  # of its state
    pid: int  # 0: it rests
    trouble: str  # why its state cannot be read; empty: it can


def saved_objects(prefix: str = "", home: str = "") -> list[SavedObject]:
    """The objects with names at ``prefix`` and below, by name. Nothing is started or made."""
    return [SavedObject(**each) for each in _core.saved_objects(prefix, home)]


def restore_saved(name: str, home: str = "") -> SavedObject:
    """Makes the state before the current one current; the object must not run."""
    return SavedObject(**_core.restore_saved(name, home))
