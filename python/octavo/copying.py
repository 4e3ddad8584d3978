# SPDX-License-Identifier: Apache-2.0
"""Arrays on disk brought into another format, other chunks, onto other disks: octavo.copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo._src.inputs import SourceLike, TargetLike, input_of
from octavo._src.keywords import Whole, known_options
from octavo._src.paths import AnyPath
from octavo.job import Job
from octavo.options import Budget, JobKeywords, RawLayout, Target
from octavo.results import run

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from octavo.array import Array


@known_options("copy", JobKeywords)
def copy(
    a: SourceLike,
    out: TargetLike,
    *,
    memory: int | str | None = None,
    progress: bool | None = None,
    overwrite: bool = False,
    timeline: AnyPath | None = None,
    target: Target | None = None,
    budget: Budget | None = None,
    raw: RawLayout | None = None,
    unpack: bool | None = None,
    **options: Unpack[JobKeywords],
) -> Array:
    """Copies ``a`` (a path or an array on disk, as for octavo.fft.fftn) to ``out``, whose ending is its format; shape, dtype, elements, attributes and
    names stay.

    From a Zarr group or an HDF5 file into a Zarr group (``"out.zarr/temperature"``) or an HDF5 file the coordinates go along: docs/tutorial.md.

    unpack: True for the values of what is packed (``scale_factor``, ``_FillValue`` and the like, as in xarray): floating, NaN where one is missing, without
    those attributes; else the copy is packed as its source is.
    target: chunks and the like of the result. Chunks stay too unless they are given: this is also rechunking. memory, progress, overwrite, timeline,
    budget, raw, the keywords, the result and the errors: as for octavo.fft.fftn.
    """
    chosen, given = Whole(memory, target, budget).with_keywords(options), input_of(a, raw, options, unpack)
    job = Job(given, out, "copy", overwrite=overwrite, timeline=timeline, target_as=chosen.target, budget=chosen.budget)
    return run(job, progress)
