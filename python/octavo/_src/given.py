# SPDX-License-Identifier: Apache-2.0
"""What a user may hand over as an array on disk, as a path and what a raw file needs besides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from octavo._src import wanted
from octavo._src.opening import Opening
from octavo._src.paths import AnyPath, name_of
from octavo.errors import UsageError

if TYPE_CHECKING:
    from octavo.array import Array


@dataclass(frozen=True)
class Given:
    """``layout``: shape, dtype, offset, big_endian, part of a raw file; empty for all others."""

    path: str
    layout: dict[str, Any] = field(default_factory=dict)


def source_of(a: AnyPath | Array | npt.NDArray[Any]) -> Given:
    """A path, an octavo.Array, or a numpy.memmap. What lies in memory only is refused."""
    from octavo.array import Array

    if isinstance(a, Array):
        return _of_opening(a.opening)
    if isinstance(a, np.memmap):
        return _of_opening(wanted.opening_of_memmap(a, False, 1))
    if isinstance(a, np.ndarray):
        raise UsageError(f"an array of shape {a.shape} in memory. Octavo works on arrays on disk: numpy.save it, or use numpy.fft or scipy.fft")
    return Given(name_of(a))


def _of_opening(opening: Opening) -> Given:
    if opening.shape is None:
        return Given(opening.path)
    layout = {"shape": opening.shape, "dtype": opening.dtype, "offset": opening.offset, "big_endian": opening.big_endian, "part": True}
    return Given(opening.path, layout)
