# SPDX-License-Identifier: Apache-2.0
"""A mailbox in which one stream ends and another one begins: two programs that were started apart are one stream."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar, cast, overload

from octavo import _core
from octavo.errors import Cancelled, Error, GoneError, TimedOut
from octavo.objects import current
from octavo.objects.messages.mailboxes import Mailbox, code_of
from octavo.objects.unpicklable import Stays

T = TypeVar("T")

STEP = 0.1  # seconds, after which the life of the other side is looked at


class StreamBox(Generic[T]):
    """``octavo.pipeline(load, f).run(into=octavo.StreamBox("ov://home/x"))`` in one program, ``for x in octavo.StreamBox("ov://home/x")`` in another, or with
    it as the source of a stream: ``octavo.pipeline(g)(box)``.

    They are one stream: each item comes once and in order, the second ends where the first does, and ``run`` returns when the second has taken all. An error of
    either is told to the other. ``name``, ``type``, ``messages`` and ``bytes`` are those of octavo.Mailbox; with a type the other program may be one of C++,
    where it is octavo::StreamBox<T>. Clauses ST-11 and ST-12: docs/contract.md.
    """

    @overload
    def __init__(self: StreamBox[Any], name: str, type: None = None, *, messages: int = 256, bytes: int | str = "64MiB") -> None: ...
    @overload
    def __init__(self, name: str, type: type[T], *, messages: int = 256, bytes: int | str = "64MiB") -> None: ...
    def __init__(self, name: str, type: Any = None, *, messages: int = 256, bytes: int | str = "64MiB") -> None:
        self.name, self.type, self._messages, self._bytes = name, type, messages, bytes
        code_of(type)  # says what is wrong with it

    def __iter__(self) -> Iterator[T]:
        """The items of the next stream that ends here."""
        return Coming(self)

    def mailbox(self, name: str) -> Mailbox[T]:
        """Of this type, and bound."""
        return cast("Mailbox[T]", Mailbox(name, self.type, messages=self._messages, bytes=self._bytes))

    def __repr__(self) -> str:
        return f"octavo.StreamBox({self.name!r})"


def _told(error: BaseException | None) -> tuple[str, bool]:
    """What the other stream is told of this end, and whether it is nobody's failure."""
    was_left = error is None or isinstance(error, GeneratorExit | KeyboardInterrupt | Cancelled)
    return f"{type(error).__name__}: {error}", was_left


class Coming(Stays, Iterator[T]):
    """What comes from the first stream. Read by one thread; leave() by any."""

    cannot_travel = "a stream that is read cannot be sent to another process. Send its box"

    def __init__(self, box: StreamBox[T]) -> None:
        current.begin_for(box.name)
        self._box, self._joint = box, _core.JointIn(box.name)
        self._lock = threading.Lock()  # of the joint
        self._items: Mailbox[T] | None = None
        self._taken = 0
        self._over = False

    def __next__(self) -> T:
        wait = 0.001
        while not self._over:
            if self._items is None:
                self._accept()
                continue
            try:
                item = self._items.retrieve(timeout=wait)
            except TimedOut:
                wait = min(2 * wait, STEP)  # the word of the end comes by another way
                self._look()
                continue
            self._taken += 1
            return item
        raise StopIteration

    def _accept(self) -> None:
        with self._lock:
            if self._over:
                return
            try:
                if self._joint.accept(STEP):
                    self._items = self._box.mailbox(self._joint.items)
            except Error:
                self._over = True
                raise

    def _look(self) -> None:
        with self._lock:
            if self._over:
                return
            try:
                self._over = self._joint.is_over(self._taken)
            except BaseException:
                self._over = True
                raise
            if not self._joint.is_joined:
                self._items = None

    def leave(self, error: BaseException | None) -> None:
        """No more is wanted. The first stream is told why, if it has not ended."""
        with self._lock:
            if not self._over:
                self._over = True
                self._joint.leave(*_told(error))

    def __del__(self) -> None:
        if not getattr(self, "_over", True):
            try:
                self.leave(None)
            except Exception:  # the program ends
                self._over = True


class Leaving(Generic[T]):
    """``with Leaving(box) as post``: the second stream is told when it is made; posts, and returns when that has taken all, or knows the error."""

    def __init__(self, box: StreamBox[T]) -> None:
        current.begin_for(box.name)
        self._joint = _core.JointOut(box.name)
        self._items = box.mailbox(self._joint.items)
        self._posted = 0

    def __call__(self, item: T) -> None:
        self._joint.look()
        while not self._has_posted(item):
            self._joint.look()
            self._joint.look_at_other()
        self._posted += 1

    def _has_posted(self, item: T) -> bool:
        try:
            self._items.post(item, timeout=STEP)
        except TimedOut:
            return False
        except GoneError:
            self._joint.look()  # it may have said why
            raise
        return True

    def __enter__(self) -> Leaving[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self._joint.say_broken(self._posted, *_told(error))
            return
        self._joint.say_end(self._posted)
        try:
            while not self._joint.is_taken(STEP):
                pass
        except BaseException as problem:
            self._joint.say_broken(self._posted, *_told(problem))
            raise
