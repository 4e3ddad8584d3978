# SPDX-License-Identifier: Apache-2.0
"""Queues: any process puts, any process gets, each item goes to one of them; used as queue.Queue is."""

from __future__ import annotations

import queue
from typing import Any, Generic, TypeVar

from octavo import _core
from octavo.errors import UsageError
from octavo.objects import current
from octavo.objects.messages.numbers import seconds, whole

T = TypeVar("T")


class Queue(Generic[T]):
    """``jobs = octavo.Queue(16)``, or ``octavo.Queue(bound=16)``: a queue of at most 16 items; without a bound, of any number. It travels as an argument, and
    copies are the same queue.

    ::

        jobs = octavo.Queue(16)
        working = [octavo.start(each.work, jobs) for each in workers]      # for each: item = jobs.get(); ...; jobs.task_done()
        for item in items:
            jobs.put(item)
        jobs.join()
        jobs.shutdown()                                                    # get() raises QueueShutDown once it is empty

    Any number of processes, threads and objects put and get; each item goes to one of them. Items are Python values of any kind, copied as arguments of calls
    are. A large array waits for room in the pool, and goes from process to process by reference.

    The queue lives in the process that made it, and ends with it: then ProcessDied says so, at once, also to who waits. An item that a reader had taken, and
    not reported by ``task_done()`` when it died, is told to ``join()``. See clauses QU-1 to QU-7 in docs/contract.md. C++: octavo/message/queue.hpp.
    """

    __slots__ = ("_base", "maxsize")

    maxsize: int

    def __init__(self, maxsize: int = 0, *, bound: int | None = None) -> None:
        if bound is not None:
            if maxsize != 0:
                raise UsageError(f"a queue was made with maxsize={maxsize} and bound={bound}, which are the same. Give one of them")
            maxsize = bound
        if not isinstance(maxsize, int):
            raise UsageError(f"the bound of a queue is an int, not {type(maxsize).__name__}. Write octavo.Queue(16), or octavo.Queue() for none")
        self.maxsize = max(0, whole(maxsize, "a queue of {} items", "Give how many as an int, or 0 for no bound"))
        current.begin()
        self._base = _core.make_queue(self.maxsize)

    def put(self, item: T, block: bool = True, timeout: float | None = None) -> None:
        """Waits while the queue is full, at most ``timeout`` seconds.

        Raises queue.Full, QueueShutDown, ProcessDied (the process that made the queue has ended).
        """
        if not self._base.put(item, seconds_of(block, timeout)):
            raise queue.Full

    def put_nowait(self, item: T) -> None:
        self.put(item, block=False)

    def get(self, block: bool = True, timeout: float | None = None) -> T:
        """The next item; waits for it, at most ``timeout`` seconds.

        Raises queue.Empty, QueueShutDown, ProcessDied (the process that made the queue has ended).
        """
        came = self._base.get(seconds_of(block, timeout))
        if came is None:
            raise queue.Empty
        item: T = came[0]
        return item

    def get_nowait(self) -> T:
        return self.get(block=False)

    def task_done(self) -> None:
        """An item that was got is worked off. Raises UsageError, a ValueError: more often than items were put."""
        self._base.task_done()

    def join(self) -> None:
        """Waits until ``task_done()`` was called for each item.

        Raises ProcessDied, once, when a reader died before it had called that for what it had taken: these items count no more.
        """
        self._base.join()

    def shutdown(self, immediate: bool = False) -> None:
        """Nothing is put any more; what lies there can still be got, or is dropped: ``immediate``. Then ``get`` raises QueueShutDown."""
        self._base.shutdown(immediate)

    def qsize(self) -> int:
        """How many lay there a moment ago."""
        return self._base.size()

    def empty(self) -> bool:
        return self.qsize() == 0

    def full(self) -> bool:
        return 0 < self.maxsize <= self.qsize()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Queue) and self._base.parts == other._base.parts

    def __hash__(self) -> int:
        return hash(self._base.parts)

    def __repr__(self) -> str:
        agent, _, keeper, number, bound = self._base.parts
        return f"<octavo.Queue {number} of process {keeper} of agent {agent:#x}{f', at most {bound} items' if bound else ''}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, self._base.parts


def seconds_of(block: bool, timeout: float | None) -> float | None:
    """As queue.Queue has them."""
    if not block:
        return 0.0
    found = seconds(timeout)
    if found is not None and found < 0:
        raise ValueError("'timeout' must be a non-negative number")
    return found


def _arrived(agent: int, incarnation: int, keeper: int, number: int, bound: int) -> Queue[Any]:
    made: Queue[Any] = object.__new__(Queue)
    made.maxsize = bound
    made._base = _core.known_queue(agent, incarnation, keeper, number, bound)
    return made
