# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends what the main thread waits for, and nothing else; it ends a program that does not catch it, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import textwrap
from pathlib import Path

import octavo
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
            wait_for((tmp_path / "interrupted").exists, 20, "KeyboardInterrupt")
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
        def let_go(round):
            wait_until(f"began{round}")
            Path(f"gate{round}").touch()
        def meet(round):
            calls = [octavo.start(q.hold, f"gate{round}"), *(octavo.start(q.add, 1) for _ in range(3))]
            for each in calls:
                each.add_done_callback(interrupted)
            threading.Thread(target=let_go, args=(round,)).start()
            try:
                p.hold(f"end{round}", f"began{round}")
            except KeyboardInterrupt:
                finished, left = concurrent.futures.wait(calls, 20)
                assert not left, left
                assert len(done) == 4, done
                Path(f"end{round}").touch()
            else:
                raise AssertionError("no KeyboardInterrupt")
        for round in range(20):  # until the main thread was the one that read
            done.clear()
            meet(round)
            if any(done):
                break
        assert any(done)
        """,
    ) as running:
        assert running.end() == ""


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
            wait_for((tmp_path / "interrupted").exists, 20, "KeyboardInterrupt")
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
        assert "KeyboardInterrupt" in running.end(-signal.SIGINT)


def test_control_c_without_a_handler_ends_the_program(tmp_path: Path) -> None:
    with program(tmp_path, "octavo.process.make(Counter).hold('never', 'began')") as running:
        running.came("began")
        running.process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in running.end(-signal.SIGINT)


ROOM = {
    "a page of a full pool": """
        kept = octavo.empty(700_000, np.uint8)
        Path("waits").touch()
        octavo.empty(700_000, np.uint8)
        """,
    "a device that is stopped": """
        device = octavo.process.make(octavo.devices.PageFile, "pages", 4, (4, 64), "int32")
        a = octavo.devices.array_of((16, 64), (4, 64), "int32", [device])
        a[:4] = 1
        stopped = next(each.pid for each in octavo.watching.processes() if each.agent_pid == os.getpid() and each.address == octavo.watching.address(device))
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
        wait_for((tmp_path / "interrupted").exists, 20, "KeyboardInterrupt")
        running.end()


SETS_A_HANDLER = {
    "asyncio.run": "asyncio.run(asyncio.sleep(0))",
    "asyncio.Runner": "with asyncio.Runner() as runner: runner.run(asyncio.sleep(0))",
    "set and restored": "before = signal.signal(signal.SIGINT, print); signal.signal(signal.SIGINT, before)",
    "restored by what was asked": "before = signal.getsignal(signal.SIGINT); signal.signal(signal.SIGINT, print); signal.signal(signal.SIGINT, before)",
    "a subprocess": "subprocess.run(['true'])",
}


@pytest.mark.parametrize("way", SETS_A_HANDLER)
def test_control_c_does_not_reach_an_object_that_has_had_a_handler(tmp_path: Path, way: str) -> None:
    text = f"""
        import subprocess
        from pathlib import Path
        class Sets(Counter):
            def set(self):
                {SETS_A_HANDLER[way]}
        p, idle = octavo.process.make(Sets), octavo.process.make(Sets)
        p.set()
        idle.set()
        try:
            call = octavo.start(p.hold, "gate", "began")
            Path("waits").touch()
            call.result()
        except KeyboardInterrupt:
            Path("interrupted").touch()
        assert call.result() == "gate"
        assert p.add(1) == idle.add(1) == 1
        """
    with program(tmp_path, text) as running:
        running.came("began")
        running.came("waits")
        os.killpg(running.process.pid, signal.SIGINT)
        wait_for((tmp_path / "interrupted").exists, 20, "KeyboardInterrupt")
        (tmp_path / "gate").touch()
        running.end()


STARTS = {
    "subprocess": "subprocess.Popen(['sh', '-c', 'touch began; exec sleep 1000'])",
    "a shell": "subprocess.Popen('touch began; sleep 1000; true', shell=True)",
    "os.posix_spawn": "os.posix_spawn('/bin/sh', ['sh', '-c', 'touch began; exec sleep 1000'], os.environ)",
    "Python": "subprocess.Popen([sys.executable, '-c', 'import time; open(\"began\", \"w\"); time.sleep(1000)'])",
    "os.fork": "os.fork() or Counter().hold('never', 'began')",
    "multiprocessing": "multiprocessing.get_context('fork').Process(target=Counter().hold, args=('never', 'began')).start()",
    "multiprocessing, spawned": "multiprocessing.get_context('spawn').Process(target=Counter().hold, args=('never', 'began')).start()",
}


@pytest.mark.parametrize("way", STARTS)
def test_control_c_reaches_what_an_object_has_started(tmp_path: Path, way: str) -> None:
    text = f"""
        import subprocess
        from pathlib import Path
        class Starts(Counter):
            def start(self):
                {STARTS[way]}
            def run(self):  # children, but for what multiprocessing keeps beside them
                pids = Path(f"/proc/{{os.getpid()}}/task/{{os.getpid()}}/children").read_text().split()
                pids = [pid for pid in pids if "resource_tracker" not in Path(f"/proc/{{pid}}/cmdline").read_text()]
                return [pid for pid in pids if Path(f"/proc/{{pid}}/stat").read_text().rpartition(")")[2].split()[0] != "Z"]
        p = octavo.process.make(Starts)
        p.start()
        while not os.path.exists("began"):
            time.sleep(0.01)
        assert len(p.run()) == 1
        try:
            Path("ready").touch()
            threading.Event().wait()
        except KeyboardInterrupt:
            pass
        while p.run():
            time.sleep(0.01)
        assert p.add(1) == 1
        """
    with program(tmp_path, text) as running:
        running.came("ready")
        os.killpg(running.process.pid, signal.SIGINT)
        running.end()


def test_a_background_job_ignores_control_c_with_all_it_starts(tmp_path: Path) -> None:
    text = """
        import subprocess
        class Asks(Counter):
            def ignored(self):
                of_child = subprocess.run(["grep", "SigIgn", "/proc/self/status"], capture_output=True, text=True).stdout
                return signal.getsignal(signal.SIGINT) is signal.SIG_IGN, bool(int(of_child.split()[1], 16) & 1 << signal.SIGINT - 1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert octavo.process.make(Asks).ignored() == (True, True)
        """
    with program(tmp_path, text) as running:
        running.end()


class Signals:
    def of_child(self, *which: str) -> list[int]:
        """What a program that is started here ignores, or has blocked."""
        status = subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
        said = dict(line.split(":\t") for line in status.splitlines())
        return [int(said[each], 16) for each in which]


@pytest.mark.parametrize("number", [1, 2])  # the first is made another way
def test_what_an_object_starts_begins_with_the_signals_of_the_c_library_as_they_are(number: int) -> None:
    ignored, blocked = [octavo.process.make(Signals).of_child("SigIgn", "SigBlk") for _ in range(number)][-1]
    assert (ignored & 3 << 31, blocked) == (0, 0)
