# SPDX-License-Identifier: Apache-2.0
"""Started calls are cancelled where they have not begun."""

from __future__ import annotations

import concurrent.futures
import threading
import time

import octavo
import pytest
from busy_kit import Busy
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
    done, late = concurrent.futures.wait([call], 5)
    assert (done, late) == ({call}, set())
    wait_for(lambda: told == [True], 5, "the callback")


@pytest.mark.xfail(strict=True, reason="cancel waits until the object looks")
def test_cancelling_returns_at_once_while_the_object_computes(busy: Busy) -> None:
    threading.Timer(2, busy.let_go).start()  # lest it hangs
    begin = time.monotonic()
    assert octavo.start(busy.p.add, 1).cancel()
    assert time.monotonic() - begin < 1.5


def test_a_call_that_runs_cannot_be_cancelled(waiting: Busy) -> None:
    assert not waiting.held.cancel()
    waiting.let_go()
    assert waiting.held.result() == str(waiting.gate)
