# SPDX-License-Identifier: Apache-2.0
"""The closed list of errors, by what the caller can do about them; the same as in C++."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.objects.messages.errors import BrokenBarrier as BrokenBarrier
    from octavo.objects.messages.errors import QueueShutDown as QueueShutDown


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
    """Understood, and declined: a budget, a bound, a right."""


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


def __getattr__(name: str) -> Any:
    """Errors that are of the standard's kinds, too, whose modules importing octavo does not load."""
    if name not in ("BrokenBarrier", "QueueShutDown"):
        raise AttributeError(f"module 'octavo.errors' has no attribute {name!r}")
    return getattr(import_module("octavo.objects.messages.errors"), name)
