# SPDX-License-Identifier: Apache-2.0
"""Steps of objects_program.py: what is raised where objects begin, end and read arguments; proxies that are dropped; Ctrl-C in a wait.

In each of them a process may be killed, stopped or forked (troubles.py), and each knows what comes of that.
"""

from __future__ import annotations

import asyncio
import concurrent.futures as standard
import gc
import os
import pickle
import random
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import octavo as ov
from troubles import TROUBLES, Fragile, Holding, Reading, until


def outcome_of(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:
        return error


def has_met(outcome: Any, trouble: str) -> bool:
    """Whether a call ended as it must where its object met this; of one that goes well the caller says the result."""
    if trouble == "raise":
        return isinstance(outcome, LookupError) and outcome.args == ("met",)
    return isinstance(outcome, ov.GoneError) if trouble == "kill" else not isinstance(outcome, BaseException)


async def awaited(future: ov.Future[Any]) -> Any:
    return await future


class LifeSteps:
    """Each with objects of its own."""

    def __init__(self, choices: random.Random) -> None:
        self._random = choices

    def _trouble(self) -> str:
        return self._random.choice(TROUBLES)

    def _calls(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """In one of two ways."""
        if self._random.random() < 0.5:
            return outcome_of(lambda: function(*arguments))
        return outcome_of(lambda: ov.start(function, *arguments).result())

    def begins(self) -> None:
        trouble = self._trouble()
        made = self._calls(ov.process.make, Fragile, trouble)
        assert has_met(made, trouble), made
        if isinstance(made, ov.Error | LookupError):
            return
        assert made.add(2) == 2
        ov.destroy(made)

    def ends(self) -> None:
        trouble = self._trouble()
        p = ov.process.make(Fragile, "none", trouble)
        assert p.add(2) == 2
        gone = outcome_of(lambda: ov.destroy(p))  # what __del__ raises is shown, as everywhere
        assert isinstance(gone, ov.ProcessDied) if trouble == "kill" else gone is None, gone
        assert isinstance(outcome_of(lambda: p.add(2)), ov.GoneError)

    def reads(self) -> None:
        """What an argument meets there, and a result here."""
        there, here = self._trouble(), self._random.choice(["none", "raise"])
        p = ov.process.make(Fragile)
        got = self._calls(p.result, here)
        assert has_met(got, here), got
        got = self._calls(p.add, Reading(there))
        assert has_met(got, there), got
        after = outcome_of(lambda: p.add(2))
        if there == "kill":
            assert isinstance(after, ov.ProcessDied), after
            return
        assert after == (2 if there == "raise" else 3), after
        ov.destroy(p)

    def drops(self) -> None:
        """Proxies, futures and streams, all in a cycle: none lives on here, and the object does."""
        p = ov.process.make(Fragile)
        pid, trouble = p.pid(), self._random.choice(["none", "kill", "stop"])
        other: Fragile = pickle.loads(pickle.dumps(p))
        gone = weakref.ref(p)
        calls = self._random.choice([1, 50, 500])
        cycle: list[Any] = [p, p.add, p.lines(1000), ov.start(p.wrong), *(ov.start(p.add, 1) for _ in range(calls))]
        cycle.append(cycle)
        if self._random.random() < 0.5:
            cycle[4].add_done_callback(lambda _, cycle=cycle: None)
        next(cycle[2])
        if trouble != "none":
            os.kill(pid, signal.SIGKILL if trouble == "kill" else signal.SIGSTOP)
        del p, cycle
        gc.collect()
        if trouble == "stop":
            time.sleep(self._random.random() / 20)
            os.kill(pid, signal.SIGCONT)
        until(lambda: gone() is None or gc.collect() < 0)
        if trouble == "kill":
            assert isinstance(outcome_of(lambda: other.add(1)), ov.ProcessDied)
            return
        assert other.add(1) == calls + 1
        until(lambda: other.closed == 1)
        lost = outcome_of(lambda: ov.destroy(other))
        assert isinstance(lost, LookupError) and lost.args == ("asked for",), lost

    def interrupted(self) -> None:
        """In the main thread: Ctrl-C ends a wait, and the object goes on."""
        with tempfile.TemporaryDirectory() as folder:
            gate = Path(folder) / "gate"
            trouble = self._random.choice(["none", "kill", "stop", "fork"])
            p = ov.process.make(Fragile)
            p.set_gate(str(gate))
            of_p = p.pid()
            aside = threading.Thread(target=interrupt, args=(gate, trouble))
            aside.start()
            try:
                got = outcome_of(self._waits(p, str(gate)))
                assert isinstance(got, ov.GoneError) and trouble == "kill", (got, trouble)
            except KeyboardInterrupt:
                assert trouble != "kill"
            finally:
                gate.touch()
                aside.join()
            pid = int(gate.with_suffix(".began").read_text())
            if trouble == "stop":
                os.kill(pid, signal.SIGCONT)
            added = outcome_of(lambda: p.add(3))
            assert isinstance(added, ov.ProcessDied) if (trouble, pid) == ("kill", of_p) else added == 3, added

    def _waits(self, p: Fragile, gate: str) -> Callable[[], Any]:
        return self._random.choice(
            [
                lambda: p.hold(gate),
                lambda: p.held,
                lambda: next(p.hold_lines(gate)),
                lambda: ov.start(p.hold, gate).result(),
                lambda: ov.start(p.hold, gate).result(600),
                lambda: standard.wait([ov.start(p.hold, gate)]).done.pop().result(),
                lambda: next(standard.as_completed([ov.start(p.hold, gate)])).result(),
                lambda: asyncio.run(awaited(ov.start(p.hold, gate))),
                lambda: ov.process.make(Holding, gate),
            ]
        )


def interrupt(gate: Path, trouble: str) -> None:
    """When the call has begun."""
    began = gate.with_suffix(".began")
    until(began.exists)
    pid = int(began.read_text())
    if trouble == "kill":
        os.kill(pid, signal.SIGKILL)
        return
    if trouble == "stop":
        os.kill(pid, signal.SIGSTOP)
    if trouble == "fork":
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    # To that thread: another that takes a signal of the process does not wake it out of a wait of Python's own (threading.Event).
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
