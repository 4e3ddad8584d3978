# SPDX-License-Identifier: Apache-2.0
"""Two programs that a mailbox makes one stream, of which one ends before the other has taken, or given, anything: ST-11 and ST-12."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import octavo
import pytest

pytestmark = pytest.mark.timeout(120)

BEGIN = """
import itertools, os, signal, sys
import octavo
box = octavo.StreamBox(sys.argv[2])
def die(): os.kill(os.getpid(), signal.SIGKILL)
def leave(): os._exit(0)
def ends_at(item, end):
    for i in range(item): yield i
    end()
def said(text): print(text, flush=True)
def told(work):
    try:
        return work()
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
class BadInit:
    def svc_init(self): raise RuntimeError("no beginning")
    def svc(self, x): return x
if __name__ == "__main__":
    with octavo.Runtime(home=sys.argv[1]):
"""


class Programs:
    """Others of this home, of one box; each says a line now and then."""

    def __init__(self, home: Path, box: str) -> None:
        self.box, self._home = box, home
        self._begun: list[subprocess.Popen[str]] = []

    def __call__(self, *lines: str) -> subprocess.Popen[str]:
        text = BEGIN + "".join(f"        {line}\n" for line in lines)
        self._begun.append(subprocess.Popen([sys.executable, "-c", text, str(self._home), self.box], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return self._begun[-1]

    def kill(self) -> None:
        for each in self._begun:
            each.kill()
            each.wait()


def line_of(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()


@pytest.fixture(scope="module", autouse=True)
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("home")
    with octavo.Runtime(home=str(home)):
        yield home
        octavo.naming.end_lasting_agent()


@pytest.fixture
def programs(runtime: Path, request: pytest.FixtureRequest) -> Iterator[Programs]:
    made = Programs(runtime, f"ov://home/box-{abs(hash(request.node.name))}")
    yield made
    made.kill()


def read_here(programs: Programs) -> octavo.StreamBox[Any]:
    """The box, of which this program is the reader from now on."""
    box = octavo.StreamBox(programs.box)
    programs("octavo.pipeline(range(3)).run(into=box)")
    assert list(box) == [0, 1, 2]
    return box


@pytest.mark.parametrize("end", ["die", "leave"])
@pytest.mark.parametrize("items", [0, 10])
def test_st12_the_end_of_the_first_is_told_to_who_waits(programs: Programs, items: int, end: str) -> None:
    box = read_here(programs)
    programs(f"octavo.pipeline(ends_at({items}, {end})).run(into=box)")
    got = []
    with pytest.raises(octavo.ProcessDied, match="its program ended, or was killed"):
        got.extend(box)
    assert got == list(range(len(got)))


@pytest.mark.parametrize("end", ["die", "leave"])
@pytest.mark.parametrize("items", [0, 10])
def test_st12_the_end_of_the_first_is_told_to_who_reads_later(programs: Programs, items: int, end: str) -> None:
    box = read_here(programs)
    programs(f"octavo.pipeline(ends_at({items}, {end})).run(into=box)").wait(60)
    other = programs("octavo.pipeline(range(5)).run(into=box)", "said('given')")
    with pytest.raises(octavo.ProcessDied, match="its program ended, or was killed"):
        list(box)
    assert list(box) == list(range(5))
    assert line_of(other) == "given"


def test_st12_one_that_was_left_is_passed_over_when_its_program_has_ended(programs: Programs) -> None:
    box = read_here(programs)
    left = programs("def stop(): raise KeyboardInterrupt", "said(told(lambda: octavo.pipeline(ends_at(5, stop)).run(into=box)))")
    assert line_of(left).startswith("KeyboardInterrupt")
    left.wait(60)
    programs("octavo.pipeline(range(5)).run(into=box)")
    assert list(box) == list(range(5))


def test_st12_an_error_is_told_when_its_program_has_ended(programs: Programs) -> None:
    box = read_here(programs)
    failed = programs("said(told(lambda: octavo.pipeline(range(9), lambda x: 1 // x).run(into=box)))")
    assert line_of(failed).startswith("ZeroDivisionError")
    failed.wait(60)
    with pytest.raises(octavo.GoneError, match="has failed: ZeroDivisionError"):
        list(box)


@pytest.mark.parametrize("inlined", ["", ".inline()"])
def test_st12_an_error_at_the_beginning_is_told(programs: Programs, inlined: str) -> None:
    failed = programs(f"said(told(lambda: octavo.pipeline(range(9), BadInit){inlined}.run(into=box)))")
    with pytest.raises(octavo.GoneError, match="has failed: RuntimeError: no beginning"):
        list(octavo.StreamBox(programs.box))
    assert line_of(failed).startswith("RuntimeError: no beginning")


def test_st11_the_death_of_an_earlier_reader_is_not_the_next_streams(programs: Programs) -> None:
    second = programs("said(list(box))", "input()")
    box = octavo.StreamBox(programs.box)
    assert octavo.pipeline(range(3)).run(into=box).delivered == 3
    assert line_of(second) == "[0, 1, 2]"
    second.kill()
    second.wait()
    third = programs("said(list(box))")
    assert octavo.pipeline(range(4)).run(into=box).delivered == 4
    assert line_of(third) == "[0, 1, 2, 3]"


def test_st11_what_a_dead_reader_had_not_begun_is_for_the_next(programs: Programs) -> None:
    second = programs("said(list(box))", "input()")
    box = octavo.StreamBox(programs.box)
    assert octavo.pipeline(range(3)).run(into=box).delivered == 3
    assert line_of(second) == "[0, 1, 2]"
    begun: list[subprocess.Popen[str]] = []

    def items() -> Iterator[int]:
        second.kill()
        begun.append(programs("said(sum(box))"))
        yield from itertools.islice(itertools.count(), 50)

    assert octavo.pipeline(items).run(into=box).delivered == 50
    assert line_of(begun[0]) == str(sum(range(50)))
