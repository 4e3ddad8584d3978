# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends what the main thread waits for, and nothing else; it ends a program that does not catch it, and leaves nothing."""

from __future__ import annotations

import os
import signal
import textwrap
from pathlib import Path

import pytest
from kit import wait_for
from programs_kit import program

pytestmark = pytest.mark.timeout(60)

# An object that computes, and more calls than its way to it holds.
FULL = "calls = [octavo.start(p.hold, 'gate', 'begins'), *(octavo.start(p.add, 0) for _ in range(3000))]; wait_until('begins'); Path('began').touch()"

WAITS = {
    "call": "p.hold('gate', 'began')",
    "result": "octavo.start(p.hold, 'gate', 'began').result()",
    "result with a timeout": "octavo.start(p.hold, 'gate', 'began').result(60)",
    "wait": "concurrent.futures.wait([octavo.start(p.hold, 'gate', 'began')])",
    "await": "asyncio.run(awaited(octavo.start(p.hold, 'gate', 'began')))",
    "make": "octavo.process.make(Slow)",
    "attribute": "p.slow",
    "call on a full way": f"{FULL}; p.add(0)",
    "long attribute on a full way": f"{FULL}; p.text = 'x' * 100_000",
}


@pytest.mark.parametrize(
    ("way", "group"),
    [
        *((way, False) for way in sorted(WAITS)),
        ("call", True),
        ("result", True),
    ],  # True: as the terminal does
)
def test_control_c_ends_a_wait_and_the_object_lives_on(tmp_path: Path, way: str, group: bool) -> None:
    with program(
        tmp_path,
        f"""
        from hosted_classes import wait_until
        from pathlib import Path
        async def awaited(future):
            return await future
        class Slow(Counter):
            def __init__(self):
                self.hold("gate", "began")
        class WithProperty(Counter):
            @property
            def slow(self):
                return self.hold("gate", "began")
        p = octavo.process.make(WithProperty)
        try:
            {WAITS[way]}
        except KeyboardInterrupt:
            Path("interrupted").touch()
        wait_until("gate")
        assert p.add(1) == 1
        assert octavo.process.make(Counter).add(1) == 1
        """,
    ) as running:
        running.came("began")
        if group:
            os.killpg(running.process.pid, signal.SIGINT)
        else:
            running.process.send_signal(signal.SIGINT)
        try:
            wait_for((tmp_path / "interrupted").exists, 5, "KeyboardInterrupt")
        finally:
            (tmp_path / "gate").touch()
        running.end()


def test_control_c_leaves_no_callback_of_another_future_half_done(tmp_path: Path) -> None:
    """The main thread reads, and so runs them; each is interrupted, and the futures after it are still told."""
    with program(
        tmp_path,
        """
        from hosted_classes import wait_until
        from pathlib import Path
        p, q = octavo.process.make(Counter), octavo.process.make(Counter)
        done = []
        def interrupted(future):
            signal.raise_signal(signal.SIGINT)
            done.append(threading.current_thread() is threading.main_thread())
        calls = [octavo.start(q.hold, "gate"), *(octavo.start(q.add, 1) for _ in range(3))]
        for each in calls:
            each.add_done_callback(interrupted)
        def let_go():
            wait_until("began")
            Path("gate").touch()
        threading.Thread(target=let_go).start()
        try:
            p.hold("end", "began")
        except KeyboardInterrupt:
            finished, left = concurrent.futures.wait(calls, 10)
            assert not left, left
            assert len(done) == 4 and any(done), done
            Path("interrupted").touch()
        Path("end").touch()
        """,
    ) as running:
        running.came("interrupted")
        running.end()


DESTROYS = {
    "destroy": "octavo.destroy(p)",
    "destroy behind many calls": "calls = [octavo.start(p.add, 1) for _ in range(300)]; octavo.destroy(p)",
    "the end of scoped": "with octavo.scoped(p): pass",
    "within scoped": "with octavo.scoped(p): Path('waits').touch(); p.add(1)",
    "a service": "octavo.destroy(octavo.Service([other, p, third]))",
    "within scoped of a service": "with octavo.scoped(octavo.Service([other, p, third])): Path('waits').touch(); p.add(1)",
}


