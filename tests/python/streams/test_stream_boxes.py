# SPDX-License-Identifier: Apache-2.0
"""Two programs that a mailbox makes one stream: ST-11 and ST-12. The second one is of Python, or of C++ (tests/system/programs/streamer.cpp)."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from kit import ended_by_control_c
from octavo import _core
from streams_kit import FailsAt, add_one

pytestmark = pytest.mark.timeout(120)

BUILD = Path(_core.__file__).resolve().parents[1]
STREAMER = BUILD / "tests/system/programs/programs_streamer"
BOX = "ov://home/items"  # that this program reads
BEGIN = """
import os, signal, sys
import numpy as np
import octavo
box = octavo.StreamBox("ov://home/items")
there = octavo.StreamBox("ov://home/there")
def runs(home, work):
    with octavo.Runtime(home=home):
        try:
            print(work())
        except BaseException as error:
            print(type(error).__name__ + ":", error)
"""


@pytest.fixture(scope="module", autouse=True)
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("home")
    with octavo.Runtime(home=str(home)):
        yield home
        octavo.naming.end_lasting_agent()


class Program:
    """Another program, which says what its work gives."""

    def __init__(self, home: Path, work: str) -> None:
        text = f"{BEGIN}\nif __name__ == '__main__':\n    runs({str(home)!r}, lambda: {work})\n"
        self.process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)

    def said(self) -> str:
        return self.process.communicate(timeout=60)[0].strip()


@pytest.fixture
def program(runtime: Path) -> Iterator[Any]:
    begun: list[Program] = []

    def begin(work: str) -> Program:
        begun.append(Program(runtime, work))
        return begun[-1]

    yield begin
    for each in begun:
        each.process.kill()
        each.process.wait()


def test_st11_two_programs_are_one_stream(program: Any) -> None:
    first = program("octavo.pipeline(range(3000)).run(into=box).delivered")
    assert list(octavo.pipeline(add_one)(octavo.StreamBox(BOX))) == list(range(1, 3001))
    assert first.said() == "3000"


def test_st11_the_second_program_may_begin_later(program: Any) -> None:
    second = program("sum(there)")
    assert octavo.pipeline(range(1000), add_one).run(into=octavo.StreamBox("ov://home/there")).delivered == 1000
    assert second.said() == str(sum(range(1, 1001)))


def test_st11_arrays_and_a_small_bound(program: Any) -> None:
    first = program("octavo.pipeline([np.full(50_000, float(x)) for x in range(20)]).run(into=octavo.StreamBox(box.name, np.ndarray, messages=2)).delivered")
    assert [x[0] for x in octavo.StreamBox(BOX, np.ndarray, messages=2)] == list(range(20))
    assert first.said() == "20"


def test_st11_streams_are_taken_one_after_the_other(program: Any) -> None:
    first = program("[octavo.pipeline(range(n)).run(into=box).delivered for n in (5, 0, 7)]")
    assert [list(octavo.StreamBox(BOX)) for _ in range(3)] == [list(range(5)), [], list(range(7))]
    assert first.said() == "[5, 0, 7]"


def test_st11_through_a_program_of_cpp(runtime: Path) -> None:
    if not STREAMER.exists():
        pytest.skip("the package is not that of a build, which has a program of C++ beside it")
    with subprocess.Popen([STREAMER, runtime], stdout=subprocess.PIPE, text=True) as streamer:
        try:
            given = octavo.pipeline(range(1000))
            thread = threading.Thread(target=given.run, kwargs={"into": octavo.StreamBox("ov://home/numbers", float)})
            thread.start()
            assert list(octavo.StreamBox("ov://home/halves", float)) == [x / 2 for x in range(1000)]
            thread.join()
            assert streamer.communicate(timeout=20)[0] == ""
        finally:
            streamer.kill()


def test_st12_an_error_of_the_first_is_told(program: Any) -> None:
    first = program("octavo.pipeline(range(100), lambda x: 1 // (50 - x)).run(into=box)")
    got = []
    with pytest.raises(octavo.GoneError, match="the stream that ends in mailbox 'ov://home/items' has failed: ZeroDivisionError"):
        octavo.pipeline(add_one).run(octavo.StreamBox(BOX), into=got.append)
    assert len(got) == 50
    assert first.said().startswith("ZeroDivisionError")


def test_st12_an_error_of_the_first_is_told_when_its_program_has_ended(program: Any) -> None:
    first = program("octavo.pipeline(range(100), lambda x: 1 // (50 - x)).run(into=box)")
    items = iter(octavo.StreamBox(BOX))
    for _ in range(50):
        next(items)
    assert first.said().startswith("ZeroDivisionError")
    with pytest.raises(octavo.GoneError, match="the stream that ends in mailbox 'ov://home/items' has failed: ZeroDivisionError"):
        next(items)


def test_st12_an_error_of_the_second_is_told(program: Any) -> None:
    first = program("octavo.pipeline(iter(int, 1)).run(into=box)")
    with pytest.raises(ArithmeticError):
        octavo.pipeline(octavo.farm(FailsAt, 0).workers(2)).run(octavo.StreamBox(BOX))
    assert first.said().startswith("GoneError: the stream that begins in mailbox 'ov://home/items' has failed: ArithmeticError: item 0")


def test_st12_a_loop_that_is_left_cancels_the_first(program: Any) -> None:
    first = program("octavo.pipeline(iter(int, 1)).run(into=box)")
    with octavo.pipeline(add_one)(octavo.StreamBox(BOX)) as results:
        assert next(results) == 1
    assert first.said().startswith("Cancelled: the stream that begins in mailbox 'ov://home/items' was cancelled")


def test_st12_one_that_nobody_takes_is_ended_by_ctrl_c() -> None:
    with ended_by_control_c():
        octavo.pipeline(range(3)).run(into=octavo.StreamBox("ov://home/nobody"))


def test_st12_the_death_of_the_first_is_told(program: Any) -> None:
    first = program("octavo.pipeline(iter(int, 1)).run(into=box)")
    results = iter(octavo.StreamBox(BOX))
    assert next(results) == 0
    first.process.kill()
    with pytest.raises(octavo.ProcessDied, match="its program ended, or was killed"):
        for _ in results:
            pass


def test_st12_the_death_of_the_second_is_told(program: Any) -> None:
    second = program("[os.kill(os.getpid(), signal.SIGKILL) for x in octavo.StreamBox('ov://home/dies')]")
    with pytest.raises(octavo.ProcessDied, match="its program ended, or was killed"):
        octavo.pipeline(iter(int, 1)).run(into=octavo.StreamBox("ov://home/dies"))
    assert second.said() == ""


def test_where_a_box_may_stand() -> None:
    with pytest.raises(octavo.UsageError, match=r"where a stream begins or ends.*into=box"):
        octavo.pipeline(range(3), octavo.StreamBox(BOX))
    with pytest.raises(octavo.UsageError, match="no type of messages"):
        octavo.StreamBox(BOX, bool)
