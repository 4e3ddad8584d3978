# SPDX-License-Identifier: Apache-2.0
"""One number as an element of an array: nothing of it is lost without a word, but by rounding."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from octavo.errors import UsageError


def element_bytes(value: Any, kind: np.dtype[Any], what: str) -> bytes:
    """UsageError for what is no number, or none that the type has. ``what``: "fill_value"."""
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "biufc":
        raise UsageError(f"{what} {value!r} of type {type(value).__name__}. Give one number")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        made = given.astype(kind)
    lost = kind.kind != "c" and given.dtype.kind == "c" and given.imag != 0
    if lost or (kind.kind in "iu" and not made == given) or (kind.kind in "fc" and np.isfinite(given) and not np.isfinite(made)):
        raise UsageError(f"{what} {value!r} is no number of {kind.name}. Give one that it has, or an array of another dtype")
    return made.tobytes()
