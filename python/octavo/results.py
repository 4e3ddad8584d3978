# SPDX-License-Identifier: Apache-2.0
"""Running a job for somebody who wants its result."""

from __future__ import annotations

from dataclasses import replace

from octavo._src.open_create import LEAST_MEMORY, Opening, open_handle
from octavo._src.paths import absolute_or_name
from octavo._src.validation import raw_spec
from octavo.array import Array
from octavo.job import Job
from octavo.options import RawLayout


def run(job: Job, progress: bool | None) -> Array:
    """Runs it, with a bar where one is wanted and can be seen, and opens what it made."""
    if progress is False:
        job.run()
    else:
        from octavo.progress import Bar  # with rich, which nothing else here needs

        with Bar(progress) as bar:
            job.run(bar.show)
    layout = job.target_layout
    raw, unpack = raw_spec(RawLayout(**layout) if layout else None), False if job.unpack is False else None
    told = Opening(absolute_or_name(job.target), False, max(job.memory, LEAST_MEMORY), raw, job.devices, unpack)
    handle = open_handle(told)
    if handle.least_memory > told.memory:  # a job can do with less than who reads its result: its work is not lost for that
        told = replace(told, memory=handle.least_memory)
        handle = open_handle(told)
    return Array(handle, told)
