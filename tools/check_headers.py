# SPDX-License-Identifier: Apache-2.0
"""Checks that each public header compiles when it is the only one included, and when it is included twice; and all together by clang++, where that is there.

python tools/check_headers.py     # compiles only what changed since it last passed
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_files import ROOT, PassedBefore, source_files

COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Wnon-virtual-dtor", "-Werror", "-x", "c++"]


def compile_alone(header: Path) -> str:
    """The compiler's complaint; empty if there is none."""
    name = header.relative_to(ROOT / "include")
    text = f'#include "{name}"\n#include "{name}"\n'
    command = [COMPILER, *FLAGS, f"-I{ROOT / 'include'}", "-"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else f"{header.relative_to(ROOT)}:1: does not compile alone:\n{result.stderr}"


def compile_all(headers: list[Path]) -> str:
    """The complaint of clang++ about one program that includes all of them; empty if there is none."""
    text = "".join(f'#include "{path.relative_to(ROOT / "include")}"\n' for path in headers)
    result = subprocess.run(["clang++", *FLAGS, f"-I{ROOT / 'include'}", "-"], input=text, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else f"include/octavo: clang++ does not compile a program with all headers:\n{result.stderr}"


def main() -> int:
    version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    passed = PassedBefore(ROOT, "headers", version + " ".join(FLAGS))
    headers = [path for path in source_files(ROOT, (".hpp",)) if path.is_relative_to(ROOT / "include")]
    todo = [path for path in headers if not passed.has(path)]
    failed = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for header, complaint in zip(todo, pool.map(compile_alone, todo), strict=True):
            if complaint:
                failed += 1
                print(complaint)
            else:
                passed.add(header)
    if shutil.which("clang++"):
        together = PassedBefore(ROOT, "headers-together", " ".join(FLAGS))
        if not all(together.has(path) for path in headers):
            if complaint := compile_all(headers):
                failed += 1
                print(complaint)
            else:
                for path in headers:
                    together.add(path)
    print(f"headers: {len(headers)}, compiled now {len(todo)}, failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
