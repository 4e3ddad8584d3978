# SPDX-License-Identifier: Apache-2.0
"""The workers of a pool: how they are made, left out when they die, and ended."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from octavo import _core
from octavo.errors import Error, GoneError, TimedOut, UsageError
from octavo.objects import futures
from octavo.objects.futures import Future
from octavo.objects.pointers import Pointer, begin_to_destroy, destroy, kill
from octavo.objects.serving.hand import Hand
from octavo.objects.serving.workers import begin_to_end_all

RETRY = 1.0  # seconds after one could not be made, while others live
SHORT = 0.002  # seconds of a call, for a second one to be sent behind it


class Staff:
    """make: begins to make a worker, of whom there are to be ``most``; made: hears, with the lock, which came of it (None: it failed); pick: one of several
    that are idle. The lock is held for moments, and never while
    something is sent: who sends may be called meanwhile, and come here."""

    def __init__(
        self,
        workers: Iterable[Pointer],
        most: int,
        make: Callable[[], Future[Any]] | None,
        made: Callable[[Future[Any], Pointer | None], object],
        pick: Callable[[list[Hand]], Hand],
    ) -> None:
        self.has_ended = False
        self._made = made
        self._most, self._make, self._pick = most, make, pick
        self._ends_idle = False
        self._is_left = False  # by who ended it without a wait
        self.begin_anew(workers)

    def begin_anew(self, workers: Iterable[Pointer] = ()) -> None:
        """Also in a child of fork(2): another thread may have had the lock, and the workers and calls are its parent's."""
        self.lock = threading.Lock()
        self.hands = {worker: Hand(worker) for worker in workers}
        self.is_over = False  # the Runtime ends: nothing is made until a call is submitted
        self.lost: BaseException | None = None  # why the last worker could not be made
        self._retry = 0.0  # when another may be made, while others live
        self._making: list[Future[Any]] = []
        self._starting = 0  # workers that are to be made
        self._waiters: list[tuple[Callable[[], bool], Any]] = []  # what they wait for, and their Signals
        self._in_loop = False

    def has_work(self) -> bool:
        raise NotImplementedError

    def goes_on(self) -> None:
        """After a change of the workers."""
        raise NotImplementedError

    def is_coming(self) -> bool:
        return bool(self._making or self._starting)

    def can_make(self, wanted: int) -> bool:
        """With the lock: one more, of so many for whom there is work."""
        coming = len(self._making) + self._starting
        can = self._make is not None and not self.is_over and self.lost is None and coming < wanted and len(self.hands) + coming < self._most
        return can and (not self.hands or time.monotonic() >= self._retry)

    def restore(self) -> None:
        """Begins to make those that are missing, whether or not a call waits for them."""
        if len(self.hands) == self._most:
            return
        missing = 0
        with self.lock:
            while not self.has_ended and self.can_make(self._most):
                self._starting += 1
                missing += 1
        for _ in range(missing):
            self.start()

    def make_no_more(self) -> None:
        with self.lock:
            self.has_ended, self._make = True, None

    def free(self, calls: int) -> Hand | None:
        """With the lock: a worker that has so many, and does not run a long one."""
        found = [hand for hand in self.hands.values() if not hand.sending and len(hand.calls) == calls and hand.has_run() < SHORT]
        return self._pick(found) if found else None

    def start(self) -> None:
        """To make one; ``_starting`` counts it already. Also in the thread that reads: it does not wait."""
        make = self._make
        try:
            making = make() if make is not None else Future.failed(GoneError("its workers were killed"))
        except Exception as error:
            making = Future.failed(error)
        with self.lock:
            self._starting -= 1
            self._making.append(making)
        self.is_read(making._reply)
        making._when_answered(partial(self._is_made, making))

    def _is_made(self, making: Future[Any]) -> None:
        error = making.exception()
        worker: Pointer | None = making.result() if error is None else None
        with self.lock:
            self._making.remove(making)
            self._made(making, worker)
            late = self._make is None
            if worker is None:
                self.lost, self._retry = error, time.monotonic() + RETRY
            elif not late:
                self.hands[worker] = Hand(worker)
        if late and worker is not None:  # they were killed meanwhile
            with contextlib.suppress(Error):
                begin_to_destroy(worker)
        self.goes_on()

    def leave_out(self, hand: Hand) -> None:
        """With the lock: it is gone."""
        hand.dies()
        if self.hands.get(hand.worker) is hand:
            del self.hands[hand.worker]

    def note_death(self, hand: Hand) -> None:
        """With the lock: it died in a call. One with a name is there again at the next, unless it is found to be gone then."""
        is_news = self.hands.get(hand.worker) is hand
        self.leave_out(hand)
        if is_news and hand.lives_again:
            self.hands[hand.worker] = Hand(hand.worker)

    # --- waiting ---

    def wait_until(self, holds: Callable[[], bool], timeout: float | None = None) -> bool:
        """False: it does not hold in that time."""
        with self.lock:
            if holds():
                return True
            signal = _core.Signal()
            self._waiters.append((holds, signal))
        return signal.wait(timeout)

    def look(self) -> None:
        """After a change: ends workers that are not needed any more, and tells who waits."""
        idle: list[Hand] = []
        told: list[Any] = []
        with self.lock:
            if self._waiters:
                told = [signal for holds, signal in self._waiters if holds()]
                self._waiters = [each for each in self._waiters if each[1] not in told]
            if self._ends_idle and not self.has_work():
                idle = [hand for hand in self.hands.values() if not hand.calls and not hand.sending]
                for hand in idle:
                    del self.hands[hand.worker]
        for hand in idle:
            with contextlib.suppress(Error):  # it is gone; or the Runtime is, and all its processes with it
                begin_to_destroy(hand.worker)
        for signal in told:
            signal.set()

    def is_read(self, reply: Any) -> None:
        """Also by the event loop of a method, where nothing else would."""
        if self._in_loop and reply is not None:
            reply.await_in_loop()

    def await_in_loop(self) -> None:
        if not is_in_loop():
            return
        self._in_loop = True
        with self.lock:
            replies = [call._current for hand in self.hands.values() for call in hand.calls] + [making._reply for making in self._making]
        for reply in replies:
            self.is_read(reply)

    # --- the end ---

    def has_done(self) -> bool:
        return not (self.has_work() or self.is_coming() or any(hand.calls or hand.sending for hand in self.hands.values()))

    def end(self, *, wait: bool, timeout: float | None = None) -> None:
        """When all calls are done; who does not wait, or no longer, leaves it to who brings their answers."""
        with self.lock:
            self.has_ended = True
            self._ends_idle = self._ends_idle or not wait
            self._is_left = not wait
        if not wait:
            self.look()
            return
        try:
            if not self.wait_until(self.has_done, timeout):
                raise TimedOut(f"calls are still under way after {timeout} s. The workers end when these are done; octavo.kill(service) ends them at once")
        except BaseException:
            self._ends_idle = True
            self.look()
            raise
        self._destroy_all()

    def finish(self) -> None:
        """Waits for the calls of one that was ended without a wait."""
        if self._is_left:
            self.wait_until(self.has_done)

    def kill_busy(self) -> None:
        """One on a thread ends when its calls are done."""
        with self.lock:
            busy = [hand.worker for hand in self.hands.values() if hand.calls or hand.sending]
        for worker in busy:
            with contextlib.suppress(GoneError, UsageError):
                kill(worker)

    def _destroy_all(self) -> None:
        """Raises what a dropped future of some call would have raised, when all have ended."""
        with self.lock:
            left, self.hands = list(self.hands), {}
        lost: BaseException | None = None
        while left:
            try:
                destroy(left.pop(0))
            except GoneError:  # it is gone already
                continue
            except Exception as error:
                lost = error
            except BaseException:  # Ctrl-C: the others are to end, too
                begin_to_end_all(left)
                raise
        if lost is not None:
            raise lost


def is_in_loop() -> bool:
    return threading.get_ident() in futures.threads_of_objects and futures.runs_event_loop()
