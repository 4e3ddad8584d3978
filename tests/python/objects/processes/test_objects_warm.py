# SPDX-License-Identifier: Apache-2.0
"""Processes of objects are forked off a warmed interpreter: as if each had been started anew."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from hosted_classes import Counter
from kit import wait_for
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


class Seen(Counter):
    """What a process sees of itself."""

    def state(self) -> dict[str, Any]:
        return {
            "parent": os.getppid(),
            "title": Path("/proc/self/cmdline").read_text().rstrip("\0").split("\0"),
            "variables": {name for name in os.environ if name.startswith("OCTAVO_")} - set(self.known),
            "directory": str(Path.cwd()),
        }

    known: tuple[str, ...] = ()

    def draw(self) -> tuple[float, float]:
        return random.random(), float(np.random.rand())

    def variable(self, name: str) -> str | None:
        return os.environ.get(name)

    def leave(self, status: int) -> None:
        os._exit(status)


def fork_servers() -> list[int]:
    """Of this process."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
                command = (each / "cmdline").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == os.getpid() and "waits to be forked" in command:
                found.append(int(each.name))
    return found


def the_fork_server() -> int:
    """A fork that has not begun has the title of its server still."""
    found: list[int] = []

    def is_alone() -> bool:
        found[:] = fork_servers()
        return len(found) == 1

    wait_for(is_alone, 20, "there is one fork server, and no fork that has not begun")
    return found[0]


def test_a_fork_is_a_child_of_the_program_that_looks_like_any() -> None:
    seen = octavo.process.make(Seen)
    seen.known = tuple(name for name in os.environ if name.startswith("OCTAVO_"))
    state = seen.state()
    assert state["parent"] == os.getpid()
    assert state["title"][1].startswith("octavo:")
    assert state["variables"] == set()
    assert state["directory"] == str(Path.cwd())


def test_its_server_has_one_thread_before_each_fork() -> None:
    for _ in range(3):
        octavo.process.make(Seen)
        server = the_fork_server()
        assert len(list(Path(f"/proc/{server}/task").iterdir())) == 1


def test_no_two_draw_the_same_numbers() -> None:
    drawn = [octavo.process.make(Seen).draw() for _ in range(4)]
    assert len({ordinary for ordinary, _ in drawn}) == len({of_numpy for _, of_numpy in drawn}) == 4


def test_what_this_program_has_of_the_standard_library_is_loaded(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        import decimal, colorsys, numpy.random
        modules = octavo.process.make(eval, "set(__import__('sys').modules)")
        assert "decimal" in modules and "colorsys" in modules and "numpy" in modules
        assert "numpy.random" not in modules and "hosted_classes" not in modules
        """,
    )


def test_an_object_is_made_where_the_server_was_killed() -> None:
    octavo.process.make(Seen)
    for number in range(3):
        for server in fork_servers():
            with contextlib.suppress(ProcessLookupError):  # a fork that has not begun ends with its server
                os.kill(server, signal.SIGKILL)
        assert octavo.process.make(Counter, number).add(1) == number + 1
    wait_for(lambda: len(fork_servers()) <= 1, 20, "the killed ones are reaped")


def test_how_a_fork_ends_is_known() -> None:
    with pytest.raises(octavo.ProcessDied, match="status 7"):
        octavo.process.make(Seen).leave(7)


def test_a_variable_that_is_set_later(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert octavo.process.make(Seen).variable("SET_LATER") is None
    monkeypatch.setenv("SET_LATER", "yes")
    monkeypatch.chdir(tmp_path)
    seen = octavo.process.make(Seen)
    assert seen.variable("SET_LATER") == "yes"
    assert seen.state()["directory"] == str(tmp_path)


@pytest.mark.parametrize("threads", [1, 2])
def test_blas_has_the_threads_that_the_user_wants(tmp_path: Path, threads: int) -> None:
    run_program(
        tmp_path,
        f"""
        os.environ["OPENBLAS_NUM_THREADS"] = "{threads}"
        class Product:
            def threads(self):  # how many more there are after it
                before = len(os.listdir("/proc/self/task"))
                import numpy
                matrix = numpy.ones((600, 600))
                assert (matrix @ matrix)[0, 0] == 600
                return len(os.listdir("/proc/self/task")) - before
        assert octavo.process.make(Product).threads() == min({threads}, os.cpu_count()) - 1
        """,
    )


def test_a_site_that_starts_threads_forks_nothing(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n")
    out = run_program(
        tmp_path,
        """
        os.environ["PYTHONPATH"] = os.getcwd() + os.pathsep + os.environ["PYTHONPATH"]
        assert octavo.process.make(Counter, 5).add(1) == 6
        assert octavo.process.make(Counter, 6).add(1) == 7
        """,
    )
    assert "cannot fork" in out
