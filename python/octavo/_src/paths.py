# SPDX-License-Identifier: Apache-2.0
"""Paths as users give them: text, bytes or os.PathLike, with names that need not be UTF-8; and what is no path of a file: the name of an array of
processes ("ov://home/turbulence"), or what lies on the network."""

from __future__ import annotations

import errno
import os
import re
import unicodedata
from pathlib import Path
from typing import TypeAlias, TypeGuard

from octavo.errors import IoError, NotSupported, UsageError

AnyPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_FETCHED_BY = {
    "s3": "aws s3 cp --recursive, or mount it with rclone or s3fs",
    "gs": "gcloud storage cp --recursive, or mount it with rclone or gcsfuse",
    "az": "azcopy, or mount it with rclone or blobfuse2",
    "abfs": "azcopy, or mount it with rclone or blobfuse2",
    "http": "wget or curl",
    "https": "wget or curl",
    "ftp": "wget or curl",
}


def name_of(path: AnyPath, what: str = "the path of an array") -> str:
    """As text from which os.fsencode makes the bytes of the name again. ``what`` begins the messages.

    UsageError for what is no path; NotSupported for what lies on the network.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        kind = type(path)
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise UsageError(f"{what} is of type {module}{kind.__qualname__}. Give a str, bytes or an os.PathLike")
    name = os.fsdecode(path)
    if name == "":
        raise UsageError(f"{what} is empty. Name its file or directory")
    if "\0" in name:
        raise UsageError(f"{what}, {name!r}, has a character 0 in it, which no name of a file has. Give another")
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise UsageError(f"{what}, {name!r}, cannot be a name in this file system. Give another") from None
    if found := _SCHEME.match(name):
        _refuse_remote(name, found[1].lower())
    try:
        os.lstat(name)
    except OSError as failure:  # all others are for whoever opens it
        if failure.errno == errno.ENAMETOOLONG:
            raise UsageError(f"{what}, '{name[:40]}...', is too long: a name takes 255 bytes, a path 4095. Give a shorter one") from None
    return name


def _refuse_remote(name: str, scheme: str) -> None:
    if scheme == "file":
        raise UsageError(f"{name!r} is an address. Give the path in it, without file://")
    if scheme == "ov":
        raise UsageError(f"{name!r} is the name of an object or an array of processes, and no path. Give a path; see octavo ls for what has a name")
    cure = _FETCHED_BY.get(scheme, "the tool that you have for it")
    raise NotSupported(f"{name!r} lies on the network: Octavo reads and writes files, here or on a file system that is mounted here. Copy it, with {cure}")


def absolute(path: AnyPath, what: str = "the path of an array") -> str:
    """The name, so that it stays right when the program's directory changes."""
    return str(Path(name_of(path, what)).absolute())


def is_array_name(path: object) -> TypeGuard[str]:
    """Whether it is the name of an array of processes, which octavo.named gave it."""
    return isinstance(path, str) and path.startswith("ov://")


def path_or_name(path: AnyPath, what: str = "the path of an array") -> str:
    """Of an array that is there."""
    return path if is_array_name(path) else name_of(path, what)


def absolute_or_name(path: AnyPath, what: str = "the path of an array") -> str:
    """As absolute(); a name stays right in any directory."""
    return path if is_array_name(path) else absolute(path, what)


def is_directory(path: str) -> bool:
    """False also for what no directory can be called, a name of 5000 characters say."""
    try:
        return Path(path).is_dir()
    except OSError:
        return False


def shown(text: str, keep: str = "") -> str:
    """For a terminal, a message or a notebook: bytes that are not UTF-8 as \\xe9; what a terminal would obey (control characters), not show, or show
    elsewhere, by its number. As visible() in src/machine/utf8.hpp. ``keep``: characters that stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in keep or unicodedata.category(each) == "Zs" else _by_number(each) for each in text)


def _by_number(character: str) -> str:
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else character.encode("unicode_escape").decode()


def check_directory(file: str) -> None:
    """IoError where the directory that a new file is to lie in is not there: a slip of the pen must not make directories."""
    parent = Path(file.rstrip("/") or "/").absolute().parent
    if not parent.is_dir():
        raise IoError(f"the directory of '{file}', '{parent}', does not exist. Make it first")
