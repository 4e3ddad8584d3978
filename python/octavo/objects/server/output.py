# SPDX-License-Identifier: Apache-2.0
"""What a hosted object prints: each line says which object it is of."""

from __future__ import annotations

import io
import logging
import sys
from typing import Any, TextIO


class PrefixedLines(io.TextIOBase):
    """Writes whole lines to ``to``, each with a prefix. What is not ended by a newline waits for it, or for flush()."""

    def __init__(self, to: TextIO, prefix: str) -> None:
        self._to, self._prefix, self._kept = to, prefix, ""

    def write(self, text: str) -> int:
        *lines, self._kept = (self._kept + text).split("\n")
        if lines:
            self._to.write("".join(f"{self._prefix}{shown(line)}\n" for line in lines))
            self._to.flush()
        elif "\r" in text:
            self._kept = "\r" + shown(self._kept)
        return len(text)

    def flush(self) -> None:
        """A line that is written again and again, as a progress bar is, is shown when it ends."""
        if self._kept and "\r" not in self._kept:
            kept, self._kept = self._kept, ""
            self._to.write(f"{self._prefix}{kept}\n")
        self._to.flush()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._to.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._to.errors

    def fileno(self) -> int:
        return self._to.fileno()

    def isatty(self) -> bool:
        return self._to.isatty()

    def writable(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:  # what TextIOBase does not have: buffer, name, ...
        return getattr(self._to, name)


def shown(line: str) -> str:
    """What is left of it on a screen where it was written over."""
    return line.removesuffix("\r").rpartition("\r")[2]


def prefix_output(prefix: str) -> None:
    """Of this process; its logging, too, which asks for sys.stderr when it writes.

    What has no handler of its own goes to logging's last resort, which shows no level and no name. Its format is set here, and basicConfig() is left
    to the object, whose own would do nothing after ours.
    """
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    if (out := sys.__stdout__ or sys.stdout) is not None:  # of a program that was started with it closed, Python has none, and print() does nothing
        sys.stdout = PrefixedLines(out, prefix)
    if (errors := sys.__stderr__ or sys.stderr) is not None:
        sys.stderr = PrefixedLines(errors, prefix)


def flush_output() -> None:
    for each in (sys.stdout, sys.stderr):
        if each is not None:
            each.flush()
