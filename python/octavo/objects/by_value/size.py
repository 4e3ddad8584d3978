# SPDX-License-Identifier: Apache-2.0
"""A warning of globals that are large."""

from __future__ import annotations

import sys
import warnings
from types import FunctionType

from octavo.objects.by_value.registry import registry

MOST = 8 << 20  # bytes


def warn_of_size(function: FunctionType, name: str, size: int) -> None:
    """Once for each function, at the line of the user's that sends it."""
    entry = registry.entry(function.__code__)
    if size <= MOST or entry.warned:
        return
    entry.warned = True
    level, frame = 2, sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith(("octavo.", "cloudpickle.")) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(
        f"the function {function.__qualname__} takes its global '{name}' of {size / (1 << 20):.0f} MiB along to each process that it is sent to. "
        "Make it there, in a function or constructor that runs there, or put it into an octavo.Segment, which is not copied",
        RuntimeWarning,
        stacklevel=level,
    )
