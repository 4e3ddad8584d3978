# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/contract.md defines each clause that is cited anywhere, and that a test cites each clause it defines.

python tools/check_clauses.py [ROOT]     # prints file:line and what is wrong; status 1 if there is anything

A clause is cited as LETTERS-NUMBER in any text, as LETTERSNUMBER_ at the head of a C++ test's name, and the same in small letters in a Python
test's name, after test_. docs/contract.md defines one in a line that begins with "- **LETTERS-NUMBER**", in a section whose line "Binding:"
names the files that have its whole text.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from source_files import source_files

CONTRACT = Path("docs/contract.md")
READ = {".cpp", ".hpp", ".py", ".pyi", ".md", ".sh", ".cmake", ".txt"}
TESTS = {".cpp", ".hpp", ".py", ".sh"}

CITED = re.compile(r"\b([A-Z]{1,4}-\d+)\b(?![.-]\w)")
DEFINED = re.compile(r"- \*\*([A-Z]{1,4}-\d+)\*\* ")
RANGE = re.compile(r"\b[A-Z]{1,4}-\d+ to [A-Z]{1,4}-\d+\b")
CPP_NAME = re.compile(r"\bTEST(?:_[FP])?\(\w+,\s*((?:[A-Z]{1,4}\d+_)+)")
PYTHON_NAME = re.compile(r"\bdef test_((?:[a-z]{1,4}\d+_)+)")
PART = re.compile(r"([A-Z]+)(\d+)_")
BINDING = re.compile(r"`([^`]+)`")

# What is written like a clause and is none.
NO_CLAUSES = {"AES-128", "CRC-32", "P-256", "UTF-8", "UTF-16"}


@dataclass
class Clause:
    line: int
    binding: list[str]  # the files that have its whole text; none: docs/contract.md is all there is


def clauses_of(text: str) -> tuple[dict[str, Clause], list[str]]:
    """What docs/contract.md defines, and what is wrong with that."""
    found: dict[str, Clause] = {}
    wrong, binding = [], list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            binding = []
        elif line.startswith("Binding: "):
            binding = BINDING.findall(line.partition("Tests: ")[0])
        elif match := DEFINED.match(line):
            if (clause := match[1]) in found:
                wrong.append(f"{CONTRACT}:{number}: {clause} is defined in line {found[clause].line} already")
            found.setdefault(clause, Clause(number, binding))
    return found, wrong


def named(line: str, letters: set[str]) -> set[str]:
    """The clauses in the name of the test that begins in this line; in Python, where names may begin with zarr2_, those of known letters."""
    cpp, python = CPP_NAME.search(line), PYTHON_NAME.search(line)
    parts = PART.findall(cpp[1]) if cpp else [part for part in PART.findall(python[1].upper()) if part[0] in letters] if python else []
    return {f"{letter}-{number}" for letter, number in parts}


def is_test(path: Path) -> bool:
    return path.parts[0] == "tests" and path.parts[1] != "kit" and path.suffix in TESTS


def complaints(root: Path) -> Iterator[str]:
    root = root.resolve()
    defined, wrong = clauses_of((root / CONTRACT).read_text())
    yield from wrong
    letters = {clause.partition("-")[0] for clause in defined}
    tested: set[str] = set()
    for path in source_files(root):
        shown = path.relative_to(root)
        if path.suffix not in READ:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            in_name = named(line, letters)
            for clause in sorted({*CITED.findall(line), *in_name} - defined.keys() - NO_CLAUSES):
                yield f"{shown}:{number}: {clause} is not defined in {CONTRACT}"
            if is_test(shown):
                tested |= in_name | set(CITED.findall(RANGE.sub("", line)))
    for clause, where in defined.items():
        place = f"{CONTRACT}:{where.line}: {clause}"
        texts = [(root / name).read_text() for name in where.binding if (root / name).is_file()]
        if where.binding and not any(clause in CITED.findall(text) for text in texts):
            yield f"{place} is not in {' or '.join(where.binding)}"
        if clause not in tested:
            yield f"{place} is cited by no test"


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = list(complaints(root))
    print("\n".join(found) if found else "clauses: each defined and cited")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
