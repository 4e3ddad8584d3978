# SPDX-License-Identifier: Apache-2.0
"""Checks that our C++ files are as clang-format would have them, or makes them so.

python tools/check_format.py          # names the files and lines; status 1 if there are any
python tools/check_format.py --fix
"""

import re
import subprocess
import sys

from source_files import ROOT, source_files

COMPLAINT = re.compile(r"^(.+?):(\d+):\d+: error: code should be clang-formatted", re.MULTILINE)


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
    return result.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
