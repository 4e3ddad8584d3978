# SPDX-License-Identifier: Apache-2.0
"""Objects as processes, and arrays larger than memory. Importing starts nothing."""

from typing import TYPE_CHECKING

from octavo import fft
from octavo.errors import Error, GoneError, IoError, NotSupported, ProcessDied, Refused, RemoteError, TimedOut, UsageError
from octavo.source import Source, info

if TYPE_CHECKING:
    from octavo.array import Array, create_array, open_array

__all__ = [
    "Array",
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
    "create_array",
    "fft",
    "info",
    "open_array",
]
__version__ = "0.1.0"

# These need NumPy, whose libraries start threads when they are loaded: imported when first asked for.
_LATER = {"Array": "octavo.array", "create_array": "octavo.array", "open_array": "octavo.array"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'octavo' has no attribute '{name}'")
    from importlib import import_module

    value: object = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
