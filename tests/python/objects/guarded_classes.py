# SPDX-License-Identifier: Apache-2.0
"""Classes of objects in a Runtime that does not pickle, and what a hostile process sends to them and from them."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import cloudpickle
import octavo
from hosted_classes import Counter, Echo
from octavo.objects import raising
from octavo.objects.trust import here


class Evil:
    """Makes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.path, "w")


class Own(Exception):
    pass


class Strict(Counter, Echo):
    """Of a process in which whatever unpickles ends in an error."""

    def __init__(self, value: int = 0) -> None:
        super().__init__(value)
        pickle.loads = pickle.load = pickle.Unpickler = refuse  # type: ignore[assignment,misc]

    def pickles(self) -> bool:
        return here.pickle

    def fail_of_its_own(self) -> NoReturn:
        raise Own("only here", 5)

    async def later(self, what: Any) -> Any:
        await asyncio.sleep(0)
        return what

    def lines(self, n: int) -> Iterator[Any]:
        for i in range(n):
            yield {i}
        raise Own("after them")

    def make_another(self) -> tuple[bool, int]:
        other = octavo.process.make(Strict, 7)
        return other.pickles(), other.add(1)


class Hostile(Counter):
    """Sends what its Runtime does not want."""

    def give(self, path: str) -> Any:
        here.pickle = True
        return Evil(Path(path))

    def throw(self, path: str) -> NoReturn:
        raising.pickle_of = lambda _: cloudpickle.dumps(Evil(Path(path)))
        raise Own("with more than its text")


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("something was unpickled")
