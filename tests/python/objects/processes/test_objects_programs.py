# SPDX-License-Identifier: Apache-2.0
"""How programs with objects end: by themselves with calls under way, or killed; nothing is left of them."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import octavo
import pytest
from kit import is_alive, wait_for
from programs_kit import program, run_program

pytestmark = pytest.mark.timeout(60)


class Begins:
    def terminated(self) -> int:
        sleeps = subprocess.Popen(["sleep", "100"])
        sleeps.terminate()
        return sleeps.wait(10)


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
        wait_for(lambda: not any(is_alive(pid) for pid in hosts), 20, f"none of {hosts}")


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


def test_an_object_on_a_thread_begins_programs_that_signals_reach() -> None:
    assert octavo.thread.make(Begins).terminated() == -signal.SIGTERM
