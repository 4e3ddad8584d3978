# SPDX-License-Identifier: Apache-2.0
"""python objects_program.py SEED STEPS: a random program of Python objects in processes and on threads, each held against the same object here.

Several threads make objects, call them, start calls, let them call each other and the program back, stream from them, send them arrays, and end them.
Channels pass values between them (channel_steps.py), streams flow (stream_steps.py), groups compute with distributed arrays (distributed_steps.py).
Beside that objects meet trouble when they begin and end (life_steps.py), the program forks, and others end with calls in flight (program_steps.py).
The last line says whether all was as expected.
"""

import asyncio
import concurrent.futures as standard
import contextlib
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import numpy as np
import octavo as ov
from channel_steps import ChannelSteps
from distributed_steps import DistributedSteps
from life_steps import LifeSteps
from program_steps import ProgramSteps
from stream_steps import StreamSteps

MAIN = 2  # the strand of the main thread, which Ctrl-C reaches; those before have threads of their own


class Ledger:
    """A list of numbers, and what can be asked of it."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = list(numbers)

    def add(self, number: int) -> int:
        self.numbers.append(number)
        return sum(self.numbers)

    def wrong(self, number: int) -> None:
        raise LookupError(f"no {number}")

    def each(self) -> Iterator[int]:
        yield from self.numbers

    async def each_later(self) -> AsyncGenerator[int, None]:
        for number in self.numbers:
            await asyncio.sleep(0)
            yield number

    async def later(self, number: int) -> int:
        await asyncio.sleep(0.001)
        return self.add(number)

    def through(self, others: list["Ledger"], number: int) -> int:
        """Adds, here and by way of the others, the last of which calls the first back."""
        first, *rest = others or [self]
        return self.add(number) if not others else first.through(rest, number) + self.add(number)

    def slow(self, seconds: float) -> float:
        time.sleep(seconds)
        return seconds

    def waits(self, me: "Ledger", other: "Ledger", number: int, way: str) -> int:
        """Waits for another, which calls it back meanwhile."""
        calls = [ov.start(other.ask, me, number) for _ in range(3)]
        if way == "wait":
            standard.wait(calls)
        elif way == "as_completed":
            for each in standard.as_completed(calls):
                each.result()
        return max(call.result() for call in calls)

    def ask(self, other: "Ledger", number: int) -> int:
        return other.add(number)

    def hold(self, array: Any) -> float:
        self.array = array
        return float(array.sum())

    def scaled(self, by: int) -> Any:
        return self.array * by


class Strand:
    """One thread of the program, with objects of its own and what they are to be."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.objects: list[tuple[Ledger, Ledger]] = []
        self.service = ov.Service.on([ov.process], 2)
        self.make()

    def make(self) -> None:
        numbers = [self.random.randrange(100) for _ in range(self.random.randrange(5))]
        place = ov.thread if self.random.random() < 0.2 else ov.process
        self.objects.append((place.make(Ledger, numbers), Ledger(numbers)))

    def destroy(self) -> None:
        if len(self.objects) > 1:
            ov.destroy(self.objects.pop(self.random.randrange(len(self.objects)))[0])

    def call(self) -> None:
        p, here = self.one()
        number = self.random.randrange(100)
        assert p.add(number) == here.add(number)

    def start(self) -> None:
        p, here = self.one()
        numbers = [self.random.randrange(100) for _ in range(self.random.choice([3, 300, 1500]))]
        if self.random.random() < 0.5:
            ov.start(p.slow, 0.01)  # the others have no room on the way to it
        started = [ov.start(p.add, number) for number in numbers]
        assert [future.result() for future in started] == [here.add(number) for number in numbers]

    def raises(self) -> None:
        p, _ = self.one()
        try:
            p.wrong(3)
        except LookupError as error:
            assert error.args == ("no 3",)
        else:
            raise AssertionError("nothing was raised")

    def stream(self) -> None:
        p, here = self.one()
        assert list(p.each()) == here.numbers
        assert list(p.each_later()) == here.numbers  # type: ignore[call-overload]

    def coroutines(self) -> None:
        p, here = self.one()

        async def several() -> list[int]:
            return await asyncio.gather(*(ov.start(p.later, 1) for _ in range(5)))

        assert sorted(asyncio.run(several())) == [here.add(1) for _ in range(5)]

    def impatient(self) -> None:
        p, _ = self.one()

        async def some() -> list[Any]:
            calls = (asyncio.wait_for(ov.start(p.slow, 0.002), self.random.random() / 100) for _ in range(5))
            return await asyncio.gather(*calls, return_exceptions=True)

        assert all(each == 0.002 or isinstance(each, TimeoutError | asyncio.TimeoutError) for each in asyncio.run(some()))

    def waits(self) -> None:
        (p, here), (q, _) = self.one(), self.one()
        if p == q:
            return
        way = self.random.choice(["wait", "as_completed", "result"])
        assert p.waits(p, q, 1, way) == [here.add(1) for _ in range(3)][-1]

    def functions(self) -> None:
        try:
            if self.random.random() < 0.1:
                os.kill(ov.call(self.service, os.getpid), signal.SIGKILL)
            calls = [ov.start(self.service, pow, 2, n) for n in range(20)]
        except ov.GoneError:
            ov.destroy(self.service)
            self.service = ov.Service.on([ov.process], 2)
        else:
            for n, each in enumerate(calls):
                error = each.exception()
                assert isinstance(error, ov.GoneError) or each.result() == 2**n

    def chain(self) -> None:
        chosen = [self.one() for _ in range(self.random.randrange(1, 4))]
        pointers, here = [p for p, _ in chosen], [each for _, each in chosen]
        number = self.random.randrange(10)
        assert pointers[0].through(pointers[1:], number) == here[0].through(here[1:], number)

    def array(self) -> None:
        p, _ = self.one()
        count = self.random.choice([10, 5_000, 40_000])
        array = ov.empty(count) if self.random.random() < 0.5 else np.empty(count)
        array[:] = np.arange(count)
        expected = float(array.sum())
        given = isinstance(array.base, np.ndarray) and self.random.random() < 0.5
        assert p.hold(ov.give(array) if given else array) == expected
        assert float(p.scaled(3).sum()) == 3 * expected

    def kill(self) -> None:
        """An object of its own dies while it is called: the call says so, and another is made."""
        p = ov.process.make(Ledger, [])
        pid = ov.call(p, lambda _ledger: os.getpid())
        futures: list[ov.Future[Any]] = [ov.start(p.slow, 0.05)] if self.random.random() < 0.5 else []
        futures += [ov.start(p.add, 1) for _ in range(self.random.choice([20, 500]))]
        os.kill(pid, signal.SIGKILL)
        for future in futures:
            assert isinstance(future.exception(), ov.ProcessDied | None)

    def one(self) -> tuple[Ledger, Ledger]:
        return self.random.choice(self.objects)

    def run(self, steps: int, in_main_thread: bool) -> None:
        kinds = [self.call] * 3 + [self.start, self.raises, self.stream, self.coroutines, self.chain, self.array, self.make, self.destroy, self.kill]
        kinds += [self.impatient, self.waits, self.functions]
        life, programs, channels, streams = LifeSteps(self.random), ProgramSteps(self.random), ChannelSteps(self.random), StreamSteps(self.random)
        kinds += [life.begins, life.ends, life.reads, life.drops, programs.forked, programs.by_multiprocessing, programs.program_ends]
        kinds += [channels.flows, channels.reader_ends, channels.writer_ends, streams.flows, streams.joins, streams.worker_dies]
        distributed = DistributedSteps(self.random)
        kinds += [distributed.computes, distributed.member_dies]
        kinds += [life.interrupted] * 3 if in_main_thread else []
        for _ in range(steps):
            self.random.choice(kinds)()
        for p, here in self.objects:
            assert p.numbers == here.numbers


def main() -> None:
    seed, steps = sys.argv[1], int(sys.argv[2])
    wrong: list[BaseException] = []

    def run(number: int) -> None:
        try:
            Strand(f"{seed} {number}").run(steps, number == MAIN)
        except BaseException as error:
            wrong.append(error)
            traceback.print_exc()
            raise

    threads = [threading.Thread(target=run, args=(number,)) for number in range(MAIN)]
    for each in threads:
        each.start()
    with contextlib.suppress(Exception):  # it is told of
        run(MAIN)
    for each in threads:
        each.join()
    print(f"seed {seed}: " + ("all as expected" if not wrong else f"{len(wrong)} threads failed"))


if __name__ == "__main__":
    main()
