# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers.py finds files of the Python package that import what stands above them, or each other in a circle, and holds to what is recorded."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import check_layers

RECORD = "tools/python_layers.txt"


def write(root: Path, name: str, text: str = "") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def late(*modules: str) -> str:
    """A function that imports these."""
    return "def work():\n" + "".join(f"    import {each}\n" for each in modules)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """errors < inner < inner/commands < outer, each a file that imports all of those before it; and no layers of C++."""
    write(tmp_path, "tools/layers.txt", "base\n")
    write(tmp_path, RECORD, "# lowest first\nerrors\ninner\nouter\ninner/commands\n")
    write(tmp_path, "python/octavo/__init__.py", "from octavo.outer import work\n")
    write(tmp_path, "python/octavo/errors.py", "import os\n")
    write(tmp_path, "python/octavo/inner/__init__.py")
    write(tmp_path, "python/octavo/inner/made.py", "from octavo import _core\nfrom octavo.errors import Error\n")
    write(tmp_path, "python/octavo/outer.py", "from octavo.inner import made\n")
    write(tmp_path, "python/octavo/inner/commands/run.py", "from octavo.outer import work\n")
    return tmp_path


def complaints(root: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    status = check_layers.main([str(root)])
    *found, last = capsys.readouterr().out.splitlines()
    assert (status, last.startswith("layers: in order")) == ((1, False) if found else (0, True))
    return found


def test_imports_of_what_stands_before_are_in_order(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaints(tree, capsys) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import octavo.outer\n", 1),
        ("from octavo import outer\n", 1),
        ("import os\nfrom octavo.outer import work\n", 2),
        (late("os", "octavo.outer"), 3),
        ("class A:\n    async def f(self):\n        from octavo.outer import work\n", 3),
    ],
)
def test_an_import_of_what_comes_after_is_named(tree: Path, capsys: pytest.CaptureFixture[str], text: str, line: int) -> None:
    write(tree, "python/octavo/inner/other.py", text)
    assert complaints(tree, capsys) == [f'python/octavo/inner/other.py:{line}: layer inner imports "outer.py": outer comes after inner in {RECORD}']


def test_imports_for_type_checkers_are_free(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "python/octavo/inner/other.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from octavo.outer import work\n")
    assert complaints(tree, capsys) == []


def test_a_file_of_no_layer_is_named(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "python/octavo/odd.py", "from octavo.errors import Error\n")
    assert complaints(tree, capsys) == [f"python/octavo/odd.py:1: the file is in no layer: add it to {RECORD} in its place"]


def test_files_that_import_each_other_are_named_with_the_way(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "python/octavo/inner/a.py", "from octavo.inner import b\n")
    write(tree, "python/octavo/inner/b.py", "from octavo.inner.a import x\n")
    way = "python/octavo/inner/a.py -> python/octavo/inner/b.py -> python/octavo/inner/a.py"
    assert complaints(tree, capsys) == [
        f"python/octavo/inner/a.py:1: files import each other in a circle: {way}",
        f"{RECORD}:3: 2 files of inner import each other in a circle, where there were 0: {way}",
    ]


def test_late_circles_are_held_to_what_is_recorded(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "python/octavo/inner/a.py", late("octavo.inner.b"))
    write(tree, "python/octavo/inner/b.py", "import octavo.inner.a\n")
    (more,) = complaints(tree, capsys)
    assert more.startswith(f"{RECORD}:3: 2 files of inner import each other in a circle, where there were 0: python/octavo/inner/a.py -> ")
    write(tree, RECORD, "errors\ninner 2\nouter\ninner/commands\n")
    assert complaints(tree, capsys) == []
    write(tree, "python/octavo/inner/b.py")
    assert complaints(tree, capsys) == [f"{RECORD}:2: 0 files of inner import each other in a circle, where there were 2: write 'inner'"]


def test_what_is_no_layer_in_the_list_is_named(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, RECORD, "errors\ninner: 2\ninner\nouter\ninner/commands\n")
    assert complaints(tree, capsys) == [f"{RECORD}:2: not of the form 'LAYER' or 'LAYER FILES'"]
