# SPDX-License-Identifier: Apache-2.0
"""Locks between the processes, threads and objects of a program on one machine, used as those of threading."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

from octavo import _core
from octavo.errors import GoneError, UsageError
from octavo.objects import current
from octavo.objects.messages.numbers import seconds, whole

T = TypeVar("T")


def opened(make: Callable[..., Any], name: str | None, *arguments: Any) -> Any:
    """The extension's lock; the name of one that has none is one that nobody else makes."""
    if name is None:
        current.begin()
        return make(f"lock {_core.new_number()}", *arguments)
    if not isinstance(name, str):
        raise UsageError(f"the name of a lock is a str, not {type(name).__name__}. Write octavo.Mutex('table'), or octavo.Mutex() for one of its own")
    try:
        current.begin_for(name)
    except UsageError:
        return _Elsewhere(name, lambda: make(name, *arguments))
    return make(name, *arguments)


class _Elsewhere:
    """In a child of fork(2), of a name of its parent's program: what is done with it is refused. Not the lock itself, which may come in a pickle:
    multiprocessing's Pool waits for ever where it cannot read one."""

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.name, self._make = name, make

    def __getattr__(self, what: str) -> Any:
        current.begin_for(self.name)
        return getattr(self._make(), what)


def seconds_of(blocking: bool, timeout: float | None) -> float | None:
    """As threading has them: a timeout of -1, or None, is none."""
    if not blocking:
        if timeout not in (None, -1):
            raise ValueError("can't specify a timeout for a non-blocking call")
        return 0.0
    found = seconds(timeout)
    if found is None or found == -1:
        return None
    if found < 0:
        raise ValueError("timeout value must be a non-negative number")
    return found


class _Lock:
    __slots__ = ("_lock",)

    _lock: Any  # the extension's

    @property
    def name(self) -> str:
        return str(self._lock.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lock) and type(other) is type(self) and self.name == other.name

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def acquire(self, blocking: bool = True, timeout: float | None = -1) -> bool:
        """False: not in that time. Raises LockAbandoned; of a mutex UsageError where this thread has it already."""
        return bool(self._lock.acquire(seconds_of(blocking, timeout)))

    def release(self) -> None:
        self._lock.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.release()
        except UsageError:
            if not isinstance(error, GoneError):  # a wait that the end of the Runtime ended did not get the mutex again
                raise


class Mutex(_Lock):
    """``octavo.Mutex("table")``: the same name on a machine is the same mutex, for all processes, threads and objects of the program; ``octavo.Mutex()`` is
    one of its own, which travels as an argument. ``with mutex:``, ``acquire(timeout=2)``, ``release()``, as threading.Lock.

    While nobody else wants it, that takes some hundred nanoseconds; else they have it in the order in which they came. When its holder dies the next one to
    acquire gets LockAbandoned, once, and does not have it then: what it protects may be half done. It is not recursive: UsageError, as for a release by a
    thread that does not have it. Sent to another machine it is that machine's. A program may use 4096 names. C++: octavo/message/mutex.hpp.
    """

    __slots__ = ()

    def __init__(self, name: str | None = None) -> None:
        self._lock = opened(_core.Mutex, name)

    @classmethod
    def _of(cls, lock: Any) -> Mutex:
        made = cls.__new__(cls)
        made._lock = lock
        return made

    def locked(self) -> bool:
        """Whether some thread had it a moment ago. NotSupported for one of the home."""
        return bool(self._lock.locked())

    def __repr__(self) -> str:
        return f"<octavo.Mutex '{self.name}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Mutex, (self.name,)


