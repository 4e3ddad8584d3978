# SPDX-License-Identifier: Apache-2.0
"""Objects as processes, and arrays larger than memory. Importing starts nothing."""

from typing import TYPE_CHECKING

from octavo.errors import Error, GoneError, IoError, NotSupported, ProcessDied, Refused, RemoteError, TimedOut, UsageError

if TYPE_CHECKING:
    from octavo import fft
    from octavo.array import Array, create_array, open_array
    from octavo.copying import copy
    from octavo.job import Job, Progress, Report
    from octavo.options import Budget, RawLayout, Target
    from octavo.source import Source, info
    from octavo.watching import (
        DiskFacts,
        MachineFacts,
        ProcessStatus,
        RoadStatus,
        SavedObject,
        machines,
        processes,
        restore_saved,
        roads,
        saved_objects,
        send_signal,
    )

__all__ = [
    "Array",
    "Budget",
    "DiskFacts",
    "Error",
    "GoneError",
    "IoError",
    "Job",
    "MachineFacts",
    "NotSupported",
    "ProcessDied",
    "ProcessStatus",
    "Progress",
    "RawLayout",
    "Refused",
    "RemoteError",
    "Report",
    "RoadStatus",
    "SavedObject",
    "Source",
    "Target",
    "TimedOut",
    "UsageError",
    "copy",
    "create_array",
    "fft",
    "info",
    "machines",
    "open_array",
    "processes",
    "restore_saved",
    "roads",
    "saved_objects",
    "send_signal",
]
__version__ = "0.1.0"

# These need NumPy, whose libraries start threads when they are loaded: imported when first asked for.
_LATER = {
    "Array": "octavo.array",
    "Budget": "octavo.options",
    "DiskFacts": "octavo.watching",
    "Job": "octavo.job",
    "MachineFacts": "octavo.watching",
    "ProcessStatus": "octavo.watching",
    "Progress": "octavo.job",
    "RawLayout": "octavo.options",
    "Report": "octavo.job",
    "RoadStatus": "octavo.watching",
    "SavedObject": "octavo.watching",
    "Source": "octavo.source",
    "Target": "octavo.options",
    "copy": "octavo.copying",
    "create_array": "octavo.array",
    "fft": "octavo.fft",
    "info": "octavo.source",
    "machines": "octavo.watching",
    "open_array": "octavo.array",
    "processes": "octavo.watching",
    "restore_saved": "octavo.watching",
    "roads": "octavo.watching",
    "saved_objects": "octavo.watching",
    "send_signal": "octavo.watching",
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
