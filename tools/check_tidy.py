# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over our own sources in build/lint/compile_commands.json that changed since they last passed.

python tools/check_tidy.py [FILE...]     # all, or only these
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_files import ROOT, PassedBefore, source_files

BUILD = ROOT / "build" / "lint"
OWN = ROOT / ".cache" / "tidy-commands"  # the same commands as clang understands them
GCC_ONLY = re.compile(r" (?:-fcx-limited-range|-ftrack-macro-expansion=\d)(?= )")
# g++ knows warnings that clang does not; and what is an error is for .clang-tidy to say.
ARGUMENTS = ["--quiet", f"-p={OWN}", "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-error"]


def commands() -> dict[Path, str]:
    """Our sources and the command each is compiled by."""
    ours = set(source_files(ROOT, (".cpp",)))
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    found = {(Path(entry["directory"]) / entry["file"]).resolve(): entry["command"] for entry in entries}
    OWN.mkdir(parents=True, exist_ok=True)
    (OWN / "compile_commands.json").write_text(json.dumps([{**entry, "command": GCC_ONLY.sub("", entry["command"])} for entry in entries]))
    return {path: command for path, command in sorted(found.items()) if path in ours}


def tidy(path: Path) -> str:
    """What clang-tidy has to say; empty if nothing."""
    result = subprocess.run(["clang-tidy", *ARGUMENTS, str(path)], capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else result.stdout + result.stderr


def main(arguments: list[str]) -> int:
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    settings = "".join(path.read_text() for path in sorted([ROOT / ".clang-tidy", *ROOT.glob("*/.clang-tidy")]))
    passed = PassedBefore(ROOT, "tidy", version + settings + " ".join(ARGUMENTS))
    known = commands()
    if arguments:
        chosen = {Path(name).resolve() for name in arguments}
        known = {path: command for path, command in known.items() if path in chosen}
    todo = [path for path, command in known.items() if not passed.has(path, [command])]
    failed = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, complaint in zip(todo, pool.map(tidy, todo), strict=True):
            if complaint:
                failed += 1
                print(complaint, flush=True)
            else:
                passed.add(path, [known[path]])
    print(f"tidy: {len(known)} sources, looked at now {len(todo)}, failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
