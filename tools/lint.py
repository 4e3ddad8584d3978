# SPDX-License-Identifier: Apache-2.0
"""./dev lint [CHECK...]: runs every check, or the named ones, to the end, and says at the end which failed."""

import subprocess
import sys
import time
from pathlib import Path

from source_files import ROOT

PYTHON = sys.executable
BIN = Path(sys.prefix) / "bin"


def checks() -> dict[str, list[str]]:
    """From cheap to dear, so that the first complaint comes soon."""
    found = {
        "layers": [PYTHON, "tools/check_layers.py"],
        "sizes": [PYTHON, "tools/check_sizes.py"],
        "clauses": [PYTHON, "tools/check_clauses.py"],
        "ruff": [str(BIN / "ruff"), "check", "--output-format=concise", "."],
        "ruff-format": [str(BIN / "ruff"), "format", "--check", "."],
        "format": [PYTHON, "tools/check_format.py"],
        "mypy": [str(BIN / "mypy"), "python/octavo", "tests/python/objects/test_objects_typing.py"],
        "headers": [PYTHON, "tools/check_headers.py"],
        "tidy": [PYTHON, "tools/check_tidy.py"],
    }
    if not any((ROOT / "python" / "octavo").rglob("*.py")):
        del found["mypy"]
    return found


def main(names: list[str]) -> int:
    known = checks()
    if unknown := [name for name in names if name not in known]:
        print(f"lint: no check {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    failed = []
    for name in names or known:
        begun = time.monotonic()
        print(f"--- {name}", flush=True)
        if subprocess.run(known[name], cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
        print(f"    {time.monotonic() - begun:.1f} s", flush=True)
    print(f"lint: {'failed: ' + ', '.join(failed) if failed else 'clean'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
