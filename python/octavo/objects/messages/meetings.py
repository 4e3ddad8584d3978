# SPDX-License-Identifier: Apache-2.0
"""Where threads, objects and processes of a program on one machine wait for each other: used as those of threading."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, overload

from octavo import _core
from octavo.errors import UsageError
from octavo.objects.messages.locks import opened
from octavo.objects.messages.numbers import seconds, whole

Action = Callable[[], object]


class _Meeting:
    __slots__ = ("_lock",)

    _lock: Any  # the extension's

    @property
    def name(self) -> str:
        return str(self._lock.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Meeting) and type(other) is type(self) and self.name == other.name

    def __hash__(self) -> int:
        return hash((type(self), self.name))


class Barrier(_Meeting):
    """``octavo.Barrier("rows", 4)``: each waits until four have come; the same name on a machine is the same barrier. ``octavo.Barrier(4)`` is one of its own,
    which travels as an argument. As threading.Barrier.

    Where a process or object that has it dies, while it waits or between two waits, or one that waits is out of time or interrupted, all who wait and come
    get BrokenBarrier, which names the dead one; ``reset()`` mends it.
    ``octavo.Barrier(4, action, timeout)``, also after a name: the last to come that has an action calls it before anybody goes on, and the barrier breaks where
    it raises; timeout: of each wait() that gives none. Both travel with it, and are no part of its name.
    See clauses BR-1 to BR-4 in docs/contract.md. Sent to another machine it is that machine's. C++: octavo/message/barrier.hpp.
    """

    __slots__ = ("_action", "_timeout")

    @overload
    def __init__(self, parties: int, action: Action | None = None, timeout: float | None = None) -> None: ...
    @overload
    def __init__(self, name: str | None, parties: int, action: Action | None = None, timeout: float | None = None) -> None: ...
    def __init__(self, *given: Any, **named: Any) -> None:
        is_nameless = isinstance(given[0], int) if given else "name" not in named
        name, parties, self._action, timeout = (_nameless if is_nameless else _of_name)(*given, **named)
        if not isinstance(parties, int):
            raise UsageError("a barrier was made that does not say for how many. Write octavo.Barrier('rows', 4), or octavo.Barrier(4) for one of its own")
        if whole(parties, "a barrier for {}", "Give how many as an int of 1 or more") < 1:
            raise UsageError(f"a barrier was to be for {parties}. Make it for one at least")
        if self._action is not None and not callable(self._action):
            raise UsageError(f"the action of a barrier is a function without arguments, not {type(self._action).__name__}. Give one, or None")
        self._timeout = seconds(timeout)
        self._lock = opened(_core.Barrier, name, parties)

    def wait(self, timeout: float | None = None) -> int:
        """The place among those that came: 0, 1, ... Raises BrokenBarrier, a threading.BrokenBarrierError; also after ``timeout`` seconds, or those that
        the barrier was made with."""
        limit = self._timeout if timeout is None else seconds(timeout)
        is_acting = False
        try:
            place = self._lock.wait(limit, self._action is not None)
            if place is None and self._action is not None:
                is_acting = True
                self._action()
                is_acting = False
                place = self._lock.has_acted()
        except BaseException as error:
            if is_acting or (self._action is not None and not isinstance(error, threading.BrokenBarrierError)):
                self._lock.abort()
            raise
        return int(place)

    def reset(self) -> None:
        """It begins anew. Who waits gets BrokenBarrier."""
        self._lock.reset()

    def abort(self) -> None:
        """It is broken: who waits, and who comes, gets BrokenBarrier."""
        self._lock.abort()

    @property
    def parties(self) -> int:
        return int(self._lock.parties)

    @property
    def n_waiting(self) -> int:
        return int(self._lock.n_waiting)

    @property
    def broken(self) -> bool:
        return bool(self._lock.broken)

    def __repr__(self) -> str:
        return f"<octavo.Barrier '{self.name}' for {self.parties}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Barrier, (self.name, self.parties, self._action, self._timeout)


def _nameless(parties: Any = None, action: Any = None, timeout: Any = None) -> tuple[Any, ...]:
    return None, parties, action, timeout


def _of_name(name: Any, parties: Any = None, action: Any = None, timeout: Any = None) -> tuple[Any, ...]:
    return name, parties, action, timeout


class Event(_Meeting):
    """``octavo.Event("loaded")``: it happens once, and whoever waits for it goes on; the same name on a machine is the same event. ``octavo.Event()`` is one
    of its own, which travels as an argument. As threading.Event.

    When ``set()`` has returned everybody sees it. See clauses EV-1 to EV-3 in docs/contract.md. Sent to another machine it is that machine's.
    C++: octavo/message/event.hpp.
    """

    __slots__ = ()

    def __init__(self, name: str | None = None) -> None:
        self._lock = opened(_core.Event, name)

    def set(self) -> None:
        self._lock.set()

    def clear(self) -> None:
        self._lock.clear()

    def is_set(self) -> bool:
        return bool(self._lock.is_set())

    def wait(self, timeout: float | None = None) -> bool:
        """False: it was not set in that time."""
        return bool(self._lock.wait(seconds(timeout)))

    def __repr__(self) -> str:
        return f"<octavo.Event '{self.name}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Event, (self.name,)
