# SPDX-License-Identifier: Apache-2.0
"""Objects as processes, and arrays larger than memory. Importing starts nothing."""

from octavo import fft
from octavo.errors import Error, GoneError, IoError, NotSupported, ProcessDied, Refused, RemoteError, TimedOut, UsageError
from octavo.source import Source, info

__all__ = [
    "Error",
    "GoneError",
    "IoError",
    "NotSupported",
    "ProcessDied",
    "Refused",
    "RemoteError",
    "Source",
    "TimedOut",
    "UsageError",
    "fft",
    "info",
]
__version__ = "0.1.0"
