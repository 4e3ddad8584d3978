# SPDX-License-Identifier: Apache-2.0
"""Checks that our C++ files are as clang-format would have them, or makes them so; and that comments of src and include say who does what by a noun.

python tools/check_format.py          # names the files and lines; status 1 if there are any
python tools/check_format.py --fix
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from source_files import ROOT, source_files

COMPLAINT = re.compile(r"^(.+?):(\d+):\d+: error: code should be clang-formatted", re.MULTILINE)
COMMENT = re.compile(r"(?P<code>.*?)(?:^|(?<=\s))//\s*(?P<text>.*)")
# A sentence that begins with "who", and a clause where no noun stands before it; a process, a thread and a program are no "he".
BEFORE_NO_NOUN = "after|and|as|at|because|before|but|by|for|from|if|in|of|only|or|so|than|that|to|until|when|where|while|with"
HEADLESS = re.compile(rf"(?:^|\. )who(?:ever)?\b|\b(?:{BEFORE_NO_NOUN}) who\b|\b(?:he|him|his)\b", re.IGNORECASE)


def headless(root: Path) -> Iterator[str]:
    """Comments without a subject; a word at the end of a line is looked at with the next line."""
    for path in (path for half in ("src", "include") for path in source_files(root, (".cpp", ".hpp")) if path.is_relative_to(root / half)):
        before = ""  # the last word of the comment in the line above
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = COMMENT.match(line)
            text = f"{'' if match['code'].strip() else before} {match['text']}".strip() if match else ""
            if found := HEADLESS.search(text):
                yield f"{path.relative_to(root)}:{number}: '{found[0].strip('. ')}' in a comment has no noun: say which thread, process, object or program"
            before = text.split()[-1] if text else ""


def main(arguments: list[str]) -> int:
    files = [str(path.relative_to(ROOT)) for path in source_files(ROOT, (".cpp", ".hpp"))]
    if arguments == ["--fix"]:
        return subprocess.run(["clang-format", "-i", *files], cwd=ROOT, check=False).returncode
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True, check=False)
    lines: dict[str, set[int]] = {}
    for name, line in COMPLAINT.findall(result.stderr):
        lines.setdefault(name, set()).add(int(line))
    for name, numbers in lines.items():
        print(f"{name}: not formatted in lines {', '.join(map(str, sorted(numbers)))}")
    if lines:
        print("cure: python tools/check_format.py --fix")
    elif result.returncode != 0:
        print(result.stderr)  # not about the format: a bad .clang-format, an unreadable file
    for complaint in (complaints := list(headless(ROOT))):
        print(complaint)
    return result.returncode or bool(complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
