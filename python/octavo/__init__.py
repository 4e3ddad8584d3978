# SPDX-License-Identifier: Apache-2.0
"""Objects as processes, and arrays larger than memory. Importing starts nothing."""

from typing import TYPE_CHECKING

from octavo.errors import Error, GoneError, IoError, NotSupported, ProcessDied, Refused, RemoteError, TimedOut, UsageError

if TYPE_CHECKING:
    from octavo import fft
    from octavo.array import Array, create_array, open_array
    from octavo.copying import copy
    from octavo.job import Job, Progress, Report
    from octavo.source import Source, info

__all__ = [
    "Array",
    "Error",
    "GoneError",
    "IoError",
    "Job",
    "NotSupported",
    "ProcessDied",
    "Progress",
    "Refused",
    "RemoteError",
    "Report",
    "Source",
    "TimedOut",
    "UsageError",
    "copy",
    "create_array",
    "fft",
    "info",
    "open_array",
]
__version__ = "0.1.0"

# These need NumPy, whose libraries start threads when they are loaded: imported when first asked for.
_LATER = {
    "Array": "octavo.array",
    "Job": "octavo.job",
    "Progress": "octavo.job",
    "Report": "octavo.job",
    "Source": "octavo.source",
    "copy": "octavo.copying",
    "create_array": "octavo.array",
    "fft": "octavo.fft",
    "info": "octavo.source",
    "open_array": "octavo.array",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'octavo' has no attribute '{name}'")
    from importlib import import_module

    module = import_module(_LATER[name])
    value: object = module if name == "fft" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
