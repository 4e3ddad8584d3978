# SPDX-License-Identifier: Apache-2.0
"""A program that uses all of the objects' interface: test_checkers.py has type checkers look at it, and runs it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import tempfile
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo as ov
from typing_extensions import assert_type


class Base:
    def who(self) -> str:
        return "base"


class Thing(Base):
    def __init__(self, n: int, *, k: str = "a") -> None:
        self.n = n
        self.names: list[str] = [k]

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> float:
        return float(i)

    def __add__(self, other: int) -> int:
        return self.n + other

    def __call__(self, x: bytes) -> bytes:
        return x

    def lines(self, n: int) -> Iterator[str]:
        yield str(n)

    async def items(self, n: int) -> AsyncIterator[int]:
        yield n

    async def later(self, x: int) -> float:
        return x / 2

    @staticmethod
    def fixed(x: int) -> int:
        return x

    @classmethod
    def made(cls, n: int) -> Thing:
        return cls(n)

    def friend(self, other: Thing | None) -> Thing | None:
        return other


class NoInit:
    value: int = 3


class Summing(ov.devices.PageFile):
    def total(self, page: int) -> float:
        return float(self.read(page).sum())


def factory(n: int) -> Thing:
    return Thing(n)


def double(x: int) -> int:
    return 2 * x


def make_objects() -> Thing:
    plain = ov.process.make(NoInit)
    assert_type(plain, NoInit)
    assert_type(plain.value, int)
    for place in (ov.process, ov.thread, ov.beside(plain), ov.place_of(plain)):
        assert_type(place.make(Thing, 3, k="b"), Thing)
        started = ov.start(place.make, Thing, 3, k="c")
        assert_type(started, ov.Future[Thing])
        assert_type(started.result(), Thing)
    assert_type(ov.start(ov.process.make, NoInit), ov.Future[NoInit])
    assert_type(ov.process.make(factory, 3), Thing)
    assert_type(ov.process.make(Thing.made, 3), Thing)
    return ov.process.make(Thing, 3)


def use_methods(t: Thing) -> None:
    assert_type(t.who(), str)
    assert_type(len(t), int)
    assert_type(t[1], float)
    assert_type(t + 1, int)
    assert_type(t(b""), bytes)
    assert_type(t.names, list[str])
    assert_type(t.friend(t), Thing | None)
    assert_type(list(t.lines(3)), list[str])
    assert_type(ov.call(t, Thing.friend, None), Thing | None)
    assert_type(ov.watching.address(t), ov.watching.Address)
    with ov.scoped(ov.process.make(Thing, 3)) as scoped:
        assert_type(scoped, Thing)


def use_futures(t: Thing) -> None:
    assert_type(ov.start(t.who), ov.Future[str])
    assert_type(ov.start(t.later, 3), ov.Future[float])
    assert_type(ov.start(t.lines, 3), ov.Future[Iterator[str]])
    assert_type(ov.start(t.friend, t), ov.Future[Thing | None])
    assert_type(ov.start(ov.call, t, Thing.who), ov.Future[str])
    assert_type(ov.start(ov.process, double, 3), ov.Future[int])
    assert_type(ov.call(ov.process, double, 3), int)
    g = ov.group([t])
    assert_type(g, ov.Group[Thing])
    assert_type(ov.call(g, Thing.who), list[str])
    assert_type(ov.start(ov.call, g, Thing.who), ov.Future[list[str]])
    made = ov.make_group(Thing, 2, 3)
    assert_type(made, ov.Group[Thing])
    ov.destroy(made)
    assert_type(ov.start(ov.call, ov.process, double, 3), ov.Future[int])
    calls = [ov.start(t.fixed, i) for i in range(3)]
    assert_type([each.result(10) for each in calls], list[int])
    done, late = concurrent.futures.wait(calls)
    assert (len(done), len(late)) == (3, 0)
    for each in concurrent.futures.as_completed(calls):
        assert_type(each.result(), int)
    calls[0].add_done_callback(lambda call: assert_type(call.result(), int))
    assert_type(calls[0].cancel(), bool)
    assert_type(calls[0].exception(), BaseException | None)


async def use_await(t: Thing) -> float:
    x = await ov.start(t.later, 3)
    assert_type(x, float)
    async for i in t.items(3):
        assert_type(i, int)
    return x


def use_workers() -> None:
    with ov.Executor(2) as workers:
        assert_type(list(workers.map(double, [1, 2])), list[int])
        assert_type(workers.submit(double, 1), ov.Future[int])
    service = ov.Service.on([ov.process], 1)
    assert_type(ov.call(service, double, 4), int)
    assert_type(ov.start(ov.call, service, double, 4), ov.Future[int])
    ov.destroy(service)


def use_data(folder: str) -> None:
    device = ov.process.make(Summing, f"{folder}/pages", 4, (8, 8), np.float64)
    assert_type(device, Summing)
    device.write(np.ones((8, 8)), 3)
    assert_type(device.total(3), float)
    numbers = ov.process.make(ov.RemoteArray[float], 8)
    assert_type(numbers, ov.RemoteArray[float])
    assert_type(numbers[1], float)
    assert_type(numbers[1:2], npt.NDArray[np.float64])
    ov.give(ov.empty((3, 3), np.float32))
    ov.Segment(None, (3, 3)).array[0] = 3


def use_messages() -> None:
    rows, any_kind = ov.Mailbox("typed rows", tuple[int, str]), ov.Mailbox("of any kind")
    rows.post((1, "a"))
    any_kind.post([])
    assert_type(ov.select(rows, any_kind, timeout=60), ov.Mailbox[Any])
    assert_type(rows.retrieve(), tuple[int, str])
    out, values = ov.channel()
    out.post(None)
    assert values.retrieve() is None


class Halve:
    def __init__(self, until: float) -> None:
        self.until = until

    def svc(self, x: float) -> Iterator[str | ov.Again[float]]:
        yield str(x) if x < self.until else ov.Again(x / 2)


def as_float(x: int) -> float:
    return float(x)


def characters(x: str) -> Iterator[bytes]:
    yield x.encode()


async def later(x: bytes) -> int:
    return len(x)


def use_streams() -> None:
    assert_type(ov.farm(as_float), ov.streams.Farm[int, float])
    assert_type(ov.farm(Halve, 0.5).workers(2).unordered(), ov.streams.Farm[float, str])
    assert_type(ov.stage(characters).named("c"), ov.streams.Stage[str, bytes])
    assert_type(ov.stage(later), ov.streams.Stage[bytes, int])
    assert_type(ov.farm(as_float).broadcast().gather(), ov.streams.Farm[int, list[float]])
    s = ov.pipeline(ov.stage(as_float), ov.farm(Halve, 0.5).workers(2), ov.stage(characters), ov.stage(later))
    assert_type(s, ov.streams.Pipeline[int, int])
    for x in s.inline()([1, 2]):
        assert_type(x, int)
    assert_type(ov.pipeline([1, 2], ov.stage(as_float)).run().delivered, int)
    ov.pipeline(as_float, repr, ov.stage(characters))


def main() -> None:
    with ov.Runtime(engine=ov.played(["box"])) as cluster, tempfile.TemporaryDirectory() as folder:
        assert_type(cluster.machine("box").make(Thing, 3), Thing)
        assert_type(cluster.machines(), list[str])
        t = make_objects()
        use_methods(t)
        use_futures(t)
        print(asyncio.run(use_await(t)))
        use_workers()
        use_data(folder)
        use_messages()
        use_streams()
        ov.destroy(t)


if __name__ == "__main__":
    main()
