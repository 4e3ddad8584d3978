# SPDX-License-Identifier: Apache-2.0
"""The code of modules that objects import, kept by their fork server: it is read or compiled once there, and not in each fork.

Each fork runs it for itself, as if it had come from ``__pycache__``: a file that has changed since is compiled anew. What a fork had to read it notes in
memory that it shares with its server, which reads the same before it forks again.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import time
import warnings
from importlib.machinery import SourceFileLoader
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import SourceLoader
    from types import CodeType

SLOTS, ROOM = 32, 4096  # of the notes: each fork has one slot, and it is another's 32 forks later
MOST_BYTES = 8 << 20  # of the sources
SETTLED = 2.0  # seconds: a file that was written a moment ago may be written again without another time


class Notes:
    """Paths that forks have noted. A slot is a byte that says that there is news, and lines."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, SLOTS * ROOM)
        self._slot, self._used = 0, 1

    def give_slot(self) -> None:
        """To the next fork."""
        self._slot, self._used = (self._slot + ROOM) % (SLOTS * ROOM), 1
        self._memory[self._slot : self._slot + ROOM] = bytes(ROOM)

    def add(self, path: str) -> None:
        """By a fork: at the end of its slot, if there is room."""
        line = os.fsencode(path) + b"\n"
        if self._used + len(line) < ROOM:
            at = self._slot + self._used
            self._memory[at : at + len(line)] = line
            self._used += len(line)
            self._memory[self._slot] = 1

    def take(self) -> list[str]:
        """All of which some are new. Two forks that share a slot may have written over each other: what is no path is no file either."""
        found = []
        for slot, news in enumerate(self._memory[::ROOM]):
            if news:
                at = slot * ROOM
                self._memory[at] = 0
                lines = self._memory[at + 1 : at + ROOM].partition(b"\0")[0].split(b"\n")
                found += [os.fsdecode(line) for line in lines if line.endswith(b".py")]
        return found


class Compiled:
    """Of one fork server and its forks."""

    def __init__(self) -> None:
        self.notes = Notes()
        self._known: dict[str, tuple[int, int, CodeType | None]] = {}  # when the file was written, its size
        self._bytes = 0

    def install(self) -> None:
        """All imports of modules from files ask here first, but for those by a loader that derives from the ordinary one."""
        ordinary = SourceFileLoader.get_code

        def get_code(loader: SourceLoader, name: str) -> CodeType | None:
            if type(loader) is SourceFileLoader and (code := self.find(loader.get_filename(name))) is not None:
                return code
            return ordinary(loader, name)

        self._read = ordinary
        SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]

    def find(self, path: str) -> CodeType | None:
        try:
            status = os.stat(path)  # noqa: PTH116 (each import of an object asks)
        except OSError:
            return None
        written, size, code = self._known.get(path, (0, -1, None))
        if (written, size) == (status.st_mtime_ns, status.st_size):
            return code
        self.notes.add(path)
        return None

    def before_fork(self) -> None:
        """In the server: reads what forks had to read."""
        if noted := self.notes.take():
            for path in dict.fromkeys(noted):
                self._learn(path)
            gc.freeze()
        self.notes.give_slot()

    def _learn(self, path: str) -> None:
        try:
            status = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            return
        written, size, _ = self._known.get(path, (0, 0, None))
        more = status.st_size - size
        if (more == 0 and written == status.st_mtime_ns) or time.time() - status.st_mtime < SETTLED or self._bytes + more > MOST_BYTES:
            return
        self._bytes += more
        code = None  # of a file that cannot be read, or of which there is something to warn: each fork reads it
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("error")
            code = self._read(SourceFileLoader("noted", path), "noted")
        self._known[path] = (status.st_mtime_ns, status.st_size, code)
