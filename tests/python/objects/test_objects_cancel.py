# SPDX-License-Identifier: Apache-2.0
"""Started calls are cancelled where they have not begun."""

from __future__ import annotations

import asyncio
import concurrent.futures
from pathlib import Path

import octavo
import pytest
from busy_kit import Busy
from hosted_classes import Counter
from kit import wait_for

pytestmark = pytest.mark.timeout(60)


def test_a_call_that_has_not_begun_can_be_cancelled(waiting: Busy) -> None:
    first, second = octavo.start(waiting.p.add, 1), octavo.start(waiting.p.add, 10)
    assert second.cancel()
    assert second.cancelled()
    assert second.done()
    with pytest.raises(concurrent.futures.CancelledError):
        second.result(1)
    waiting.let_go()
    assert first.result() == 1
    assert waiting.p.value == 1
    assert not first.cancel()
    assert second.cancel()


def test_cancelling_tells_who_waits(waiting: Busy) -> None:
    call = octavo.start(waiting.p.add, 1)
    told: list[bool] = []
    call.add_done_callback(lambda f: told.append(f.cancelled()))
    assert call.cancel()
    done, late = concurrent.futures.wait([call], 20)
    assert (done, late) == ({call}, set())
    wait_for(lambda: told == [True], 20, "the callback")


def test_cancelling_does_not_wait_for_an_object_that_computes_and_holds_when_that_is_done(busy: Busy) -> None:
    first, *others = [octavo.start(busy.p.add, 10**i) for i in range(10)]
    assert not any(each.cancel() for each in others)  # nobody knows yet
    assert not any(each.done() for each in others)
    busy.let_go()
    assert not concurrent.futures.wait([first, *others], 20).not_done
    assert all(each.cancelled() and each.cancel() for each in others)
    assert busy.p.value == first.result() == 1


def test_what_cannot_be_taken_back_any_more_runs(busy: Busy) -> None:
    """More than find room on the way to the object, and so the last of the requests may come too late: each call runs, or is cancelled."""
    calls = [octavo.start(busy.p.add, 1) for _ in range(300)]
    assert not any(each.cancel() for each in calls)
    busy.let_go()
    assert not concurrent.futures.wait(calls, 20).not_done
    assert busy.p.value == sum(not each.cancelled() for each in calls)


def test_an_executor_that_computes_is_shut_down_at_once(tmp_path: Path) -> None:
    began, gate = tmp_path / "began", tmp_path / "gate"
    workers = octavo.Executor(1)
    held = workers.submit(Counter().hold, str(gate), str(began))
    wait_for(began.exists, 20, "it computes")
    late = [workers.submit(pow, 2, i) for i in range(20)]
    workers.shutdown(wait=False, cancel_futures=True)
    assert not held.done()
    gate.touch()
    assert not concurrent.futures.wait(late, 20).not_done
    assert all(each.cancelled() for each in late)
    assert held.result(20) == str(gate)


@pytest.mark.parametrize("settled", [False, True])
def test_one_that_was_cancelled_says_so_again(waiting: Busy, settled: bool) -> None:
    call = octavo.start(waiting.p.add, 1)
    assert call.cancel()
    if settled:
        assert call.cancelled()
    assert call.cancel()


def test_a_call_that_runs_cannot_be_cancelled(waiting: Busy) -> None:
    assert not waiting.held.cancel()
    waiting.let_go()
    assert waiting.held.result() == str(waiting.gate)


def test_a_call_that_was_cancelled_and_forgotten_is_no_error_of_its_object(busy: Busy) -> None:
    async def impatient() -> None:
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            await asyncio.wait_for(octavo.start(busy.p.add, 10), 0.05)

    asyncio.run(impatient())
    busy.let_go()
    assert busy.p.add(1) == 1
    octavo.destroy(busy.p)
