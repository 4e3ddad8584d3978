# SPDX-License-Identifier: Apache-2.0
"""The one way from a command to the terminal: what files and other processes say is in it, and is shown, not obeyed. What cannot be written is an error."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import typer

from octavo._src.paths import shown
from octavo.errors import IoError


def say(text: str, *, err: bool = False) -> None:
    """A line or several: whoever makes them gives parts that others wrote through ``shown``, so that they begin no line of their own."""
    typer.echo(shown(text, keep="\n"), err=err)


def say_json(value: Any, **options: Any) -> None:
    """For programs: ASCII, without control characters."""
    typer.echo(json.dumps(value, indent=2, **options).replace("\x7f", "\\u007f"))


class OutputFailed(IoError):
    """Standard output does not take what a command says."""


class Output:
    """Standard output, whoever writes to it, with errors that name it. One whose reader is gone is left to typer, which ends the command without a word."""

    def __init__(self, plain: TextIO) -> None:
        self._plain = plain

    def write(self, text: str) -> int:
        with self._named():
            return self._plain.write(text)

    def flush(self) -> None:
        with self._named():
            self._plain.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            sys.stdout = None  # Python would try again as it ends
            raise OutputFailed(f"writing to standard output: {os.strerror(error.errno or errno.EIO)}") from None


def name_output() -> None:
    if sys.stdout is not None:
        sys.stdout = Output(sys.stdout)


@contextmanager
def saying_that_it_is_done(made: str) -> Iterator[None]:
    """Within it, what is said of a job that has been done."""
    try:
        yield
    except OutputFailed as failure:
        raise OutputFailed(f"'{made}' is done; {failure}") from None
