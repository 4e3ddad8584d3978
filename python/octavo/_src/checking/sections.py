# SPDX-License-Identifier: Apache-2.0
"""Runs the sections one after another: one that fails is a finding, and the others go on."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from octavo._src.checking.finding import Finding

if TYPE_CHECKING:
    from octavo import _core

SECTIONS = ("versions", "machine", "shared_memory", "hello", "ring", "bandwidth", "disk", "transforms")  # each is a file here
FOR_ALL = ("/proc/", "/sys/", "/dev/")  # paths that say nothing of whose machine it is
PATH = re.compile(r"(?<=')/[^']+(?=')|(?<![\w.:/-])/[^\s'\",;:()]+")


def run(directory: str) -> Iterator[list[Finding]]:
    """The findings of each section, when it is done."""
    for name in SECTIONS:
        yield findings_of(name, directory)


def run_on(engine: _core.Engine) -> Iterator[list[Finding]]:
    """The same of the machines of an engine, and which software this is."""
    yield findings_of("versions", ".")
    yield findings_of("machines", ".", engine)


def findings_of(name: str, directory: str, *given: object) -> list[Finding]:
    """Those of a section up to its end, or up to its failure, which is the last."""
    section = name.replace("_", " ")
    found: list[Finding] = []
    try:
        find: Callable[..., Iterator[Finding]] = partial(import_module(f"octavo._src.checking.{name}").find, *given)
        if name == "disk":
            find = partial(find, directory)
        for each in find():
            found.append(each)  # one by one: those before a failure are kept
    except Exception as failure:
        if stop := stop_before(failure):
            raise stop from None
        found.append(Finding(section, f"{section} as a whole", reason(failure, directory), works=False))
    return found


def stop_before(failure: BaseException | None) -> BaseException | None:
    """What asked to stop, where the failure is one of what cleaned up after it: a signal to all processes ends those of the objects, too."""
    while failure is not None and isinstance(failure, Exception):
        failure = failure.__context__
    return failure


def reason(failure: Exception, directory: str) -> str:
    """In a line, without the paths and the machine's name of whoever runs it: the report is for others to read."""
    text = " ".join(str(failure).split()) or "no reason was given"
    text = re.sub(rf"\b{re.escape(platform.node() or 'localhost')}\b", "this machine", text)
    return f"{type(failure).__name__}: {PATH.sub(lambda match: shown(match[0], directory), text)}"


def shown(path: str, directory: str) -> str:
    """A path in a message: as it is if it is in the directory that was given, or the same on all machines."""
    whole = Path(directory).absolute()
    if len(whole.parts) > 1 and Path(path).is_relative_to(whole):
        return str(Path(directory, Path(path).relative_to(whole)))
    return path if path.startswith(FOR_ALL) else "(a path)"
