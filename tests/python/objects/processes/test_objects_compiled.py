# SPDX-License-Identifier: Apache-2.0
"""The code of imported modules is kept by the fork server, and never that of a file as it was before."""

from __future__ import annotations

import os
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from octavo.objects.server.compiled import MOST_BYTES, ROOM, SLOTS, Compiled, Notes
from programs_kit import run_program

pytestmark = pytest.mark.timeout(60)


def written(path: Path, text: str, age: float = 10) -> str:
    """A file of so many seconds ago."""
    path.write_text(text)
    os.utime(path, (time.time() - age,) * 2)
    return str(path)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Compiled:
    monkeypatch.setattr(SourceFileLoader, "get_code", SourceFileLoader.get_code)  # what install() changes
    made = Compiled()
    made.install()
    return made


def learned(compiled: Compiled, path: str) -> bool:
    """Whether it is known after it was asked for, and noted."""
    compiled.find(path)
    compiled.before_fork()
    return compiled.find(path) is not None


def test_what_was_read_once_is_known(compiled: Compiled, tmp_path: Path) -> None:
    path = written(tmp_path / "some_module.py", "value = 1")
    assert compiled.find(path) is None
    assert learned(compiled, path)
    code = SourceFileLoader("some_module", path).get_code("some_module")
    assert code is compiled.find(path)
    assert code is not None and code.co_filename == path


def test_a_file_that_was_changed_is_not(compiled: Compiled, tmp_path: Path) -> None:
    path = written(tmp_path / "some_module.py", "value = 1")
    assert learned(compiled, path)
    written(tmp_path / "some_module.py", "value = 2", age=9)
    assert compiled.find(path) is None
    assert learned(compiled, path)


@pytest.mark.parametrize(
    ("text", "age"),
    [("value = 1", 0), ("value = '\\d'", 10), ("value =", 10)],
    ids=["written a moment ago", "with a warning", "that cannot be compiled"],
)
def test_one_is_read_each_time(compiled: Compiled, tmp_path: Path, text: str, age: float) -> None:
    assert not learned(compiled, written(tmp_path / "some_module.py", text, age))


def test_one_that_is_too_large_or_gone_is_read_each_time(compiled: Compiled, tmp_path: Path) -> None:
    assert not learned(compiled, written(tmp_path / "large.py", "#" * (MOST_BYTES + 1)))
    assert not learned(compiled, str(tmp_path / "none.py"))


def test_what_a_fork_has_noted_its_server_reads() -> None:
    notes = Notes()
    for number in range(3 * SLOTS):
        notes.give_slot()
        if (pid := os.fork()) == 0:
            notes.add(f"/{number}.py")
            notes.add(f"/{number}-too.py")
            os._exit(0)
        os.waitpid(pid, 0)
        if number % 5 == 4:
            assert set(notes.take()) == {f"/{each}{which}.py" for each in range(number - 4, number + 1) for which in ("", "-too")}
    notes.take()
    assert notes.take() == []


def test_notes_for_which_there_is_no_room_are_left_out() -> None:
    notes = Notes()
    notes.give_slot()
    for number in range(ROOM):
        notes.add(f"/{number}.py")
    found = notes.take()
    assert found == [f"/{number}.py" for number in range(len(found))]
    assert len(found) > ROOM // 16


def test_an_object_has_the_module_as_it_is_now(tmp_path: Path) -> None:
    run_program(
        tmp_path,
        """
        def write(value, age):
            with open("changing.py", "w") as file:
                file.write(f"class Changing:\\n    value = {value}\\n    def get(self): return self.value\\n")
            os.utime("changing.py", (time.time() - age,) * 2)
        write(1, 100)
        import changing
        for value in (1, 2, 3):
            write(value, 100 - value)
            for _ in range(4):
                assert octavo.process.make(changing.Changing).get() == value
        """,
    )
