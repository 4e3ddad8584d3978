# SPDX-License-Identifier: Apache-2.0
"""Arrays on disk brought into another format, other chunks, onto other disks: octavo.copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from octavo._src.given import source_of
from octavo._src.options import known_options
from octavo._src.paths import AnyPath
from octavo._src.running import run
from octavo.job import OPTIONS, Job

if TYPE_CHECKING:
    from octavo.array import Array


@known_options("copy", OPTIONS)
def copy(
    a: AnyPath | Array | npt.NDArray[Any],
    out: AnyPath,
    *,
    memory: int | str = "1GiB",
    progress: bool | None = None,
    overwrite: bool = False,
    **target: Any,
) -> Array:
    """Copies ``a`` (an octavo.Array, a path, a numpy.memmap) to ``out``, whose ending is its format; elements, attributes and names stay.

    From a Zarr group or an HDF5 file into a Zarr group (``"out.zarr/temperature"``) or an HDF5 file the coordinates go along: docs/tutorial.md.

    Chunks stay too unless ``chunks`` is given: this is also rechunking. More (compressor, level, shards, zarr_format, devices, map,
    scratch), memory, progress, the result and the errors: see octavo.Job and octavo.fft.fftn.
    """
    given = source_of(a)
    return run(Job(given.path, out, "copy", memory=memory, overwrite=overwrite, **given.layout, **target), progress)
