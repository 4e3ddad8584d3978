# SPDX-License-Identifier: Apache-2.0
"""StopIteration of a user's function is an error, and no end of the stream (ST-3); and what else an error says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from streams_kit import FailsAt, Times, add_one

pytestmark = pytest.mark.timeout(120)


def first_even(x: int) -> int:
    return next(each for each in [x] if each % 2 == 0 or x < 3)


async def stops_async(x: int) -> int:
    if x == 3:
        raise StopAsyncIteration
    return x


class StopsBefore:
    def svc_init(self) -> None:
        next(iter([]))

    def svc(self, x: int) -> int:
        return x


def stops(*_: Any) -> Any:
    raise StopIteration


def negated(block: Any) -> Any:
    return next(iter([-block] if block[0, 0] < 50 else []))


def read(s: Any, items: Any = range(10)) -> list[Any]:
    return list(s(items))


async def read_async(s: Any) -> list[Any]:
    return [x async for x in s(range(10))]


STOPPING: dict[str, Callable[[], Any]] = {
    "stage": lambda: read(octavo.pipeline(first_even)),
    "thread": lambda: read(octavo.pipeline(octavo.stage(first_even).on(octavo.thread))),
    "unordered": lambda: read(octavo.pipeline(octavo.farm(first_even).workers(2).unordered())),
    "run": lambda: octavo.pipeline(first_even).run(range(10)),
    "inline": lambda: read(octavo.pipeline(first_even).inline()),
    "svc_init": lambda: read(octavo.pipeline(StopsBefore)),
    "source": lambda: list(octavo.pipeline(stops, add_one)()),
    "source of run": lambda: octavo.pipeline(stops, add_one).run(),
    "into": lambda: octavo.pipeline(add_one).run(range(10), into=stops),
    "key": lambda: read(octavo.pipeline(octavo.farm(add_one).by(stops))),
    "async stage": lambda: read(octavo.pipeline(stops_async)),
    "async for": lambda: asyncio.run(read_async(octavo.pipeline(first_even))),
    "async stage, async for": lambda: asyncio.run(read_async(octavo.pipeline(stops_async))),
}


@pytest.mark.parametrize("where", STOPPING)
def test_st3_stopiteration_is_an_error(where: str) -> None:
    with pytest.raises(RuntimeError, match=r"StopIteration|StopAsyncIteration|generator raised|coroutine raised"):
        STOPPING[where]()


def test_st3_what_came_before_it_is_given() -> None:
    got: list[int] = []
    with pytest.raises(RuntimeError, match="StopIteration") as told:
        for x in octavo.pipeline(first_even)(range(10)):
            got.append(x)
    assert got == [0, 1, 2]
    assert "item 3" in "".join(getattr(told.value, "__notes__", ["item 3"]))


def test_st10_map_blocks_makes_no_array_of_less(tmp_path: Path) -> None:
    field = np.arange(100.0).reshape(10, 10)
    with pytest.raises(RuntimeError, match="StopIteration"):
        octavo.map_blocks(negated, field, out=tmp_path / "out.zarr", chunks=(2, 10))
    assert list(tmp_path.iterdir()) == []


def test_st3_out_of_order_an_error_counts_what_was_given() -> None:
    got: list[int] = []
    with pytest.raises(ArithmeticError, match="5") as told:
        for x in octavo.pipeline(octavo.farm(FailsAt, 5).workers(2).unordered())(range(100)):
            got.append(x)
    if hasattr(told.value, "__notes__"):
        assert any(note.startswith(f"{len(got)} results were given") for note in told.value.__notes__)


def test_descriptions_that_cannot_be(tmp_path: Path) -> None:
    def said(work: Callable[[], Any], kind: type[Exception] = octavo.UsageError) -> str:
        with pytest.raises(kind) as told:
            work()
        return str(told.value)

    def empty() -> Iterator[int]:
        yield from ()

    assert "given no source" in said(lambda: octavo.pipeline(add_one).run())
    assert "with s(items)" in said(lambda: octavo.start(octavo.pipeline(add_one)))
    assert "without stage() or farm() around it" in said(lambda: octavo.farm(octavo.farm(Times, 3)))
    assert "on() of no place" in said(lambda: octavo.farm(add_one).on([]))
    assert "on('node1')" in said(lambda: octavo.farm(add_one).on("node1"))  # type: ignore[arg-type]
    assert "workers of 0" in said(lambda: octavo.map_blocks(np.sqrt, np.ones(3), workers=0))
    assert list(octavo.pipeline(empty, add_one)()) == []
    with pytest.raises(octavo.Refused) as refused:
        octavo.map_blocks(np.sqrt, np.ones((100, 100)), chunks=(100, 100), memory="64KiB")
    assert refused.value.least > 64 << 10
    path = tmp_path / "a.zarr"
    octavo.create_array(path, (8, 8), "f8").close()
    for opened in (octavo.open_array, octavo.buffered):
        with pytest.raises(octavo.Refused) as refused:
            opened(path, memory="1KiB")
        assert (refused.value.path, refused.value.least > 0) == (str(path), True), opened


def test_st10_packed_blocks_are_what_is_said(tmp_path: Path) -> None:
    path = tmp_path / "packed.zarr"
    with octavo.create_array(path, (4, 4), "int16", attrs={"scale_factor": 0.5}) as made:
        made[...] = 6
    with pytest.raises(octavo.UsageError, match="unpack=True"):
        octavo.map_blocks(np.negative, path)
    assert octavo.map_blocks(np.negative, path, unpack=False).tolist() == [[-6] * 4] * 4
    assert octavo.map_blocks(np.negative, path, unpack=True).tolist() == [[-3.0] * 4] * 4
