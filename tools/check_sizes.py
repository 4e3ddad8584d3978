# SPDX-License-Identifier: Apache-2.0
"""Checks that things stay small enough to read: files, functions, folders, classes.

python tools/check_sizes.py [ROOT]     # prints what is too large; status 1 if there is any

A function is measured from its opening to its closing line. In C++ that is a heuristic over braces (clang-tidy's
readability-function-size is the exact measure); in Python it is the syntax tree. A class of C++ is measured by what it declares, so that it
is not smaller for being defined in many files; tools/large_classes.txt lists those that are too large, and by how much.
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cpp_classes import PREPROCESSOR, Class, Unmatched, blank, read, spaces
from source_files import source_files

FILE_LINES = 400
FUNCTION_LINES = 60
FOLDER_FILES = 20
CLASS_MEMBERS = 25
CLASS_FUNCTIONS = 40
LARGE_CLASSES = Path("tools/large_classes.txt")
CPP = {".cpp", ".hpp", ".h", ".ipp"}
MEASURED = {*CPP, ".py", ".sh", ".cmake", ""}

MACRO_CALL = re.compile(r"^\s*[A-Z][A-Z0-9_]+\((?:[^()]|\([^()]*\))*\)\s+(?=\w)")  # one without a semicolon, before the heading of the block
LARGE_CLASS = re.compile(r"(\S+): (\d+) members, (\d+) functions  # \w.*")
NO_FUNCTION = re.compile(r"^\s*(?:template\s*<[^{]*>\s*)?(?:class|struct|union|enum|namespace|extern|inline namespace)\b")


def cpp_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(heading, first line, number of lines) of each outermost function."""
    code = PREPROCESSOR.sub(lambda match: spaces(match[0]), blank(text))
    blocks: list[tuple[str, int] | None] = []  # None: a class, a namespace, or inside a function
    inside = False
    start = 0
    for match in re.finditer(r"[{};]", code):
        position, mark = match.start(), match[0]
        if mark == "{":
            heading = MACRO_CALL.sub("", code[start:position])
            if not inside and "(" in heading and not NO_FUNCTION.match(heading):
                first = code.count("\n", 0, position - len(heading.lstrip())) + 1
                blocks.append((" ".join(heading.split()), first))
                inside = True
            else:
                blocks.append(None)
        elif mark == "}" and blocks and (block := blocks.pop()):
            inside = False
            yield block[0], block[1], code.count("\n", 0, position) + 2 - block[1]
        start = match.end()


def python_functions(text: str) -> Iterator[tuple[str, int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) + 1 - node.lineno


@dataclass
class Classes:
    """Those of all files: which are too large, and the exceptions to that."""

    found: dict[str, list[tuple[Path, Class]]] = field(default_factory=lambda: defaultdict(list))
    defined: list[tuple[Path, list[str], str]] = field(default_factory=list)

    def add(self, path: Path, text: str) -> None:
        classes, defined = read(text)
        for each in classes:
            self.found[each.name].append((path, each))
        self.defined += [(path, scope, name) for scope, name in defined]

    def files(self) -> dict[str, set[Path]]:
        """Where the functions of a class are defined, besides the file that has the class."""
        files = defaultdict(set)
        for path, scope, name in self.defined:
            outwards = ("::".join([*scope[:depth], name]) for depth in range(len(scope), -1, -1))
            if known := next((each for each in outwards if each in self.found), None):
                files[known].add(path)
        return files

    def complaints(self, exceptions: dict[str, tuple[int, int, int]]) -> Iterator[str]:
        files = self.files()
        for name, classes in sorted(self.found.items()):
            _, members, functions = exceptions.get(name, (0, 0, 0))
            for path, each in classes:
                counts = (("data members", len(each.members), max(CLASS_MEMBERS, members)), ("functions", len(each.functions), max(CLASS_FUNCTIONS, functions)))
                if over := [f"{count} {what} (at most {limit})" for what, count, limit in counts if count > limit]:
                    where = ", ".join(map(str, sorted({path, *files[name]})))
                    by = f", which is more than {LARGE_CLASSES} grants it" if name in exceptions else ""
                    yield f"{path}:{each.line}: class {name} has {' and '.join(over)}{by}; it is in {where}"

    def needless(self, exceptions: dict[str, tuple[int, int, int]]) -> Iterator[str]:
        for name, (line, *_) in exceptions.items():
            if not any(len(each.members) > CLASS_MEMBERS or len(each.functions) > CLASS_FUNCTIONS for _, each in self.found.get(name, [])):
                why = "is within bounds" if name in self.found else "is no class"
                yield f"{LARGE_CLASSES}:{line}: {name} {why}: take its line out"


def large_classes(root: Path) -> tuple[dict[str, tuple[int, int, int]], list[str]]:
    """The exceptions, each with its line and what it may have; and what is wrong with them."""
    found, wrong = {}, []
    path = root / LARGE_CLASSES
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
        if match := LARGE_CLASS.fullmatch(line):
            found[match[1]] = (number, int(match[2]), int(match[3]))
        elif line and not line.startswith("#"):
            wrong.append(f"{LARGE_CLASSES}:{number}: not of the form 'CLASS: N members, N functions  # why'")
    return found, wrong


def too_large(root: Path) -> Iterator[str]:
    folders: Counter[Path] = Counter()
    classes = Classes()
    for path in source_files(root):
        shown = path.relative_to(root)
        folders[shown.parent] += 1
        if path.suffix not in MEASURED or path.name == "LICENSE" or path.name.startswith("."):
            continue
        text = path.read_text(errors="replace")
        if (lines := text.count("\n")) > FILE_LINES:
            yield f"{shown}:1: {lines} lines; a file has at most {FILE_LINES}: split it by the question answered"
        functions = cpp_functions(text) if path.suffix in CPP else python_functions(text) if path.suffix == ".py" else ()
        for name, first, length in functions:
            if length > FUNCTION_LINES:
                yield f"{shown}:{first}: {length} lines in '{name[-60:]}'; a function has at most {FUNCTION_LINES}"
        try:
            if path.suffix in CPP:
                classes.add(shown, text)
        except Unmatched as bracket:
            yield f"{shown}:{bracket}: a bracket without its other half: the classes cannot be measured"
    for folder, count in sorted(folders.items()):
        if count > FOLDER_FILES:
            yield f"{folder}/: {count} files; a folder has at most {FOLDER_FILES}"
    exceptions, wrong = large_classes(root)
    yield from wrong
    yield from classes.complaints(exceptions)
    yield from classes.needless(exceptions)


def main(arguments: list[str]) -> int:
    root = (Path(arguments[0]) if arguments else Path(__file__).parent.parent).resolve()
    found = list(too_large(root))
    print("\n".join(found) if found else "sizes: within bounds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
