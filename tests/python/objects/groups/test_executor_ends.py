# SPDX-License-Identifier: Apache-2.0
"""Calls of an Executor whose arguments go to one process alone: the ends of channels, and what holds them."""

from __future__ import annotations

from typing import Any

import octavo as ov
import pytest

pytestmark = pytest.mark.timeout(60)


def wait_for(event: ov.Event) -> bool:
    return event.wait(30)


def set_with(event: ov.Event, held: Any) -> bool:
    event.set()
    return held is not None


def write(out: ov.ChannelWriter[int], count: int) -> int:
    with out:
        for number in range(count):
            out.post(number)
    return count


def total(reader: ov.ChannelReader[int]) -> int:
    return sum(reader)


@pytest.mark.parametrize("nested", [False, True])
def test_a_call_with_an_end_waits_for_a_free_worker(nested: bool) -> None:
    event = ov.Event()
    _out, reader = ov.channel()
    with ov.Executor(2) as executor:
        first = executor.submit(wait_for, event)
        second = executor.submit(set_with, event, [reader] if nested else reader)
        assert first.result(timeout=30), "the second call went to the worker that was free"
        assert second.result(timeout=30)


def test_writer_and_reader_in_two_calls() -> None:
    for _ in range(5):
        out, reader = ov.channel(messages=4)
        with ov.Executor(2) as executor:
            sums, written = executor.submit(total, reader), executor.submit(write, out, 100)
            assert (written.result(timeout=30), sums.result(timeout=30)) == (100, 4950)


def test_one_that_cannot_be_sent_is_refused_though_no_worker_is_free() -> None:
    event = ov.Event()
    with ov.Executor(1) as executor:
        first = executor.submit(wait_for, event)
        with pytest.raises(TypeError, match="generator"):
            executor.submit(set_with, event, (each for each in "abc"))
        event.set()
        assert first.result(timeout=30)
