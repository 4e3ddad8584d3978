# SPDX-License-Identifier: Apache-2.0
"""The closed list of errors, by what the caller can do about them; the same as in C++. Those that most programs meet are in octavo itself, too.

>>> try:
...     p.work()
... except octavo.errors.LockAbandoned as error:
...     print(error, octavo.errors.origin(error))  # where it was raised, if not in this process
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from octavo.objects.messages.errors import BrokenBarrier as BrokenBarrier
    from octavo.objects.messages.errors import QueueShutDown as QueueShutDown

__all__ = [
    "BrokenBarrier",
    "Cancelled",
    "ChannelCancelled",
    "Error",
    "GoneError",
    "IoError",
    "LockAbandoned",
    "NotSupported",
    "Origin",
    "ProcessDied",
    "QueueShutDown",
    "Refused",
    "RemoteError",
    "TimedOut",
    "UsageError",
    "origin",
]


class Error(Exception):
    """The base of all: ``str(e)`` says what failed, with the values, where, and the cure."""


class UsageError(Error, ValueError):
    """The caller's mistake: change the call."""


class RemoteError(Error):
    """The remote code threw something whose type is not known here."""


class GoneError(Error, ConnectionError):
    """The peer is no longer there."""


class ProcessDied(GoneError):
    """A process died: which, where, since when, its exit status or signal, its last lines."""


if sys.version_info >= (3, 11):

    class TimedOut(Error, TimeoutError):
        """No answer in the given time."""

else:
    import concurrent.futures

    class TimedOut(Error, TimeoutError, concurrent.futures.TimeoutError):  # there that is another class
        """No answer in the given time."""


class Refused(Error):
    """Understood, and declined: a budget, a bound, a right. ``least``: the bytes of memory that would do, 0 if it is not about memory, or not known;
    ``path``: of the array that it is about, "" if that is not known."""

    least = 0
    path = ""

    def _about(self, path: str, least: int = 0) -> "Refused":
        """Itself, with what is not known of it yet."""
        self.path, self.least = self.path or path, self.least or least
        return self


class Cancelled(Refused):
    """A call was cancelled before it began: it did not run, and will not. Or a job was stopped by its ``watch``."""


class LockAbandoned(GoneError):
    """The holder of a lock died with it: this thread does not have it, and what it protects may be half done. Raised once."""


class ChannelCancelled(GoneError):
    """The reader of a channel wants no more."""


class IoError(Error, OSError):
    """A disk, file or descriptor failed."""


class NotSupported(Error, NotImplementedError):
    """Valid, but not something Octavo does."""


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


def type_name(error: BaseException) -> str:
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as problem:  # of its own __str__
        return f"<an exception whose text raised {type(problem).__name__}>"


def __getattr__(name: str) -> Any:
    """Errors that are of the standard's kinds, too, whose modules importing octavo does not load."""
    if name not in ("BrokenBarrier", "QueueShutDown"):
        raise AttributeError(f"module 'octavo.errors' has no attribute {name!r}")
    return getattr(import_module("octavo.objects.messages.errors"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
