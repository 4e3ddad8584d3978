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
            self._to.write("".join(f"{self._prefix}{line}\n" for line in lines))
            self._to.flush()
        return len(text)

    def flush(self) -> None:
        if self._kept:
            kept, self._kept = self._kept, ""
            self._to.write(f"{self._prefix}{kept}\n")
        self._to.flush()

    def __getattr__(self, name: str) -> Any:  # encoding, fileno, isatty, ...
        return getattr(self._to, name)


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
