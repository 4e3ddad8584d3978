# SPDX-License-Identifier: Apache-2.0
"""Exceptions between processes: the original with the remote traceback as its cause, and where it came from; as text where it cannot be pickled."""

import sys
import traceback
from typing import NamedTuple, NoReturn

from octavo.errors import RemoteError
from octavo.objects.by_value.names import UnknownDefinition
from octavo.objects.by_value.peers import peers
from octavo.objects.pickling import cloud_dumps, loads, plain_dumps
from octavo.objects.trust import here

READ_ONLY = """
An array of octavo.empty() is shared with who sent it, and read-only where it arrives. \
Write to a copy (a.copy()) there, or give it away where it is sent: p.take(octavo.give(a))"""


class Origin(NamedTuple):
    """Where an exception was raised: the class of the object (empty: it could not be made), the number of its process, its pid and machine."""

    object: str
    process: int
    pid: int
    machine: str

    def __str__(self) -> str:
        return f"{self.object + ', ' if self.object else ''}process {self.process}, pid {self.pid} on {self.machine}"


class RemoteTraceback(Exception):
    """The cause of an exception from another process: its traceback there, as text."""

    origin: Origin | None = None
    note = ""

    def __str__(self) -> str:
        note = f"{self.note}\n" if self.note and sys.version_info < (3, 11) else ""  # later ones note it at the exception itself
        return f'\n"""\n{self.args[0]}{note}"""'


def origin(error: BaseException) -> Origin | None:
    """Where an exception came from. None: it was raised in this process."""
    return error.__cause__.origin if isinstance(error.__cause__, RemoteTraceback) else None


def describe(error: BaseException) -> tuple[str, str, str, bytes]:
    """Of an exception that leaves a process: its type, text, traceback, and pickle (empty where it has none)."""
    return type_name(error), text_of(error), "".join(traceback.format_exception(error)), pickle_of(error)


def type_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as problem:  # of its own __str__
        return f"<an exception whose text raised {type(problem).__name__}>"


def pickle_of(error: BaseException) -> bytes:
    """What the receiver can surely make an exception of again: tried here, as many exceptions can be pickled but not made again."""
    if not isinstance(error, Exception):  # SystemExit and KeyboardInterrupt would end the caller
        return b""
    try:
        pickled = cloud_dumps(error) if here.pickle else plain_dumps(error)
        again = loads(memoryview(pickled), [])
    except Exception:
        return b""
    return pickled if type(again) is type(error) else b""


def made_of(pickled: bytes) -> BaseException:
    error = loads(memoryview(pickled), [])
    if not isinstance(error, Exception):
        raise TypeError("no exception arrived where one belongs")
    return error


def raise_remote(name: str, text: str, trace: str, pickled: bytes, where: tuple[str, int, int, str, str] | None) -> NoReturn:
    """Raises what was raised in another process. ``where``: an Origin, and what the error has met on its way."""
    error: BaseException
    try:
        error = made_of(pickled) if pickled else RemoteError(f"{name}: {text}")
    except Exception:  # its class is not known here, or it is a pickle and none is read here
        error = RemoteError(f"{name}: {text}")
    if isinstance(error, UnknownDefinition):
        peers.clear()
    cause = RemoteTraceback(trace)
    if where is not None:
        met = where[4]
        cause.origin = Origin(*where[:4])
        cause.note = f"raised in {cause.origin}{', ' if met else ''}{met}"
        told = READ_ONLY in "".join(getattr(error, "__notes__", ()))  # by another process on its way
        if isinstance(error, ValueError) and text.endswith(" is read-only") and not told:  # NumPy's words
            cause.note += READ_ONLY
        if hasattr(error, "add_note"):
            error.add_note(cause.note)
    raise error from cause
