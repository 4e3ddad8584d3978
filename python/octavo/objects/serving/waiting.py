# SPDX-License-Identifier: Apache-2.0
"""Waiting for some of several futures: of started calls, of executors and services, of the standard library, mixed."""

import concurrent.futures as standard
from collections.abc import Iterable
from typing import Any, TypeVar

from octavo.errors import UsageError

F = TypeVar("F", bound="standard.Future[Any]")
# By which concurrent.futures.wait is told that futures are done, and holds them still while it looks: the only way that costs nothing for those that are not.
_base: Any = standard._base


def wait(futures: Iterable[F], *, count: int | None = None, timeout: float | None = None) -> tuple[list[F], list[F]]:
    """``done, not_done = octavo.wait(futures, count=3, timeout=1.0)``: returns when so many are done, or the seconds have passed.

    Both lists have the order in which the futures were given, and one that was given twice is there once. No count: all. More may be done than were waited
    for. A call that raised is done, as is one that was cancelled: ``result()`` says so. Meanwhile an object is called back, as in each wait.
    UsageError: what is no future, a count of more than there are.
    """
    every = list(dict.fromkeys(futures))
    for each in every:
        if not isinstance(each, standard.Future):
            raise UsageError(f"octavo.wait() of {type(each).__name__}, which is no future. Give what octavo.start() or submit() gave{_cure(each)}")
    wanted = len(every) if count is None else count
    if not 0 <= wanted <= len(every):
        raise UsageError(f"octavo.wait() for {wanted} of {len(every)} futures. Give a count of 0 to {len(every)}, or none for all")
    if sum(each.done() for each in every) < wanted:
        _wait_until_done(every, wanted, timeout)
    done: list[F] = []
    not_done: list[F] = []
    for each in every:
        (done if each.done() else not_done).append(each)
    return done, not_done


def _cure(what: object) -> str:
    return "; of asyncio's wait with asyncio.wait()" if hasattr(what, "get_loop") else ""


def _wait_until_done(every: list[F], wanted: int, timeout: float | None) -> None:
    with _base._AcquireFutures(every):
        open_ones = [each for each in every if each._state in (_base.PENDING, _base.RUNNING)]
        missing = wanted - (len(every) - len(open_ones))
        if missing <= 0:
            return
        waiter = _base._AllCompletedWaiter(missing, stop_on_exception=False)
        for each in open_ones:
            each._waiters.append(waiter)
    try:
        waiter.event.wait(timeout)
    finally:
        for each in open_ones:
            with each._condition:
                each._waiters.remove(waiter)
