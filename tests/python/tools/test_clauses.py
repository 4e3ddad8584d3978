# SPDX-License-Identifier: Apache-2.0
"""tools/check_clauses.py finds what is cited and not defined, what is defined and not cited, and is silent otherwise.

The clauses here are put together from parts, or the check would find them in this file.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import check_clauses

ONE, TWO, NONE = (f"{letters}-{number}" for letters, number in (("C", 1), ("R", 12), ("R", 13)))
CPP, PYTHON = (f"{letters}{number}_" for letters, number in (("C", 1), ("r", 12)))


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two clauses, the second with its text in a header; a test of each; and words that are no clauses."""
    road = "## R: roads\n\nBinding: `include/road.hpp`. Tests: `tests/r`.\n\n"
    write(tmp_path, "docs/contract.md", f"# Contract\n\n## C: calls\n\nBinding: this page.\n\n- **{ONE}** A call\n  returns.\n\n{road}- **{TWO}** Order.\n")
    write(tmp_path, "include/road.hpp", f"// {TWO}  Order, as of {ONE}.\n// UTF-8; an SSH-2.0 banner.\n")
    write(tmp_path, "tests/unit/call_test.cpp", f"TEST_P(Calls, {CPP}Return) {{\n")
    write(tmp_path, "tests/python/test_road.py", f"def test_{PYTHON}order() -> None: ...\ndef test_zarr2_and_v3_() -> None: ...\n")
    return tmp_path


def test_all_defined_and_cited_pass(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_clauses.main([str(tree)]) == 0
    assert capsys.readouterr().out == "clauses: each defined and cited\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/a.cpp", f"\n// {NONE}: what nobody defined\n"),
        ("src/a.hpp", f"\nint a;  // as {ONE} and {NONE} say\n"),
        ("python/a.py", f'\n"""{NONE}."""\n'),
        ("docs/a.md", f"\n{TWO} to {NONE}\n"),
        ("tests/unit/a_test.cpp", f"\nTEST(Roads, {CPP}{NONE.replace('-', '')}_Order) {{}}\n"),
        ("tests/python/test_a.py", f"\ndef test_{NONE.replace('-', '').lower()}_order() -> None: ...\n"),
    ],
)
def test_undefined_is_found_with_its_line(tree: Path, capsys: pytest.CaptureFixture[str], name: str, text: str) -> None:
    write(tree, name, text)
    assert check_clauses.main([str(tree)]) == 1
    assert capsys.readouterr().out == f"{name}:2: {NONE} is not defined in docs/contract.md\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests/python/test_road.py", f'"""{ONE} to {TWO}, one of them."""\n'),
        ("tests/kit/road.cpp", f"// {TWO}: no test\n"),
        ("tests/README.md", f"{TWO} is cited by pages, too.\n"),
    ],
)
def test_what_no_test_cites_is_found(tree: Path, capsys: pytest.CaptureFixture[str], name: str, text: str) -> None:
    write(tree, "tests/python/test_road.py", "")
    write(tree, name, text)
    assert check_clauses.main([str(tree)]) == 1
    assert capsys.readouterr().out == f"docs/contract.md:14: {TWO} is cited by no test\n"


def test_a_comment_in_a_test_is_enough(tree: Path) -> None:
    write(tree, "tests/python/test_road.py", f'"""{TWO}."""\n')
    assert check_clauses.main([str(tree)]) == 0


def test_the_file_of_a_section_must_have_its_clauses(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "include/road.hpp", "// Order.\n")
    assert check_clauses.main([str(tree)]) == 1
    assert capsys.readouterr().out == f"docs/contract.md:14: {TWO} is not in include/road.hpp\n"


def test_a_clause_is_defined_once(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tree / "docs/contract.md").open("a") as contract:
        contract.write(f"- **{TWO}** Order, otherwise.\n")
    assert check_clauses.main([str(tree)]) == 1
    assert capsys.readouterr().out == f"docs/contract.md:15: {TWO} is defined in line 14 already\n"
