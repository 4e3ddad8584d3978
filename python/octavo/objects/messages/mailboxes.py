# SPDX-License-Identifier: Apache-2.0
"""Mailboxes: named boxes that any thread, object or program posts to, and one process reads; also between C++ and Python."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any, Generic, TypeVar, get_args, get_origin, overload

import numpy as np

from octavo import _core
from octavo.errors import TimedOut, UsageError
from octavo.objects import current
from octavo.objects.messages.numbers import room, seconds

T = TypeVar("T")

_codes: dict[Any, str] = {None: "*", int: "i", float: "f", str: "s", bytes: "b", np.ndarray: "a"}  # as the bindings know them (mailbox/words.hpp)


class Mailbox(Generic[T]):
    """``jobs = octavo.Mailbox("jobs")``: the box of this name, wherever in the program it is used. Who retrieves first is its reader, and no other process is.

    Any thread, object or machine of the program posts to it. What is posted before there is a reader waits where it was posted. A name that begins with
    ``ov://home/`` is one for all programs of this user on this machine, and for objects with names.

    Without a type it carries Python values of any kind, as arguments of calls travel. With ``type`` it is the same box as that of a C++ program: int is
    std::int64_t, float double, str std::string, bytes std::vector<std::byte>, numpy.ndarray octavo::ArrayPage, ``tuple[int, str]`` a std::tuple of these.
    Then a value that does not fit is a TypeError where it is posted.

    ``post`` waits while ``messages`` of this process, or ``bytes`` of them, lie unread. A Mailbox is a name: copies are the same box, and it travels as an
    argument. See clauses MB-1 to MB-5 in docs/contract.md. Raises UsageError (another type than the box has, of which both are named; no name or type for one).
    """

    __slots__ = ("_base", "_code", "_made_by", "_room", "name", "type")

    name: str
    type: Any

    @overload
    def __init__(self: Mailbox[Any], name: str, type: None = None, *, messages: int = 256, bytes: int | str = "64MiB") -> None: ...
    @overload
    def __init__(self, name: str, type: builtins.type[T], *, messages: int = 256, bytes: int | str = "64MiB") -> None: ...
    def __init__(self, name: str, type: Any = None, *, messages: int = 256, bytes: int | str = "64MiB") -> None:
        if not isinstance(name, str):
            raise UsageError(f"the name of a mailbox is a str, not {builtins.type(name).__name__}. Write octavo.Mailbox('jobs')")
        self.name, self.type, self._room = name, type, room(messages, bytes, f"mailbox {name!r}")
        self._code, self._made_by = code_of(type), current.this_process()
        self._base = _core.MailboxBase(name, self._code, *self._room)
        if _core.is_in_force():
            self._base.open()

    def post(self, value: T, timeout: float | None = None) -> None:
        """Waits while the box has no room, at most ``timeout`` seconds; it does not wait for a busy reader.

        The value is taken as it is now, as an argument of a call is. Raises TypeError (the value does not fit), TimedOut, ProcessDied (once, after the death of
        the reader: what it had not read is lost, and the next post waits for a new one), UsageError (another type, or name), NotSupported (in an object with a
        name, which outlives the names of a program).
        """
        current.begin_for(self.name, self._made_by)
        if not self._base.post(value, seconds(timeout)):
            raise TimedOut(f"mailbox {self.name!r} had no room for {timeout} s. Have its reader retrieve, or give it more room")

    def try_post(self, value: T) -> bool:
        """False, and nothing is posted, where ``post`` would wait."""
        current.begin_for(self.name, self._made_by)
        return self._base.try_post(value)

    def retrieve(self, timeout: float | None = None) -> T:
        """The next message; waits for it, at most ``timeout`` seconds. Those of one thread arrive in the order in which it posted them.

        Raises TimedOut, Refused (another process reads this box), UsageError (another type, or name).
        """
        current.begin_for(self.name, self._made_by)
        came = self._base.retrieve(seconds(timeout))
        if came is None:
            raise TimedOut(f"nothing came to mailbox {self.name!r} in {timeout} s")
        value: T = came[0]
        return value

    def try_retrieve(self, default: Any = None) -> Any:
        """The next message, or ``default``: nothing lies there."""
        current.begin_for(self.name, self._made_by)
        came = self._base.retrieve(0)
        return default if came is None else came[0]

    def __iter__(self) -> Iterator[T]:
        """Its messages, for ever: a box has no end."""
        return self

    def __next__(self) -> T:
        return self.retrieve()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mailbox) and (self.name, self._code) == (other.name, other._code)

    def __hash__(self) -> int:
        return hash((self.name, self._code))

    def __repr__(self) -> str:
        return f"octavo.Mailbox({self.name!r}{'' if self.type is None else f', {_text_of(self.type)}'})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.name, self.type, *self._room)


def select(*boxes: Mailbox[Any], timeout: float | None = None) -> Mailbox[Any]:
    """Waits until a message lies in one of them, and gives that box: the first, in the order of the arguments, where several have one.

    ::

        while (box := octavo.select(urgent, jobs)) is not urgent:
            work(box.retrieve())

    This process becomes the reader of all of them. Where several threads read one box, another may have taken the message. Raises TimedOut, and what
    ``retrieve`` raises.
    """
    if not boxes:
        raise UsageError("select() was called without a mailbox. Name those to wait for")
    for each in boxes:
        if not isinstance(each, Mailbox):
            raise UsageError(f"select() was given a {builtins.type(each).__name__}, which is no mailbox. {_cure_of(each)}")
        current.begin_for(each.name, each._made_by)
    which = _core.select_mailbox([each._base for each in boxes], seconds(timeout))
    if which is None:
        raise TimedOut(f"nothing came to {', '.join(repr(each.name) for each in boxes)} in {timeout} s")
    return boxes[which]


def _cure_of(what: object) -> str:
    if isinstance(what, str):
        return f"Give octavo.Mailbox({what!r}), the box of that name"
    if isinstance(what, list | tuple | set | frozenset):
        return "Give the boxes one by one: octavo.select(*boxes)"
    if isinstance(what, int | float):
        return f"Give the boxes alone, and seconds by their name: timeout={what}"
    if hasattr(what, "get") and hasattr(what, "put"):
        return "Of queues nothing is selected: let one thread get() from each, or post to an octavo.Mailbox"
    if hasattr(what, "result"):
        return "Wait for futures by octavo.wait()"
    return "Give octavo.Mailbox(name) for each to wait for; readers of channels have a thread each"


def _again(name: str, type: Any, messages: int, bytes: int) -> Mailbox[Any]:
    return Mailbox(name, type, messages=messages, bytes=bytes)


def code_of(type: Any, within: bool = False) -> str:
    if get_origin(type) is tuple:
        items = get_args(type)
        return "(" + "".join(code_of(item, True) for item in items) + ")"
    known = None if within and type is None else _codes.get(type) if _is_hashable(type) else None
    if known is None:
        raise UsageError(
            f"{_text_of(type)} is no type of messages. Use int, float, str, bytes, numpy.ndarray or a tuple of these (tuple[int, str]); without a type a "
            "mailbox carries Python values of any kind"
        )
    return known


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _text_of(type: Any) -> str:
    if get_origin(type) is tuple:
        return f"tuple[{', '.join(_text_of(item) for item in get_args(type)) or '()'}]"
    return "numpy.ndarray" if type is np.ndarray else type.__name__ if isinstance(type, builtins.type) else repr(type)
