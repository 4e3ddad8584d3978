# SPDX-License-Identifier: Apache-2.0
"""Which files are ours, what they include, and which have passed a check already.

files = source_files(root, (".cpp", ".hpp"))
cache = PassedBefore(root, "tidy", salt="clang-tidy 14 + its settings")
"""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = {".git", ".venv", "build", "dist", "__pycache__", ".cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(octavo/[^>]+)>)', re.MULTILINE)


def source_files(root: Path, suffixes: tuple[str, ...] = ()) -> list[Path]:
    """Files under version control or about to be; in a tree without git, all that are not products of a build."""
    root = root.resolve()
    names = _from_git(root)
    if names is None:
        names = _from_folders(root)
    found = (root / name for name in names)
    return sorted(path for path in found if (not suffixes or path.suffix in suffixes) and path.is_file())


def _from_git(root: Path) -> list[str] | None:
    git = ["git", "-C", str(root)]
    top = subprocess.run([*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=False)
    if top.returncode != 0 or Path(top.stdout.strip()) != root:
        return None
    listed = subprocess.run([*git, "ls-files", "-coz", "--exclude-standard"], capture_output=True, text=True, check=True)
    return sorted({name for name in listed.stdout.split("\0") if name})


def _from_folders(root: Path) -> list[str]:
    names = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in NOT_OURS]
        names += [str((Path(folder) / name).relative_to(root)) for name in files]
    return names


@cache
def _includes_of(path: Path, root: Path) -> tuple[Path, ...]:
    found = []
    for quoted, angled in INCLUDE.findall(path.read_text(errors="replace")):
        for base in (path.parent, root / "include", root / "src", root / "tests"):
            target = (base / (quoted or angled)).resolve()
            if target.is_file():
                found.append(target)
                break
    return tuple(found)


def include_closure(path: Path, root: Path) -> list[Path]:
    """The file and all of ours that it includes, directly or not."""
    seen: set[Path] = set()
    todo = [path.resolve()]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += _includes_of(current, root)
    return sorted(seen)


class PassedBefore:
    """Remembers in .cache/ which states of a file passed a slow check: its own text and that of all it includes."""

    def __init__(self, root: Path, check: str, salt: str) -> None:
        self.root = root
        self.salt = salt
        self.folder = root / ".cache" / check
        self.folder.mkdir(parents=True, exist_ok=True)

    def _mark(self, path: Path, command: Iterable[str]) -> Path:
        digest = hashlib.sha256("\0".join([self.salt, str(self.root), *command]).encode())
        for part in include_closure(path, self.root):
            digest.update(str(part).encode() + b"\0" + part.read_bytes())
        return self.folder / digest.hexdigest()

    def has(self, path: Path, command: Iterable[str] = ()) -> bool:
        return self._mark(path, command).exists()

    def add(self, path: Path, command: Iterable[str] = ()) -> None:
        self._mark(path, command).touch()
