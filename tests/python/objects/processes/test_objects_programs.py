# SPDX-License-Identifier: Apache-2.0
"""How programs with objects end: by themselves with calls under way, killed, by Ctrl-C in a wait; nothing is left of them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from kit import is_alive, wait_for
from programs_kit import program, run_program

pytestmark = pytest.mark.timeout(60)

WAITS = {
    "call": "p.hold('gate', 'began')",
    "result": "octavo.start(p.hold, 'gate', 'began').result()",
    "result with a timeout": "octavo.start(p.hold, 'gate', 'began').result(60)",
    "wait": "concurrent.futures.wait([octavo.start(p.hold, 'gate', 'began')])",
    "await": "asyncio.run(awaited(octavo.start(p.hold, 'gate', 'began')))",
    "make": "octavo.process.make(Slow)",
    "attribute": "p.slow",
}


def test_a_program_that_ends_with_calls_under_way(tmp_path: Path) -> None:
    out = run_program(
        tmp_path,
        """
        objects = [octavo.process.make(Counter) for _ in range(3)] + [octavo.thread.make(Counter)]
        calls = [octavo.start(p.hold, "never", f"began{i}") for i, p in enumerate(objects[:3])]
        calls[0].add_done_callback(lambda f: None)
        octavo.start(objects[1].add, 1)
        octavo.start(objects[3].add, 1)
        while not all(os.path.exists(f"began{i}") for i in range(3)):
            time.sleep(0.002)
        print("end")
        """,
        seconds=10,
    )
    assert out.startswith("end")
    assert "Traceback" not in out
    assert "Fatal" not in out


def test_a_program_that_ends_by_an_exception(tmp_path: Path) -> None:
    out = run_program(tmp_path, "p = octavo.process.make(Counter)\nq = octavo.start(p.hold, 'never')\nraise ValueError('of the program')\n", status=1)
    assert "ValueError: of the program" in out


def test_several_threads_make_the_first_objects_at_once(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        sys.setswitchinterval(1e-6)
        made = []
        threads = [threading.Thread(target=lambda: made.append(octavo.thread.make(Counter).add(1))) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert made == [1] * 4
        """,
    )


def test_importing_starts_nothing(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        threads = len(os.listdir("/proc/self/task"))
        octavo.process, octavo.start, octavo.Runtime
        assert threading.active_count() == 1
        assert open(f"/proc/self/task/{os.getpid()}/children").read() == ""
        """,
    )


def test_a_killed_program_leaves_no_process(tmp_path: Path) -> None:
    with program(
        tmp_path,
        """
        objects = [octavo.process.make(Counter) for _ in range(3)]
        objects.append(octavo.process.make(Friend, objects[0]))
        class Maker:
            def make(self):
                self.p = octavo.process.make(Counter)
                return self.p.pid()
        octavo.process.make(Maker).make()
        octavo.start(objects[0].hold, "never", "began")
        while not os.path.exists("began"):
            time.sleep(0.002)
        open("ready", "w").close()
        objects[0].add(1)
        """,
    ) as running:
        running.came("ready")
        hosts = running.hosts()
        assert len(hosts) >= 6
        running.process.kill()
        wait_for(lambda: not any(is_alive(pid) for pid in hosts), 5, f"none of {hosts}")


def test_killed_while_it_makes_objects(tmp_path: Path) -> None:
    with program(
        tmp_path,
        """
        octavo.process.make(Counter)
        open("ready", "w").close()
        while True:
            octavo.destroy(octavo.process.make(Counter))
        """,
    ) as running:
        running.came("ready")
        running.process.kill()


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
        begin = time.monotonic()
        if group:
            os.killpg(running.process.pid, signal.SIGINT)
        else:
            running.process.send_signal(signal.SIGINT)
        try:
            wait_for((tmp_path / "interrupted").exists, 5, "KeyboardInterrupt")
            assert time.monotonic() - begin < 1
        finally:
            (tmp_path / "gate").touch()
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
