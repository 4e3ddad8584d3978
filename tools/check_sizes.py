# SPDX-License-Identifier: Apache-2.0
"""Checks that things stay small enough to read: files, functions, folders.

python tools/check_sizes.py [ROOT]     # prints what is too large; status 1 if there is any

A function is measured from its opening to its closing line. In C++ that is a heuristic over braces (clang-tidy's
readability-function-size is the exact measure); in Python it is the syntax tree.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from source_files import source_files

FILE_LINES = 400
FUNCTION_LINES = 60
FOLDER_FILES = 20
CPP = {".cpp", ".hpp", ".h", ".ipp"}
MEASURED = {*CPP, ".py", ".sh", ".cmake", ""}

# Comments, raw strings, strings and characters, none of whose braces count. A digit separator (1'000) is no character.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
MACRO_CALL = re.compile(r"^\s*[A-Z][A-Z0-9_]+\((?:[^()]|\([^()]*\))*\)\s+(?=\w)")  # one without a semicolon, before the heading of the block
NO_FUNCTION = re.compile(r"^\s*(?:template\s*<[^{]*>\s*)?(?:class|struct|union|enum|namespace|extern|inline namespace)\b")


def blank(text: str) -> str:
    """The text with all that is not code replaced by spaces; lines stay where they are."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def cpp_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(heading, first line, number of lines) of each outermost function."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: re.sub(r"[^\n]", " ", match[0]), blank(text), flags=re.MULTILINE)
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


def too_large(root: Path) -> Iterator[str]:
    folders: Counter[Path] = Counter()
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
    for folder, count in sorted(folders.items()):
        if count > FOLDER_FILES:
            yield f"{folder}/: {count} files; a folder has at most {FOLDER_FILES}"


def main(arguments: list[str]) -> int:
    root = (Path(arguments[0]) if arguments else Path(__file__).parent.parent).resolve()
    found = list(too_large(root))
    print("\n".join(found) if found else "sizes: within bounds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
