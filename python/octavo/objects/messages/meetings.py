# SPDX-License-Identifier: Apache-2.0
"""Where threads, objects and processes of a program on one machine wait for each other: used as those of threading."""

from __future__ import annotations

from typing import Any, overload

from octavo import _core
from octavo.errors import UsageError
from octavo.objects.messages.locks import opened
from octavo.objects.messages.numbers import seconds, whole


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

    Where one that waits dies, is out of time or is interrupted, all who wait and come get BrokenBarrier, which names the dead one; ``reset()`` mends it.
    See clauses BR-1 to BR-3 in docs/contract.md. Sent to another machine it is that machine's. C++: octavo/message/barrier.hpp.
    """

    __slots__ = ()

    @overload
    def __init__(self, name: int) -> None: ...
    @overload
    def __init__(self, name: str | None, parties: int) -> None: ...
    def __init__(self, name: str | int | None = None, parties: int | None = None) -> None:
        if isinstance(name, int) and parties is None:
            name, parties = None, name
        if not isinstance(parties, int) or isinstance(name, int):
            raise UsageError("a barrier was made that does not say for how many. Write octavo.Barrier('rows', 4), or octavo.Barrier(4) for one of its own")
        if whole(parties, "a barrier for {}", "Give how many as an int of 1 or more") < 1:
            raise UsageError(f"a barrier was to be for {parties}. Make it for one at least")
        self._lock = opened(_core.Barrier, name, parties)

    def wait(self, timeout: float | None = None) -> int:
        """The place among those that came: 0, 1, ... Raises BrokenBarrier, a threading.BrokenBarrierError; also after ``timeout`` seconds."""
        return int(self._lock.wait(seconds(timeout)))

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
        return Barrier, (self.name, self.parties)


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
