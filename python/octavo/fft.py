# SPDX-License-Identifier: Apache-2.0
"""The N-D Fourier transform of an array on disk within a memory budget.

>>> job = octavo.fft.Job("density.zarr", "spectrum.zarr", memory="512MiB")
>>> print(job.plan)
>>> report = job.run()
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from octavo import _core
from octavo.errors import UsageError


@dataclass(frozen=True)
class Progress:
    """How far a job is: bytes read and written of all that will be, in pass ``step`` of ``steps``."""

    step: int
    steps: int
    bytes_done: int
    bytes_total: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """What a job did. Bytes; ``memory_peak`` is anonymous and shared memory of all processes, ``program_peak`` this program's part."""

    seconds: float
    bytes_moved: int
    memory_peak: int
    program_peak: int
    memory_budget: int
    road_bytes: int
    computing: float
    processes: int

    @property
    def gb_per_second(self) -> float:
        """Read and written, in 10^9 bytes a second."""
        return self.bytes_moved / 1e9 / max(self.seconds, 1e-9)


class Job:
    """One transform, planned and checked: making it writes nothing and raises everything that can be known to fail.

    source, target: paths; a target ends in .zarr, .npy or .raw. axes: which to transform, all if None. norm: backward, ortho or
    forward, as in SciPy. memory: bytes, or text such as "2GiB". chunks: of a Zarr target. scratch: a directory for an intermediate.
    shape, dtype: of a source that is a raw file.
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        target: str | os.PathLike[str],
        *,
        axes: Sequence[int] | None = None,
        inverse: bool = False,
        norm: str = "backward",
        memory: int | str = "1GiB",
        chunks: Sequence[int] | None = None,
        scratch: str | os.PathLike[str] = "",
        overwrite: bool = False,
        shape: Sequence[int] | None = None,
        dtype: str | None = None,
    ) -> None:
        for name, values in (("axes", axes), ("chunks", chunks), ("shape", shape)):
            if any(not -(2**31) <= value < 2**62 or (name == "axes" and value >= 2**31) for value in values or ()):
                raise UsageError(f"{name} {list(values or ())} of '{os.fspath(source)}' is out of range. Give an integer that such an array can have")
        self._job = _core.make_job(
            os.fspath(source),
            os.fspath(target),
            [] if axes is None else list(axes),
            inverse,
            norm,
            _core.parse_bytes(memory) if isinstance(memory, str) else int(memory),
            None if chunks is None else list(chunks),
            os.fspath(scratch),
            overwrite,
            None if shape is None else list(shape),
            dtype,
        )

    @property
    def plan(self) -> str:
        """The plan, for people: passes, boxes, bytes, memory, scratch."""
        return self._job.plan_text

    @property
    def passes(self) -> int:
        """How often the array is read and written."""
        return self._job.passes

    @property
    def transforms(self) -> int:
        """Transform processes."""
        return self._job.transforms

    @property
    def uses_scratch(self) -> bool:
        """Whether an intermediate is written beside the target."""
        return self._job.uses_scratch

    def processes(self) -> list[tuple[str, int]]:
        """Class and pid of each process of the job while it runs, this program first."""
        return [(each.class_name, each.pid) for each in self._job.processes]

    def run(self, watch: Callable[[Progress], bool] | None = None) -> Report:
        """Runs it. ``watch`` is called about ten times a second and may return False to stop. Ctrl-C stops it too."""

        def call(p: _core.Progress) -> bool:
            return watch is None or watch(Progress(p.step, p.steps, p.bytes_done, p.bytes_total, p.seconds))

        r = self._job.run(call)
        return Report(r.seconds, r.bytes_moved, r.memory_peak, r.program_peak, r.memory_budget, r.road_bytes, r.computing, r.processes)
