# SPDX-License-Identifier: Apache-2.0
"""A pool of workers on several places: each call goes to one that is free, and of several to one of the machine with the least load."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from octavo.errors import GoneError, UsageError
from octavo.objects.futures import Future
from octavo.objects.places import Place
from octavo.objects.pointers import Pointer, begin_to_destroy, destroy, kill, pointer_of
from octavo.objects.serving.hand import Hand
from octavo.objects.serving.pool import Pool
from octavo.objects.serving.workers import Worker, begin_on
from octavo.objects.unpicklable import Stays
from octavo.watching import address

LoadSource = Callable[[Worker], "Future[float]"]


def load_of_this_machine() -> float:
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def ask_the_system(idle: Worker) -> Future[float]:
    return begin_on(idle, load_of_this_machine, (), {})


@dataclass
class MachineLoad:
    """What is known of one machine. One that has not answered counts as busy."""

    load: float = 1.0
    next: float = 0.0
    asking: bool = False
    answer: Future[float] | None = None

    def take_answer(self) -> Future[float] | None:
        """If it has come."""
        if self.answer is None or not self.answer.done():
            return None
        answer, self.answer, self.asking = self.answer, None, False
        return answer

    def is_due(self, every: float) -> bool:
        """No question is under way, and the last is old enough. Whoever is told so asks."""
        now = time.monotonic()
        if self.asking or now < self.next:
            return False
        self.next, self.asking = now + every, True
        return True


class Service(Stays):
    """``service = octavo.Service.on([machine1, machine2], 4)``; ``octavo.start(service, f, x)``, ``octavo.call(service, f, x)``,
    ``octavo.destroy(service)``, which ends the workers.

    Each call waits here until a living worker is free, and goes to it; of several to one of the machine with the least load, and of those each gets its
    turn. Where calls are short each worker is sent a second one beside that which it runs. There is no order between calls. One that had begun when its
    worker died fails with octavo.ProcessDied, which names it; others go on. The next call has the dead one made anew, on its place, if the Service was made
    by ``on()``; of workers of your own, ``octavo.Service(workers)``, it is left out, and GoneError says that none is left. A worker with a name lives again
    at its next call.
    load: given an idle worker, a future of the load of its machine, for each core (None: what the system says of the last minute); asked where a choice
    between machines needs it, every so many seconds at most, and never waited for. Any thread may use it.
    """

    cannot_travel = "an octavo.Service cannot be sent to another process. Send its workers(), and make a Service of them there"

    def __init__(self, workers: Iterable[Worker], *, load: LoadSource | None = None, every: float = 1.0) -> None:
        self._begin_with(workers, None, load, every)

    def _begin_with(self, workers: Iterable[Worker], places: Sequence[Place] | None, load: LoadSource | None, every: float) -> None:
        """places: of each, where it is made anew."""
        self._places = places
        self._begun: set[int] = set()  # which of the workers are made anew
        self._coming: dict[Future[Any], int] = {}
        self._tried = 0
        self._process = os.getpid()
        self._workers = [pointer_of(each, "Service()") for each in workers]
        if not self._workers:
            raise UsageError("a Service without workers. Make it of one octavo.Worker or more")
        self._agents = {worker: address(worker).agent for worker in self._workers}
        self._loads = {agent: MachineLoad() for agent in self._agents.values()}
        self._ask, self._every = load or ask_the_system, every
        self._lock = threading.Lock()
        self._next = 0  # where to look first, so that equals take turns
        self._to_ask: list[Pointer] = []  # idle ones, whose machines are to say their loads
        self._pool = Pool(
            self._workers,
            self._none_left,
            most=len(self._workers),
            make=None if places is None else self._make_anew,
            made=self._is_made_anew,
            ended=lambda: self._none_left(None),
            pick=self._choose,
        )

    @classmethod
    def on(cls, places: Sequence[Place], workers_per_place: int, *, load: LoadSource | None = None, every: float = 1.0) -> Service:
        """So many workers on each place, made in parallel; one that dies is made anew. If one cannot be made, the others are ended."""
        making: list[Future[Any]] = []
        workers: list[Worker] = []
        try:
            for _ in range(workers_per_place):
                making.extend(place._begin(Worker, (), {}) for place in places)
            workers.extend(each.result() for each in making)
            if not workers:
                return cls(workers)  # which says so
            made = cls.__new__(cls)
            made._begin_with(workers, [*places] * workers_per_place, load, every)
            return made
        except BaseException:
            for each in making:
                if each.exception() is None:
                    destroy(each.result())
            raise

    def workers(self) -> list[Worker]:
        """All of them, dead or alive, in the order of under_way() and loads(). One that is made anew has the place of the dead one."""
        return cast(list[Worker], list(self._workers))

    def living(self) -> list[Worker]:
        """Those whose death no call has met; one with a name lives again, until it is destroyed."""
        with self._pool.lock:
            return cast(list[Worker], list(self._pool.hands))

    def under_way(self) -> list[int]:
        """How many calls each of workers() has."""
        with self._pool.lock:
            hands = dict(self._pool.hands)
            return [len(hands[worker].calls) if worker in hands else 0 for worker in self._workers]

    def _none_left(self, lost: BaseException | None) -> GoneError:
        why = "" if lost is None else f", and none could be made anew: {type(lost).__name__}: {lost}"
        made = GoneError(f"none of the {len(self._workers)} workers of this Service lives any more{why}. Make a new Service")
        made.__cause__ = lost
        return made

    def _make_anew(self) -> Future[Any]:
        """One that is missing. Also in the thread that reads: it does not wait."""
        assert self._places is not None
        if self._process != os.getpid():
            raise GoneError(f"it is that of process {self._process}, which forked this one")
        with self._pool.lock:
            missing = [i for i, worker in enumerate(self._workers) if worker not in self._pool.hands and i not in self._begun]
            at = missing[self._tried % len(missing)]  # where one cannot be made another is tried
            self._tried += 1
            self._begun.add(at)
        try:
            making = self._places[at]._begin(Worker, (), {})
        except Exception as error:
            making = Future.failed(error)
        with self._pool.lock:
            self._coming[making] = at
        return making

    def _is_made_anew(self, making: Future[Any], worker: Pointer | None) -> None:
        """With the lock of the pool."""
        at = self._coming.pop(making, None)
        if at is None:  # none was begun
            return
        self._begun.remove(at)
        if worker is None:
            return
        self._agents.pop(self._workers[at], None)
        self._workers[at] = worker
        self._agents[worker] = address(worker).agent
        self._loads.setdefault(self._agents[worker], MachineLoad())

    def loads(self) -> list[float]:
        """Of the machine of each of workers(), as it is known now."""
        self._hear()
        with self._pool.lock:
            return [self._loads[self._agents[worker]].load for worker in self._workers]

    def _begin(self, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Future[Any]:
        if not callable(function):
            raise UsageError(f"a Service calls functions, not {type(function).__name__}. Write octavo.start(service, function, argument, ...)")
        self._hear()
        begun = self._pool.begin((function, arguments, keywords))
        self._pool.restore()
        with self._pool.lock:
            to_ask, self._to_ask = self._to_ask, []
        for idle in to_ask:
            self._ask_load(idle)
        return begun

    def _choose(self, free: list[Hand]) -> Hand:
        """Of the next call; with the lock of the pool."""
        hands = {hand.worker: hand for hand in free}
        in_turn = self._workers[self._next :] + self._workers[: self._next]
        equals = [worker for worker in in_turn if worker in hands]
        best = min(equals, key=lambda worker: self._loads[self._agents[worker]].load)  # the first of equals
        self._next = (self._workers.index(best) + 1) % len(self._workers)
        several = len({self._agents[worker] for worker in equals}) > 1
        if several and not hands[best].calls:
            self._to_ask += [worker for worker in equals if self._loads[self._agents[worker]].is_due(self._every)]
        return hands[best]

    def _hear(self) -> None:
        """Without the lock: what came is unpickled, by the user's code too, which may call here."""
        with self._lock:
            came = [(machine, answer) for machine in list(self._loads.values()) if (answer := machine.take_answer()) is not None]
        for machine, answer in came:
            with contextlib.suppress(Exception):  # it says nothing; what was known before counts on
                machine.load = answer.result()

    def _ask_load(self, idle: Pointer) -> None:
        answer = None
        try:
            with contextlib.suppress(Exception):  # as if it had answered nothing
                answer = self._ask(cast(Worker, idle))  # without the lock: it sends
        finally:
            machine = self._loads[address(idle).agent]
            with self._lock:
                machine.asking, machine.answer = answer is not None, answer


@destroy.register
def end(service: Service, *, timeout: float | None = None) -> None:
    """Of all its workers when its calls are done; raises what a dropped future of some call would have raised when all have ended."""
    service._pool.end(wait=True, timeout=timeout)


@kill.register
def kill_workers(service: Service) -> None:
    service._pool.make_no_more()
    for worker in service.workers():
        kill(worker)


@begin_to_destroy.register
def begin_to_end(service: Service) -> None:
    service._pool.end(wait=False)
