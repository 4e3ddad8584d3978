# SPDX-License-Identifier: Apache-2.0
"""Code that travels by value: tracebacks and breakpoint() in another process show its file, line and source, of a script and of what is in no file."""

from __future__ import annotations

import linecache
import subprocess
import traceback
from pathlib import Path
from typing import Any

import octavo
import pytest
from hosted_classes import Counter
from kit import command, wait_for
from octavo._src.commands.debugging import waiting
from octavo.objects.pickling import dumps
from programs_kit import program, run_program

pytestmark = pytest.mark.timeout(60)


def line_of(directory: Path, source: str) -> int:
    return (directory / "program.py").read_text().splitlines().index(source) + 1


def defined(name: str, source: str) -> Any:
    """The function f of a cell of a notebook."""
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, name, "exec"), names)
    return names["f"]


def traceback_of(p: Counter, function: Any) -> str:
    with pytest.raises(ZeroDivisionError) as caught:
        octavo.call(p, function)
    return str(caught.value.__cause__)


def test_a_traceback_shows_the_line_of_a_script(tmp_path: Path) -> None:
    text = """
    class Divider:
        def divide(self, x):
            return [x / y for y in (0,)]  # of the class
    if __name__ == "__main__":
        octavo.process.make(Divider).divide(1)
    """
    said = run_program(tmp_path, text, status=1)
    there = said.partition('"""')[2].partition('"""')[0]  # the remote one
    source = "return [x / y for y in (0,)]  # of the class"
    line = line_of(tmp_path, f"        {source}")
    assert f'File "{tmp_path / "program.py"}", line {line}, in divide\n    {source}' in there
    assert "dynamic-code" not in said


def test_an_exception_of_a_script_comes_home_with_its_lines(tmp_path: Path) -> None:
    text = """
    class Own(Exception):
        def text(self):
            raise KeyError  # of the exception
    class Raises:
        def now(self):
            raise Own
    if __name__ == "__main__":
        try:
            octavo.process.make(Raises).now()
        except Exception as error:
            error.text()
    """
    said = run_program(tmp_path, text, status=1)
    line = line_of(tmp_path, "        raise KeyError  # of the exception")
    assert f'program.py", line {line}, in text\n    raise KeyError  # of the exception' in said
    assert "dynamic-code" not in said


def test_a_breakpoint_shows_the_line_of_a_script(tmp_path: Path) -> None:
    text = """
    class Stops:
        def pid(self):
            return os.getpid()
        def stop(self):
            breakpoint()
            return 7  # after it
    if __name__ == "__main__":
        p = octavo.process.make(Stops)
        open("pid~", "w").write(str(p.pid()))
        os.rename("pid~", "pid")
        print(p.stop())
    """
    with program(tmp_path, text) as running:
        running.came("pid")
        pid = int((tmp_path / "pid").read_text())
        wait_for(lambda: waiting(pid), 20, "a breakpoint waits")
        attached = subprocess.run([*command(), "debug", str(pid)], input="list\nc\n", text=True, capture_output=True, timeout=30, check=False)
        said = running.end()
    line = line_of(tmp_path, "        breakpoint()")
    assert f"stop ({tmp_path / 'program.py'}:{line}) waits" in said
    assert f"{tmp_path / 'program.py'}(" in attached.stdout
    assert "return 7  # after it" in attached.stdout
    assert said.startswith("7\n")


@pytest.mark.parametrize("name", ["/tmp/ipykernel_1/no_such_cell.py", "<python-input-0>"])
def test_a_traceback_shows_the_line_of_a_cell(shared_counter: Counter, name: str) -> None:
    first = defined(name, "def f(counter):\n    return 1 / 0  # of the cell\n")
    assert f'File "{name}", line 2, in f\n    return 1 / 0  # of the cell' in traceback_of(shared_counter, first)
    another = defined(name, "\ndef f(counter):\n    return 2 / 0  # typed later\n")
    assert f'File "{name}", line 3, in f\n    return 2 / 0  # typed later' in traceback_of(shared_counter, another)


def test_the_source_of_a_cell_is_sent_once_and_that_of_a_file_not() -> None:
    within = "def f():\n    def g():\n        pass  # of the cell\n    return lambda: g\n"
    assert dumps(defined("<cell>", within), None).count(b"# of the cell") == 1
    linecache.getlines(__file__)

    def here() -> list[str]:
        return traceback.format_stack()  # of a file

    assert b"# of a file" not in dumps(here, None)
