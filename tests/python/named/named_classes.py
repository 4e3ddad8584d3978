# SPDX-License-Identifier: Apache-2.0
"""Classes of objects with names. Each of their processes, and other programs of the tests, import this."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any


class Counter:
    """The simplest: its attributes are its state."""

    def __init__(self, value: int = 0) -> None:
        if value < 0:
            raise ValueError(f"{value} is below 0")
        self.value = value

    def add(self, n: int = 1) -> int:
        self.value += n
        return self.value

    def pid(self) -> int:
        return os.getpid()

    def crash(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def where(self) -> str:
        return str(Path.cwd())


class Tally(Counter):
    """Derived, and with more."""

    async def later(self, n: int) -> int:
        return self.add(n)


class Locked:
    """Says what of it is kept, for a lock cannot be."""

    def __init__(self, names: list[str]) -> None:
        self.names, self._lock = names, threading.Lock()

    def add(self, name: str) -> list[str]:
        with self._lock:
            self.names.append(name)
            return self.names

    def __getstate__(self) -> list[str]:
        return self.names

    def __setstate__(self, names: list[str]) -> None:
        self.names, self._lock = names, threading.Lock()


class Unkept:
    """Whose state cannot be stored."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Holder:
    """Of anything."""

    def __init__(self, what: Any = None) -> None:
        self.what = what

    def give(self) -> Any:
        return self.what

    def take(self, what: Any) -> None:
        self.what = what


def two_more(value: int) -> Counter:
    return Counter(value + 2)
