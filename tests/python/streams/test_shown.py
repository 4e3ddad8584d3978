# SPDX-License-Identifier: Apache-2.0
"""Streams that run, as octavo ps shows them: ST-13. The same in C++ is tests/conformance/stream/shown_test.cpp."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest
from kit import run_command, wait_for, worked
from octavo.watching import StreamStatus
from streams_kit import DiesOnce, add_one, nothing_is_left

pytestmark = pytest.mark.timeout(120)


def seen(pid: int | None = None) -> list[StreamStatus]:
    return [each for each in octavo.watching.streams() if each.pid == (pid or os.getpid())]


def await_stream(right: Callable[[StreamStatus], bool], pid: int | None = None) -> StreamStatus:
    found: list[StreamStatus] = []

    def is_there() -> bool:
        found[:] = seen(pid)
        return len(found) == 1 and right(found[0])

    wait_for(is_there, 60, "the stream is seen as it is to be")
    return found[0]


class Held:
    """Passes on what comes while its mark is there."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def svc(self, x: int) -> int:
        while x >= 10 and not self.mark.exists():
            threading.Event().wait(0.001)
        return x


def test_st13_stages_are_seen_with_their_figures_until_the_end(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    got: list[int] = []
    s = octavo.pipeline(octavo.stage(add_one).on(octavo.thread).named("first"), octavo.farm(Held, mark).workers(2).bound(3))
    running = threading.Thread(target=lambda: s.run(range(5000), into=got.append))
    running.start()
    stuck = await_stream(lambda each: each.stages[0].waiting_for_room == 1 and each.stages[1].given == 9 and each.delivered == 9)
    first, held = stuck.stages
    assert (first.name, first.place, first.workers) == ("first", "thread", 1)
    assert (held.name, held.place, held.workers) == ("Held", "process", 2)
    assert (first.waiting_for_input, held.waiting_for_input, held.waiting_for_room) == (0, 0, 0)
    assert held.left == first.given - held.taken
    assert 0 <= held.left <= 3
    assert first.left == stuck.came - first.taken > 0
    assert stuck.agent_pid == os.getpid()
    assert stuck.class_name == "the program"
    assert stuck.address == next(each.address for each in octavo.watching.processes() if each.pid == os.getpid() and not each.on_thread)
    later = await_stream(lambda each: each.stages[1].busy > held.busy and each.stages[0].waited_for_room > first.waited_for_room)
    assert later.stages[1].taken == held.taken
    assert later.stages[0].waits_seconds > first.waits_seconds
    mark.touch()
    running.join()
    assert got == list(range(1, 5001))
    assert seen() == []


def test_st13_who_waits_for_input_is_seen_to_do_so() -> None:
    more = threading.Event()

    def numbers() -> Iterator[int]:
        yield from range(5)
        more.wait()

    with octavo.pipeline(add_one, octavo.farm(add_one).workers(3))(numbers()) as results:
        assert [next(results) for _ in range(5)] == list(range(2, 7))
        idle = await_stream(lambda each: [stage.waiting_for_input for stage in each.stages] == [1, 3])
        assert (idle.came, [(each.taken, each.given, each.left) for each in idle.stages]) == (5, [(5, 5, 0)] * 2)
        more.set()
        assert list(results) == []
        assert results.report().stages[0].taken == 5
    assert seen() == []


def test_st13_figures_are_those_of_the_report_after_a_death(tmp_path: Path) -> None:
    more = threading.Event()

    def numbers() -> Iterator[int]:
        yield from range(100)
        more.wait()

    farm = octavo.farm(DiesOnce, tmp_path, [3, 70]).workers(2).on_death("redo").stateless()
    with octavo.pipeline(farm)(numbers()) as results:
        assert len([next(results) for _ in range(200)]) == 200
        (stage,) = await_stream(lambda each: each.stages[0].waiting_for_input == 2).stages
        report = results.report().stages[0]
        assert (stage.taken, stage.given) == (report.taken, report.given) == (100, 200)
        assert stage.busy == pytest.approx(report.busy)
        more.set()


def test_st13_an_error_and_an_early_end_are_seen_no_more() -> None:
    with pytest.raises(ZeroDivisionError):
        octavo.pipeline(lambda x: 1 // (x - 3)).run(range(10))
    assert seen() == []
    for result in octavo.pipeline(add_one)(range(100000)):
        await_stream(lambda each: each.delivered > 0)
        if result > 3:
            break
    assert seen() == []
    octavo.pipeline(add_one).inline().run([1])
    nothing_is_left()


PROGRAM = """
import threading
import octavo

def stuck(x):
    threading.Event().wait()

octavo.pipeline(octavo.stage(abs).on(octavo.thread).named("before\\x1b[2J"), octavo.farm(stuck).workers(2).bound(1)).run(range(1000))
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[int]:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with subprocess.Popen([sys.executable, str(path)]) as started:
        try:
            await_stream(lambda each: each.stages[0].waiting_for_room == 1 and each.stages[1].taken >= 2, started.pid)
            yield started.pid
        finally:
            started.kill()


def lines_of(program: int, *arguments: str) -> list[list[str]]:
    """What octavo ps says in its table of streams."""
    lines = worked("ps", *arguments).out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.split()[:3] == ["PID", "PROGRAM", "STREAM"])
    assert lines[head].split() == ["PID", "PROGRAM", "STREAM", "CLASS", "STAGE", "PLACE", "WORKERS", "TAKEN", "GIVEN", "LEFT", "BUSY", "INPUT", "ROOM", "DOING"]
    return [line.split() for line in lines[head + 1 :] if line.split()[0] == str(program)]


def test_st13_octavo_ps_lists_stages_and_who_waits_for_whom(program: int) -> None:
    for arguments in ((), ("--streams",)):
        first, second = lines_of(program, *arguments)
        assert first[:3] == [str(program), str(program), "1"]
        assert " ".join(first[3:8]) == "the program before?[2J thread 1"
        assert "waits for room before stuck" in " ".join(first)
        assert " ".join(second[5:8]) == "stuck process 2"
        assert second[-1] == "works"
    (exact,) = [each for each in json.loads(worked("ps", "--streams", "--json").out) if each["pid"] == program]
    assert [each["name"] for each in exact["stages"]] == ["before?[2J", "stuck"]
    assert exact["stages"][0]["waiting_for_room"] == 1
    assert "--roads and --streams" in run_command("ps", "--roads", "--streams").err


def test_st13_a_program_that_is_stopped_is_seen_until_it_dies(program: int) -> None:
    os.kill(program, signal.SIGSTOP)
    wait_for(lambda: any(each.pid == program and each.state == "stopped" for each in octavo.watching.processes()), 30, "it is stopped")
    assert [each.stages[1].given for each in seen(program)] == [0]
    os.kill(program, signal.SIGKILL)
    wait_for(lambda: seen(program) == [], 30, "it is seen no more")


class Runs:
    """An object whose method runs a stream."""

    def __init__(self) -> None:
        self.reading: Any = None

    def begin(self) -> int:
        self.reading = octavo.pipeline(add_one)(range(100000))
        return int(next(self.reading))

    def end(self) -> None:
        self.reading.close()


def test_st13_a_stream_of_an_object_belongs_to_its_program() -> None:
    p = octavo.process.make(Runs)
    assert p.begin() == 1
    (found,) = [each for each in octavo.watching.streams() if each.address == octavo.watching.address(p)]
    assert (found.agent_pid, found.class_name, found.stages[0].name) == (os.getpid(), "Runs", "add_one")
    assert found.pid != os.getpid()
    p.end()
    assert [each for each in octavo.watching.streams() if each.address == octavo.watching.address(p)] == []
    octavo.destroy(p)
