# SPDX-License-Identifier: Apache-2.0
"""Which Pythons this machine has, and which wheel is for which: 3.10 and 3.11 get one each, 3.12 and all after it share one (abi3)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
FIRST_STABLE = "3.12"  # nanobind's stable ABI needs that


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def works(python: str, version: str) -> bool:
    """It is that Python, and can build (its headers are there) and make environments."""
    code = (
        "import ensurepip, pathlib, sys, sysconfig, venv; here = pathlib.Path(sysconfig.get_paths()['include'], 'Python.h').exists(); "
        f"sys.exit(not (here and sys.version_info[:2] == {number(version)}))"
    )
    return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0


def find(version: str) -> str | None:
    """On PATH, of pyenv, or the system's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        shutil.which(f"python{version}"),
        *sorted(map(str, pyenv.glob(f"{version}.*/bin/python3")), reverse=True),
        f"/usr/bin/python{version}",
        sys.executable,
    ]
    return next((each for each in candidates if each and Path(each).exists() and works(each, version)), None)


def found() -> dict[str, str]:
    return {version: python for version in VERSIONS if (python := find(version))}


def tag(version: str) -> str:
    """Of the wheel that this Python installs: cp310-cp310, or cp312-abi3."""
    if number(version) >= number(FIRST_STABLE):
        return f"cp{FIRST_STABLE.replace('.', '')}-abi3"
    return f"cp{version.replace('.', '')}-cp{version.replace('.', '')}"


def builders(pythons: dict[str, str]) -> dict[str, str]:
    """For each wheel, the version that makes it: the oldest, so that nothing newer gets in."""
    wanted: dict[str, str] = {}
    for version in sorted(pythons, key=number):
        wanted.setdefault(tag(version), version)
    return wanted
