# SPDX-License-Identifier: Apache-2.0
"""./dev bench [NAME] [--json FILE] [ARGUMENT...]: runs one benchmark, or all, by name.

A benchmark is benchmarks/NAME.py, or the program build/release/benchmarks/NAME made of benchmarks/NAME.cpp.
Other arguments go to it as they are. FILE holds one JSON object a line, one for each figure, with the keys of benchmarks/kit/report.py.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from source_files import ROOT

SCRIPTS = ROOT / "benchmarks"
PROGRAMS = ROOT / "build" / "release" / "benchmarks"


def benchmarks() -> dict[str, list[str]]:
    """Each one's name and the command that runs it."""
    found = {path.name: [str(path)] for path in PROGRAMS.glob("*") if path.is_file() and os.access(path, os.X_OK)}
    found |= {path.stem: [sys.executable, str(path)] for path in SCRIPTS.glob("*.py")}  # also of a name that a program had before
    return dict(sorted(found.items()))


def run(command: list[str], rest: list[str], report: Path | None) -> int:
    if report:
        rest = [*rest, "--json", str(report)]
    path = f"{Path(sys.prefix) / 'bin'}:{os.environ.get('PATH', '')}"
    return subprocess.run([*command, *rest], cwd=ROOT, env={**os.environ, "PATH": path}, check=False).returncode


def run_all(known: dict[str, list[str]], report: Path | None) -> int:
    lines = ""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, command in known.items():
            print(f"=== {name}", flush=True)
            part = Path(folder) / f"{name}.json" if report else None
            if run(command, [], part) != 0:
                failed.append(name)
            elif part and part.exists():
                lines += part.read_text()
    if report:
        report.write_text(lines)
    print(f"bench: {len(known) - len(failed)} ran{', failed: ' + ', '.join(failed) if failed else ''}")
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    known = benchmarks()
    report = None
    if "--json" in arguments:
        at = arguments.index("--json")
        if at + 1 == len(arguments):
            print("bench: --json needs a file", file=sys.stderr)
            return 2
        report = Path(arguments[at + 1]).resolve()
        arguments = arguments[:at] + arguments[at + 2 :]
    if not arguments:
        return run_all(known, report)
    name, *rest = arguments
    if name not in known:
        there = sorted({path.stem for path in SCRIPTS.iterdir() if path.suffix in (".py", ".cpp")})
        print(f"bench: no benchmark '{name}'; there are: {', '.join(there)}", file=sys.stderr)
        return 2
    return run(known[name], rest, report)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