class Semaphore(_Lock):
    """``octavo.Semaphore("disks", 4)``: so many units, of all that use the name on this machine; ``octavo.Semaphore(initial=4)`` is one of its own.

    ``with units:``, ``acquire(timeout=2)``, ``release(2)``, as threading.Semaphore. The first to come has the next unit. What a process or object had acquired
    when it dies comes back, and the next one to acquire gets LockAbandoned, once, without a unit. Raises UsageError for another ``initial`` of the name.
    """

    __slots__ = ("_initial",)

    def __init__(self, name: str | None = None, initial: int = 1) -> None:
        if isinstance(name, int):
            cure = f"Write octavo.Semaphore('disks', {name}), or octavo.Semaphore(initial={name}) for one of its own"
            raise UsageError(f"octavo.Semaphore({name}) has no name. {cure}")
        self._initial = whole(initial, "a semaphore of {} units", "Give how many as an int")
        self._lock = opened(_core.Semaphore, name, self._initial)

    def __repr__(self) -> str:
        return f"<octavo.Semaphore '{self.name}' of {self._initial}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Semaphore, (self.name, self._initial)

    def release(self, n: int = 1) -> None:
        """Gives units back. Any thread may, also one that has acquired none."""
        self._lock.release(whole(n, "a semaphore that {} units are given back to", "Give how many as an int"))


class Condition(_Lock):
    """``octavo.Condition("table")``: a condition variable, with the mutex of the same name if none is given; ``octavo.Condition()`` is one of its own, as is
    ``octavo.Condition(mutex)``, which uses that octavo.Mutex; ``octavo.Condition("table is full", mutex)`` has both.

    ``with changed: changed.wait_for(is_full, timeout=2)``, ``notify()``, ``notify_all()``, as threading.Condition: by a thread that has the mutex.
    What tells that it is fulfilled must be shared, too: a Segment, an object, a file. Where the holder of the mutex dies, a wait raises LockAbandoned, and
    holds it then.
    """

    __slots__ = ("mutex",)

    def __init__(self, name: str | Mutex | None = None, mutex: Mutex | None = None) -> None:
        if mutex is None and name is not None and not isinstance(name, str):
            name, mutex = None, name
        if mutex is not None and not isinstance(mutex, Mutex):
            cure = "Write octavo.Condition(mutex) with an octavo.Mutex, or octavo.Condition('table') for one that has its own"
            raise UsageError(f"the mutex of a condition is an octavo.Mutex, not {type(mutex).__name__}. {cure}")
        own = cast("str | None", name)
        self._lock = opened(_core.Condition, own)
        self.mutex = Mutex._of(opened(_core.Mutex, own) if own is not None else _core.Mutex(self.name)) if mutex is None else mutex

    def __repr__(self) -> str:
        return f"<octavo.Condition '{self.name}' with {self.mutex!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Condition, (self.name, self.mutex)

    def acquire(self, blocking: bool = True, timeout: float | None = -1) -> bool:
        return self.mutex.acquire(blocking, timeout)

    def release(self) -> None:
        self.mutex.release()

    def wait(self, timeout: float | None = None) -> bool:
        """Gives the mutex up until it is notified, and has it again then. False: it was not in that time. UsageError: this thread does not have the mutex."""
        return bool(self._lock.wait(self.mutex._lock, seconds(timeout)))

    def wait_for(self, predicate: Callable[[], T], timeout: float | None = None) -> T:
        """Until ``predicate()`` is true, or that time is over; what it gave last."""
        import time

        limit = seconds(timeout)
        end = None if limit is None else time.monotonic() + limit
        result = predicate()
        while not result:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                break
            self.wait(left)
            result = predicate()
        return result

    def notify(self, n: int = 1) -> None:
        """Wakes ``n`` of the threads that wait now, or all there are. UsageError: this thread does not have the mutex."""
        count = whole(n, "a condition that notifies {} threads", "Give how many as an int")
        self._check_held("notify()")
        for _ in range(count):
            self._lock.notify_one()

    def notify_all(self) -> None:
        self._check_held("notify_all()")
        self._lock.notify_all()

    def _check_held(self, doing: str) -> None:
        if not self.mutex._lock.is_held():
            cure = "Write 'with condition:' around the change and the notification, or a thread that has just looked waits for ever"
            raise UsageError(f"{doing} of condition '{self.name}' by a thread that does not have its mutex. {cure}")
