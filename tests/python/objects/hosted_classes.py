# SPDX-License-Identifier: Apache-2.0
"""Classes that the tests put into processes. Every server imports this, so it imports little itself."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partialmethod, singledispatchmethod
from pathlib import Path
from typing import Any, NoReturn

import octavo


def wait_until(path: str, seconds: float = 100) -> None:
    """Returns when there is such a file."""
    begin = time.monotonic()
    while not Path(path).exists():
        if time.monotonic() - begin > seconds:
            raise TimeoutError(f"{path} has not come")
        time.sleep(0.002)


class Process:
    """What tests ask of an object besides what they are about."""

    def pid(self) -> int:
        return os.getpid()

    def thread(self) -> int:
        return threading.get_ident()

    def hold(self, path: str, began: str = "") -> str:
        """Occupies the object until there is such a file; makes another when it begins."""
        if began:
            Path(began).touch()
        wait_until(path)
        return path

    def ask(self, other: Any, name: str, *arguments: Any) -> Any:
        """Calls another object."""
        return getattr(other, name)(*arguments)


class Counter(Process):
    """Counts, and keeps a history."""

    step = 1

    def __init__(self, value: int = 0) -> None:
        self.value = value
        self.history: list[int] = []

    def add(self, n: int = 1) -> int:
        """Adds to the value."""
        self.value += n
        self.history.append(n)
        return self.value

    def fail(self, error: BaseException) -> NoReturn:
        raise error

    @property
    def double(self) -> int:
        return 2 * self.value

    @double.setter
    def double(self, value: int) -> None:
        self.value = value // 2

    @double.deleter
    def double(self) -> None:
        self.value = 0

    @staticmethod
    def plus(a: int, b: int) -> int:
        return a + b

    @classmethod
    def name(cls) -> str:
        return cls.__name__

    add_five = partialmethod(add, 5)

    @singledispatchmethod
    def note(self, what: object) -> str:
        return f"{type(what).__name__} after {self.add()}"

    @note.register
    def _(self, what: str) -> str:
        return f"text after {self.add()}"


class Echo(Process):
    """Gives back what it is given."""

    def same(self, what: Any) -> Any:
        return what

    def everything(self, *arguments: Any, **keywords: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return arguments, keywords

    def kind(self, what: Any) -> type[Any]:
        return type(what)

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def change(self, what: Any) -> Any:
        """Changes what it is given, in place and all the way down."""
        if isinstance(what, list):
            for item in what:
                self.change(item)
            what.append("changed")
        elif isinstance(what, dict):
            for item in what.values():
                self.change(item)
            what["changed"] = True
        elif isinstance(what, set):
            what.add("changed")
        elif isinstance(what, bytearray):
            what.extend(b"changed")
        return what


class Bag(Process):
    """A container."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.calls: list[str] = []

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.items[index] = value

    def __delitem__(self, index: Any) -> None:
        del self.items[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __contains__(self, what: object) -> bool:
        return what in self.items

    def __call__(self, *arguments: Any, **keywords: Any) -> tuple[Any, ...]:
        return (*self.items, *arguments, *sorted(keywords.items()))

    def __enter__(self) -> Bag:
        self.calls.append("enter")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        self.calls.append(f"exit {kind.__name__ if kind else None}: {error}")
        return kind is KeyError


class Delegate(Process):
    """Has the attributes of something else, too."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)


class Friend(Process):
    """Knows other objects and calls them."""

    def __init__(self, other: Any = None) -> None:
        self.other = other
        self.heard: list[Any] = []

    def hear(self, what: Any) -> int:
        self.heard.append(what)
        return len(self.heard)

    def back(self) -> Any:
        return self.other

    def is_same(self, one: Any, two: Any) -> bool:
        return bool(one == two)

    def chain(self, me: Any, others: list[Any]) -> list[int]:
        """The processes of all, and at the end that of the first, called while all wait."""
        if not others:
            return [os.getpid(), self.other.pid()]
        return [os.getpid(), *others[0].chain(others[0], others[1:])]


def one() -> int:
    return 1


class Helper:
    """Calls back whoever it is told."""

    def help(self, other: Busy) -> int:
        time.sleep(0.02)
        return other.back()


class Busy:
    """Begins many calls of functions, and is called back meanwhile, where it begins some, too."""

    def set(self, me: Busy, helper: Helper, workers: list[octavo.Worker]) -> None:
        self.me, self.helper, self.service = me, helper, octavo.Service(workers)

    def back(self) -> int:
        return octavo.call(self.service, one) + octavo.start(octavo.process, one).result()

    def begin(self, calls: int) -> tuple[list[int], int]:
        helping = [octavo.start(self.helper.help, self.me) for _ in range(3)]
        time.sleep(0.05)
        first = octavo.start(octavo.process, one)
        many = [octavo.start(self.service, one) for _ in range(calls)]
        return [each.result() for each in helping], first.result() + sum(each.result() for each in many)
