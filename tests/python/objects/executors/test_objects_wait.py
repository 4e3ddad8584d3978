# SPDX-License-Identifier: Apache-2.0
"""octavo.wait: so many of several futures, whoever made them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter, Echo, Process

pytestmark = pytest.mark.timeout(60)


class Waiting(Process):
    """Waits for calls of its own, and is called back meanwhile."""

    def __init__(self) -> None:
        self.heard = 0

    def hear(self) -> None:
        self.heard += 1

    def gather(self, other: Any, me: Any) -> tuple[int, int]:
        done, _ = octavo.wait([octavo.start(other.ask, me, "hear") for _ in range(3)], count=2)
        return len(done), self.heard


def begun(p: Any, gate: Path) -> octavo.Future[str]:
    return octavo.start(p.hold, str(gate))


def test_those_that_are_done_and_those_that_are_not_in_the_order_given(tmp_path: Path, echo: Echo) -> None:
    held = octavo.process.make(Counter)
    slow, quick, other = begun(held, tmp_path / "gate"), octavo.start(echo.same, 1), octavo.start(echo.same, 2)
    done, not_done = octavo.wait([other, slow, quick], count=2)
    assert done == [other, quick]
    assert not_done == [slow]
    (tmp_path / "gate").touch()
    assert octavo.wait([slow, other]) == ([slow, other], [])
    octavo.destroy(held)


def test_futures_of_several_makers(tmp_path: Path, echo: Echo) -> None:
    held, gate, mine = octavo.process.make(Counter), threading.Event(), Future[int]()
    with ThreadPoolExecutor(1) as threads, octavo.Executor(1) as workers:
        slow, local, remote = begun(held, tmp_path / "gate"), threads.submit(gate.wait), workers.submit(abs, -3)
        threading.Timer(0.05, mine.set_result, (5,)).start()
        done, not_done = octavo.wait([slow, local, remote, mine, octavo.start(echo.same, 0)], count=3)
        assert [each.result() for each in done] == [3, 5, 0]
        assert not_done == [slow, local]
        gate.set()
        assert octavo.wait([local, slow], count=1) == ([local], [slow])
    (tmp_path / "gate").touch()
    octavo.destroy(held)


def test_what_is_done_by_the_deadline(tmp_path: Path, echo: Echo) -> None:
    held = octavo.process.make(Counter)
    slow, quick = begun(held, tmp_path / "gate"), octavo.start(echo.same, 1)
    assert quick.result() == 1
    begin = time.monotonic()
    assert octavo.wait([slow, quick], timeout=0.2) == ([quick], [slow])
    assert 0.15 < time.monotonic() - begin < 20
    assert octavo.wait([slow, quick], count=1, timeout=0) == ([quick], [slow])
    assert not slow._waiters  # what did not come is not told of later
    (tmp_path / "gate").touch()
    assert slow.result() == str(tmp_path / "gate")
    octavo.destroy(held)


def test_a_call_that_failed_or_was_cancelled_is_done(shared_counter: Counter) -> None:
    failed, cancelled = octavo.start(shared_counter.fail, KeyError("k")), Future[int]()
    cancelled.cancel()
    done, not_done = octavo.wait([failed, cancelled])
    assert (done, not_done) == ([failed, cancelled], [])
    with pytest.raises(KeyError):
        failed.result()
    p = octavo.process.make(Counter)
    pid = p.pid()
    dying = octavo.start(p.hold, "/there/is/no/such/file")
    os.kill(pid, signal.SIGKILL)
    assert octavo.wait([dying]) == ([dying], [])
    assert isinstance(dying.exception(), octavo.ProcessDied)


def test_one_given_twice_is_one_and_none_is_no_wait(echo: Echo) -> None:
    call = octavo.start(echo.same, 1)
    assert octavo.wait([call, call]) == ([call], [])
    assert octavo.wait([]) == ([], [])
    assert octavo.wait(iter([call]), count=0)[0] in ([], [call])


def test_mistakes_are_told(echo: Echo) -> None:
    call = octavo.start(echo.same, 1)
    with pytest.raises(octavo.UsageError, match=r"for 3 of 1 futures\. Give a count of 0 to 1"):
        octavo.wait([call], count=3)
    with pytest.raises(octavo.UsageError, match="for 2 of 1 futures"):  # one that is given twice is one
        octavo.wait([call, call], count=2)
    with pytest.raises(octavo.UsageError, match="for -1 of"):
        octavo.wait([call], count=-1)
    with pytest.raises(octavo.UsageError, match=r"octavo.wait\(\) of int, which is no future"):
        octavo.wait([call, 5])  # type: ignore[type-var]

    async def mixed() -> None:
        with pytest.raises(octavo.UsageError, match=r"of asyncio's wait with asyncio.wait\(\)"):
            octavo.wait([asyncio.get_running_loop().create_future()])  # type: ignore[type-var]

    asyncio.run(mixed())


def test_an_object_that_waits_is_called_back() -> None:
    p, q = octavo.process.make(Waiting), octavo.process.make(Waiting)
    done, heard = p.gather(q, p)
    assert done >= 2
    assert heard >= 2


def test_many_are_not_looked_at_again_and_again(echo: Echo) -> None:
    mine = [Future[int]() for _ in range(20_000)]

    def keep() -> None:
        for each in mine[:15_000]:
            each.set_result(1)

    threading.Timer(0.05, keep).start()
    done, not_done = octavo.wait(mine, count=15_000, timeout=50)
    assert (len(done), len(not_done)) == (15_000, 5_000)
    assert concurrent.futures.wait(done).not_done == set()
