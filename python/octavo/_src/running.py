# SPDX-License-Identifier: Apache-2.0
"""Running a job for somebody who wants its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo.array import Array
    from octavo.job import Job


def run(job: Job, progress: bool | None) -> Array:
    """Runs it, with a bar where one is wanted and can be seen, and opens what it made."""
    from octavo._src.opening import LEAST_MEMORY
    from octavo.array import open_array

    if progress is False:
        job.run()
    else:
        from octavo.progress import Bar

        with Bar(progress) as bar:
            job.run(bar.show)
    return open_array(job.target, memory=max(job.memory, LEAST_MEMORY), **job.target_layout)
