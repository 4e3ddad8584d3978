# SPDX-License-Identifier: Apache-2.0
"""Jobs over arrays on disk: transforms and copies, planned and checked before a byte moves, within one memory budget.

>>> job = octavo.Job("density.zarr", "spectrum.zarr", memory="512MiB")
>>> print(job.plan)
>>> report = job.run()
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo._src import consolidated, coordinates
from octavo._src.inputs import Input, SourceLike, TargetLike, input_of, target_devices, target_path
from octavo._src.keywords import Whole, known_options
from octavo._src.new_targets import Contents, has_json_attributes, hdf5_target, making
from octavo._src.packed import causes_of, check_meant, warn_of_types
from octavo._src.paths import AnyPath, absolute_or_name, is_array_name, name_of
from octavo._src.running import planned, running_jobs
from octavo._src.sources import Opened, kept, open_held
from octavo._src.validation import axes_of, memory_bytes, raw_spec, target_spec
from octavo.errors import UsageError
from octavo.options import Budget, JobKeywords, RawLayout, Target
from octavo.phases import ProcessPhases, process_phases

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Progress", "Report"]


@dataclass(frozen=True)
class Progress:
    """How far a job is: bytes read and written of all that will be, in pass ``step`` of ``steps`` (C++ has ``pass`` and ``passes``; Python cannot)."""

    step: int
    steps: int
    bytes_done: int
    bytes_total: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """What a job did. Bytes; ``memory_peak`` is anonymous and shared memory of all processes, ``program_peak`` this program's part; both are 0 of a job on
    an array with a name, beside which others use memory, too.

    ``memory_budget`` bounds the rest but for 2 MiB in each of the ``processes`` and, in each of the ``interpreters`` among them, what Python,
    NumPy and the library of a format take before they are given a chunk (up to 64 MiB). ``removed``: what runs that were
    killed had left beside the target. ``phases``: where each of the processes spent its time, devices first.
    """

    seconds: float
    bytes_moved: int
    memory_peak: int
    program_peak: int
    memory_budget: int
    road_bytes: int
    computing: float
    processes: int
    interpreters: int
    removed: tuple[str, ...] = ()
    phases: tuple[ProcessPhases, ...] = field(default=(), repr=False)

    @property
    def gb_per_second(self) -> float:
        """Read and written, in 10^9 bytes a second."""
        return self.bytes_moved / 1e9 / max(self.seconds, 1e-9)


class Job:
    """One transform or copy, planned and checked: making it writes nothing and raises everything that can be known to fail.

    source: a path (Zarr v2 and v3 of any kind, HDF5 as ``file.h5/dataset``, .npy, an Octavo array; a raw file with ``raw``), or an array on disk as for
    octavo.fft.fftn: 1 to 8 axes.
    target: a path whose ending says its format (.zarr, .h5, .npy, .raw, .octavo), or within a Zarr group; or an array with a name, "ov://home/spectrum" or
    as octavo.open_array gives it with mode "r+": it is there, of the result's shape and dtype, and is written in place. From group to group, and into
    HDF5, go the coordinates of axes that are not transformed, too. A transform has the source's shape and complex64 if that is in single precision, else
    complex128; a copy has its shape and dtype.
    operation: "fft", "ifft" or "copy". axes: which to transform (one, or a sequence), counted from the end if negative; all if None, none if empty.
    norm: "backward", "ortho" or "forward", as in SciPy. memory: of all processes together, in bytes or as text such as "2GiB"; 1 GiB if neither it nor
    ``budget`` is given.
    overwrite: replace what is at ``target``, once the new array is whole. timeline: a .json file (Chrome's trace format, for Perfetto)
    that says which process was in which phase when; written when the target is whole, and in the place of another only with ``overwrite``.
    target_as: what the target is to be. budget: memory, cores and scratch. raw: what is in a source without a header. Their fields can be given as
    keywords instead; octavo.Target, Budget and RawLayout say what they mean.

    unpack: of a packed source True for its values, False for the stored numbers; as for octavo.fft.fftn and octavo.copy.

    UsageError: an option that makes no sense, that there is not, or that was given twice; the target exists. NotSupported: what Octavo does not do.
    Refused: too little memory (the least that would do is named) or room. IoError: what cannot be read.
    """

    @known_options("Job", JobKeywords)
    def __init__(
        self,
        source: SourceLike | Input,
        target: TargetLike,
        operation: str = "fft",
        *,
        axes: int | Sequence[int] | None = None,
        norm: str = "backward",
        memory: int | str | None = None,
        overwrite: bool = False,
        timeline: AnyPath | None = None,
        target_as: Target | None = None,
        budget: Budget | None = None,
        raw: RawLayout | None = None,
        unpack: bool | None = None,
        **options: Unpack[JobKeywords],
    ) -> None:
        chosen = Whole(memory, target_as, budget, "target_as").with_keywords(options)
        if operation not in ("fft", "ifft", "copy"):
            raise UsageError(f"operation '{operation}'. It is fft, ifft or copy")
        given = input_of(source, raw, options, unpack)
        self.target = target_path(target)
        # Beside an array with a name the source is opened in a process that has another directory than this one.
        where = absolute_or_name(given.path) if is_array_name(self.target) else given.path
        checked = None if axes is None else axes_of(axes, where)
        self.memory = memory_bytes(chosen.budget.memory, least=0)
        self.devices = target_devices(target)
        self.unpack = given.unpack
        opened = open_held(where, raw_spec(given.raw), unpack=bool(given.unpack)) if given.devices is None else Opened(given.devices.storage())
        found, self._share = opened.storage, opened.share  # until it has run, or is collected
        with kept(opened.share):
            if operation != "copy":
                check_meant(causes_of(found), given.unpack, f"the {operation} of '{where}'")
            self._coordinates = coordinates.Coordinates()
            if not is_array_name(self.target):  # which keeps elements only
                self._coordinates = coordinates.find(where, found, () if operation == "copy" else checked, self.memory)
            coordinates.without(found, self._coordinates.dropped)
            self.shape = tuple(found.shape)
            self.dtype = found.dtype if operation == "copy" else _core.transformed(found.dtype)
            self._target = target_spec(self.target, chosen.target)
            contents = Contents(found.shape, self.dtype, found.chunk, coordinates=self._coordinates.taken, typed=opened.typed)

            file = given.devices is None and not is_array_name(where)
            asked = _core.JobOptions(found, where if file else "")
            if given.devices is not None:
                asked.source_array = given.devices.array()
            if self.devices is not None:
                asked.target_array = self.devices.array()
            asked.copy, asked.inverse = operation == "copy", operation == "ifft"
            asked.axes, asked.norm, asked.overwrite = None if checked is None else list(checked), norm, overwrite
            asked.cores, asked.scratch = _cores_and_scratch(chosen.budget)
            asked.timeline = "" if timeline is None else name_of(timeline, "the timeline")

            def plan(memory: int, for_chunks: int) -> tuple[str, _core.Job]:
                how = making(self._target, contents, for_chunks, overwrite)
                asked.target, asked.target_as, asked.memory = how.file, how.options(self._target), memory
                return how.file, _core.Job(asked)

            self.made_path, self._job = planned(plan, self.memory)  # of an HDF5 target the file, else the target
            warn_of_types(found, opened.typed if operation == "copy" and has_json_attributes(self.target) else {}, where)

    def __repr__(self) -> str:
        return f"<octavo.Job to '{self.target}': {self.plan}>"

    @property
    def plan(self) -> str:
        """The plan, for people: passes, boxes, bytes, memory, scratch."""
        return self._job.plan_text

    @property
    def target_layout(self) -> dict[str, Any]:
        """What open_array needs besides the path of the target: shape and dtype of a raw file, else nothing."""
        raw = not is_array_name(self.target) and self.target.lower().endswith((".raw", ".bin", ".dat"))
        return {"shape": self.shape, "dtype": self.dtype} if raw else {}

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
        """Class and pid of each process of the job while it runs, this program first; none of a job on an array with a name."""
        return [(each.class_name, each.pid) for each in self._job.processes]

    def run(self, watch: Callable[[Progress], bool | None] | None = None) -> Report:
        """Runs it. ``watch`` is called about ten times a second and may return False to stop: then Cancelled is raised. Ctrl-C stops it too, and so does the
        end of the program, where a daemon thread runs it."""

        def call(p: _core.Progress) -> bool:
            if running_jobs.ends and threading.current_thread() is not threading.main_thread():
                return False
            return watch is None or watch(Progress(p.step, p.steps, p.bytes_done, p.bytes_total, p.seconds)) is not False  # None goes on

        with running_jobs.one_more():
            r = self._run(call)
        told = (r.seconds, r.bytes_moved, r.memory_peak, r.program_peak, r.memory_budget, r.road_bytes, r.computing, r.processes, r.interpreters)
        return Report(*told, tuple(r.removed), tuple(map(process_phases, r.phases)))

    def _run(self, call: Callable[[_core.Progress], bool]) -> _core.JobReport:
        stored = not is_array_name(self.target)
        if hdf5_target(self.target) is not None:
            self._coordinates.warn()  # the others are made in its file
        elif stored:
            self._coordinates.write(self.target, self._target.zarr_format)  # first: who finds the array finds them
        try:
            return self._job.run(call)
        finally:  # also where the target is whole, and only its timeline could not be written
            if self._share is not None:
                self._share.release()
            if stored:
                consolidated.renew(self.made_path)


def _cores_and_scratch(budget: Budget) -> tuple[int, str]:
    """0 and "" where they are left to the planner."""
    return budget.cores or 0, name_of(budget.scratch, "the scratch directory") if budget.scratch else ""
