# SPDX-License-Identifier: Apache-2.0
"""Calls that wait in the program, and workers that take them: each when it is free, at most two at one.

The second lies there while the first is run, which hides the way. It is sent only where calls are short: behind a long one it would wait while others are free.
Of a worker that dies only the first had begun; the second goes to another.
"""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from octavo import _core
from octavo.errors import Cancelled, Error, GoneError
from octavo.objects import current
from octavo.objects.futures import Future, outcome_of
from octavo.objects.pointers import Pointer
from octavo.objects.serving.hand import Hand
from octavo.objects.serving.packing import Packed, Unfit
from octavo.objects.serving.staff import SHORT, Staff, is_in_loop
from octavo.objects.serving.task import Task
from octavo.objects.serving.workers import begin_on, sent_as

MOST_BYTES = 256 << 20  # of calls that wait; then who submits waits
CANCELLED = "the call was cancelled before it began"
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Pool(Staff):
    """none_left: what calls raise when no worker lives and none can be made (for which reason); ended: when no more are taken."""

    def __init__(
        self,
        workers: Iterable[Pointer],
        none_left: Callable[[BaseException | None], BaseException],
        *,
        most: int = 0,
        make: Callable[[], Future[Any]] | None = None,
        made: Callable[[Future[Any], Pointer | None], object] = lambda making, worker: None,
        ended: Callable[[], BaseException] = lambda: RuntimeError("this Executor was shut down"),
        pick: Callable[[list[Hand]], Hand] = lambda found: found[0],
    ) -> None:
        super().__init__(workers, most, make, made, pick)
        self._ended = ended
        self.typical = 25 * SHORT  # seconds of a call, at present
        self._none_left = none_left
        pools.add(self)

    def begin_anew(self, workers: Iterable[Pointer] = ()) -> None:
        super().begin_anew(workers)
        self.queue: deque[Task[Any]] = deque()
        self.bytes = 0  # of those in the queue

    def check(self) -> None:
        """With the lock: whether calls may begin."""
        if self._make is None and not self.hands:
            raise self._none_left(None)
        if self.has_ended:
            raise self._ended()
        self.lost, self.is_over = None, False

    def begin(self, call: Call) -> Task[Any]:
        """At once where a worker is idle. Else the call waits, as it is now; what goes to one process alone (the end of a channel, memory) goes with the
        call when a worker takes it."""
        task = Task[Any](self)
        if is_in_loop():  # of a method: there nobody reads what would bring on a call that waits
            return self._begin_at_once(call, task)
        with self.lock:
            self.check()
            hand = None if self.queue else self.free(0)
            if hand is not None:
                hand.sending = True
        if hand is not None and self.send(hand, task, call):
            return task
        try:
            function, arguments, keywords = call
            task._pack(Packed((sent_as(function), arguments, keywords)))
        except Unfit:
            task._keep(call)
        except Exception:  # who tries to send it says why it cannot be sent
            return self._begin_at_once(call, task)
        self.put(task)
        return task

    def _begin_at_once(self, call: Call, task: Task[Any]) -> Task[Any]:
        while True:
            with self.lock:
                self.check()
                able = [hand for hand in self.hands.values() if not hand.sending]
                hand = min(able, key=lambda each: len(each.calls), default=None)
                starts = (hand is None or bool(hand.calls)) and self.can_make(1)
                self._starting += starts
                if hand is not None:
                    hand.sending = True
            if starts:
                self.start()
            if hand is not None and self.send(hand, task, call):
                return task
            self.wait_until(lambda: any(not each.sending for each in self.hands.values()) or not (self.hands or self.is_coming()))
            with self.lock:
                lost = self.lost
                if not self.hands and lost is not None:
                    raise self._none_left(lost)

    def put(self, task: Task[Any]) -> None:
        if self.bytes > MOST_BYTES:
            self.wait_until(lambda: self.bytes <= MOST_BYTES)
        with self.lock:
            self.check()
            self._queue(task)
        self.dispatch()

    def _queue(self, task: Task[Any], first: bool = False) -> None:
        (self.queue.appendleft if first else self.queue.append)(task)
        self.bytes += task._size

    def take_back(self, task: Task[Any]) -> bool:
        with self.lock:
            if not task._waits or task not in self.queue:
                return False
            self.queue.remove(task)
            self.bytes -= task._size
        self.look()
        return True

    def _taker(self) -> Hand | None:
        """With the lock: of the next call."""
        if (hand := self.free(0)) is not None:
            return hand
        if self.typical > SHORT or self.is_coming() or self.can_make(1):
            return None
        return self.free(1)

    def dispatch(self) -> None:
        """Also in the thread that reads, when an answer has come."""
        while True:
            starts, task = False, None
            with self.lock:
                hand = self._taker() if self.queue else None
                if hand is not None:
                    task = self.queue.popleft()
                    self.bytes -= task._size
                    task._is_taken()
                    hand.sending = True
                else:
                    starts = self.can_make(len(self.queue))
                    self._starting += starts
            if hand is not None and task is not None:
                self.send(hand, task)
            elif starts:
                self.start()
            else:
                break
        self.look()

    def send(self, hand: Hand, task: Task[Any], call: Call | None = None) -> bool:
        """``hand.sending`` is this one's. No call: it waited. False: the worker was gone, and if it waited it does so again."""
        with self.lock:
            hand.calls.append(task)
        if _core.is_seen_to_have_ended(hand.worker):  # it idled, and nothing was read of that yet: the call goes to another
            self._did_not_begin(hand, task, True, waits=call is None)
            return False
        try:
            begun = begin_on(hand.worker, *call) if call is not None else task._send(hand.worker, hand.key)
        except BaseException as error:
            self._did_not_begin(hand, task, isinstance(error, GoneError), waits=call is None)
            if isinstance(error, GoneError):
                return False
            if call is not None or not isinstance(error, Exception):
                raise
            task._end(error)
            return True
        reply: Any = begun._reply
        with self.lock:
            hand.sending = False
            task._sent = time.monotonic()
            task._hand, task._current = hand, reply
        self.is_read(reply)
        task._bind(reply)
        reply.on_ready(partial(self.answered, task, reply))
        if self._waiters:
            self.look()
        return True

    def _did_not_begin(self, hand: Hand, task: Task[Any], gone: bool, waits: bool) -> None:
        with self.lock:
            hand.calls.remove(task)
            hand.sending = False
            if gone:
                self.leave_out(hand)
                if waits:
                    self._queue(task, first=True)
        self.goes_on()

    def answered(self, task: Task[Any], reply: Any) -> None:
        """Once of each, by whoever sees it first."""
        died = reply.died()
        with self.lock:
            hand = task._hand
            if hand is None or task._current is not reply:
                return
            if died:
                self.note_death(hand)
            task._hand = task._current = None
            hand.calls.remove(task)
            again = died and task._packed is not None and not hand.had_begun(task) and not self.is_over
            dropped: Any = task._wait_again() if again else None
            if not died:
                now = time.monotonic()
                took, hand.answered = now - max(hand.answered, task._sent), now
                self.typical += (took - self.typical) / 8
                task._take_time(took)
        if again:
            with contextlib.suppress(Error):
                outcome_of(dropped)  # so that nobody is told of it
            if task._asked_back:
                task._end(Cancelled(CANCELLED))
            else:
                with self.lock:
                    self._queue(task, first=True)
        self.goes_on()

    def has_work(self) -> bool:
        return bool(self.queue)

    def goes_on(self) -> None:
        with self.lock:
            can = self.hands or self.is_coming() or self.can_make(1)
            failed = [] if can else list(self.queue)
            if failed:
                self.queue.clear()
                self.bytes = 0
            lost = self.lost
        for task in failed:
            task._end(self._none_left(lost))
        self.dispatch()

    def cancel_all(self) -> None:
        """Those at workers when these have looked."""
        with self.lock:
            waiting, begun = list(self.queue), [call for hand in self.hands.values() for call in hand.calls]
        for task in (*waiting, *begun):
            task._ask_to_cancel()

    def kill(self) -> None:
        """Ends the workers now, and takes no more calls. Those that had begun fail, the others are cancelled."""
        with self.lock:
            self.has_ended = self._ends_idle = True
        self.cancel_all()
        self.kill_busy()
        self.look()

    def give_up(self) -> None:
        """With the Runtime: what has not begun never will."""
        with self.lock:
            self.is_over = True
            left = list(self.queue)
            self.queue.clear()
            self.bytes = 0
        for task in left:
            task._end(GoneError("the Runtime ended before this call had begun. Wait for its result before that"))


pools: weakref.WeakSet[Pool] = weakref.WeakSet()


def give_up_all() -> None:
    """After the calls of an Executor that was shut down and not waited for: nobody is left to wait for them, and Ctrl-C ends this wait."""
    try:
        for pool in list(pools):
            pool.finish()
    finally:
        for pool in list(pools):
            pool.give_up()


def begin_all_anew() -> None:
    for pool in list(pools):
        pool.begin_anew()


current.ending.append(give_up_all)
os.register_at_fork(after_in_child=begin_all_anew)
