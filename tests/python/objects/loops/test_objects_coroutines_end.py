# SPDX-License-Identifier: Apache-2.0
"""``async def`` methods that still run when their object ends: they are left by CancelledError, and what they then await has its time."""

from __future__ import annotations

import asyncio
import os
import signal
import textwrap
from pathlib import Path

import octavo
import pytest
from kit import wait_for
from programs_kit import program, run_program

pytestmark = pytest.mark.timeout(60)

MODULE = """
import asyncio, contextlib
from pathlib import Path

class Opens:
    def __init__(self):
        self.kept = open("kept", "w")
    @contextlib.asynccontextmanager
    async def opened(self):
        try:
            yield
        finally:
            await asyncio.sleep(0.05)
            Path("exited").write_text("whole")
    async def hold(self):
        asyncio.create_task(self.beside())
        async with self.opened():
            try:
                Path("began").touch()
                await asyncio.sleep(1000)
            finally:
                await asyncio.sleep(0.05)
                Path("left").write_text("whole")
    async def beside(self):
        try:
            await asyncio.sleep(1000)
        finally:
            await asyncio.sleep(0.05)
            Path("beside").write_text("whole")
    async def never_leaves(self):
        self.kept.write("whole")
        Path("began").touch()
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(1000)
"""
BEGIN = """
from opening import Opens
p = octavo.{place}.make(Opens)
f = octavo.start(p.{method})
while not os.path.exists("began"):
    time.sleep(0.01)
"""
ENDS = {
    "the program ends": ("", 0),
    "the program fails": ("sys.exit(3)", 3),
    "Ctrl-C": ("f.result()", -signal.SIGINT),
    "destroy": ("octavo.destroy(p); assert Path('exited').read_text() == Path('left').read_text() == 'whole'", 0),
}


@pytest.mark.parametrize("place", ["process", "thread"])
@pytest.mark.parametrize("end", ENDS)
def test_an_async_method_that_runs_is_left_by_cancelled_error(tmp_path: Path, end: str, place: str) -> None:
    (tmp_path / "opening.py").write_text(MODULE)
    last, status = ENDS[end]
    text = "from pathlib import Path\n" + BEGIN.format(place=place, method="hold") + "Path('begun').touch()\n" + last
    with program(tmp_path, text) as running:
        if end == "Ctrl-C":
            running.came("begun")
            os.killpg(running.process.pid, signal.SIGINT)
        out = running.end(status)
    for name in ("left", "exited", "beside"):
        assert (tmp_path / name).read_text() == "whole", name
    assert "pending" not in out
    assert "no running event loop" not in out


@pytest.mark.parametrize("end", ["", "octavo.destroy(p)"])
def test_an_async_method_that_never_leaves_is_not_waited_for(tmp_path: Path, end: str) -> None:
    (tmp_path / "opening.py").write_text(MODULE)
    run_program(tmp_path, textwrap.dedent(BEGIN.format(place="process", method="never_leaves")) + end)
    assert (tmp_path / "kept").read_text() == "whole"


class Sleeps:
    def __init__(self) -> None:
        self.awaiting = 0

    async def sleep(self) -> None:
        self.awaiting += 1
        await asyncio.sleep(1000)

    async def minds(self) -> str:
        self.awaiting += 1
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            return "left"
        return "slept"


@pytest.mark.parametrize("place", [octavo.process, octavo.thread], ids=str)
def test_who_waits_for_it_is_told_that_the_object_ended(place: octavo.Place) -> None:
    p = place.make(Sleeps)
    slept, minded = octavo.start(p.sleep), octavo.start(p.minds)
    wait_for(lambda: p.awaiting == 2, 20, "both await")
    octavo.destroy(p)
    with pytest.raises(octavo.GoneError, match="ended before its async method had returned"):
        slept.result(20)
    assert minded.result(20) == "left"