@pytest.mark.parametrize("way", DESTROYS)
def test_control_c_ends_the_wait_for_an_objects_end_and_it_ends_when_it_has_computed(tmp_path: Path, way: str) -> None:
    with program(
        tmp_path,
        f"""
        import dis
        from hosted_classes import wait_until
        from pathlib import Path
        other, p, third = [octavo.process.make(Counter) for _ in range(3)]
        pids = [each.pid() for each in (other, p, third)]
        call = octavo.start(p.hold, "gate", "began")
        wait_until("began")
        destroy = octavo.destroy.registry[object].__code__
        ends = max(each.offset for each in dis.get_instructions(destroy) if each.opname.startswith("CALL"))
        main = threading.get_ident()
        def watch():  # until the main thread is within what asks for the end of p
            frame = None
            while not (frame and frame.f_code is destroy and frame.f_lasti == ends and frame.f_locals["p"] == p):
                time.sleep(0.002)
                frame = sys._current_frames()[main]
            Path("waits").touch()
        threading.Thread(target=watch, daemon=True).start()
        try:
            {DESTROYS[way]}
        except KeyboardInterrupt:
            Path("interrupted").touch()
        assert octavo.process.make(Counter).add(1) == 1
        assert call.result() == "gate"  # it has computed to its end
        ended = pids if "service" in {way!r} else [pids[1]]
        while any(os.path.exists(f"/proc/{{pid}}") for pid in ended):
            time.sleep(0.002)
        try:
            p.add(1)
        except octavo.ProcessDied as error:
            assert "was destroyed" in str(error), error
        else:
            raise AssertionError("it lives on")
        """,
    ) as running:
        running.came("waits")
        running.process.send_signal(signal.SIGINT)
        try:
            wait_for((tmp_path / "interrupted").exists, 10, "KeyboardInterrupt")
        finally:
            (tmp_path / "gate").touch()
        running.end()


def test_control_c_ends_a_program_that_waits_for_an_objects_end(tmp_path: Path) -> None:
    text = """
        p = octavo.process.make(Counter)
        with octavo.scoped(p):
            p.hold("never", "began")
        """
    with program(tmp_path, text) as running:
        running.came("began")
        running.process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in running.end(-signal.SIGINT, seconds=5)


def test_control_c_without_a_handler_ends_the_program(tmp_path: Path) -> None:
    with program(tmp_path, "octavo.process.make(Counter).hold('never', 'began')") as running:
        running.came("began")
        running.process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in running.end(-signal.SIGINT, seconds=5)


ROOM = {
    "a page of a full pool": """
        kept = octavo.empty(700_000, np.uint8)
        Path("waits").touch()
        octavo.empty(700_000, np.uint8)
        """,
    "a device that is stopped": """
        device = octavo.process.make(octavo.PageFile, "pages", 4, (4, 64), "int32")
        a = octavo.array_of((16, 64), (4, 64), "int32", [device])
        a[:4] = 1
        stopped = next(each.pid for each in octavo.processes() if each.agent_pid == os.getpid() and each.address == octavo.address(device))
        os.kill(stopped, signal.SIGSTOP)
        Path("waits").touch()
        a.flush()
        """,
}


@pytest.mark.parametrize("way", ROOM)
def test_control_c_ends_the_wait_for(tmp_path: Path, way: str) -> None:
    text = f"""
import numpy as np
from pathlib import Path
with octavo.Runtime(memory="1MiB"):
    try:
{textwrap.indent(textwrap.dedent(ROOM[way]), " " * 8)}
    except KeyboardInterrupt:
        Path("interrupted").touch()
"""
    with program(tmp_path, text) as running:
        running.came("waits")
        running.process.send_signal(signal.SIGINT)
        wait_for((tmp_path / "interrupted").exists, 5, "KeyboardInterrupt")
        running.end()
