# SPDX-License-Identifier: Apache-2.0
"""Jobs over arrays on disk: transforms and copies, planned and checked before a byte moves, within one memory budget.

>>> job = octavo.Job("density.zarr", "spectrum.zarr", memory="512MiB")
>>> print(job.plan)
>>> report = job.run()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from octavo import _core
from octavo._src import consolidated, coordinates
from octavo._src.groups import version_for
from octavo._src.options import known_options
from octavo._src.paths import AnyPath, name_of
from octavo._src.running import named, planned
from octavo._src.sources import open_source
from octavo._src.targets import Target, hdf5_target, making
from octavo.errors import UsageError

# What octavo.fft.fftn, ifftn and copy hand on to Job; the last four are of a raw file.
OPTIONS = ("cores", "chunks", "compressor", "level", "shards", "zarr_format", "devices", "map", "scratch", "shape", "dtype", "offset", "big_endian")


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
    """What a job did. Bytes; ``memory_peak`` is anonymous and shared memory of all processes, ``program_peak`` this program's part.

    ``memory_budget`` bounds the rest but for 2 MiB in each of the ``processes`` and, in each of the ``interpreters`` among them, what Python,
    NumPy and the library of a format take before they are given a chunk (up to octavo._src.stores.PROCESS_BYTES). ``removed``: what runs that were
    killed had left beside the target.
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

    @property
    def gb_per_second(self) -> float:
        """Read and written, in 10^9 bytes a second."""
        return self.bytes_moved / 1e9 / max(self.seconds, 1e-9)


class Job:
    """One transform or copy, planned and checked: making it writes nothing and raises everything that can be known to fail.

    source: a path (Zarr v2 and v3 of any kind, HDF5 as ``file.h5/dataset``, .npy, an Octavo array, a raw file with shape and dtype).
    target: a path whose ending says its format (.zarr, .h5, .npy, .raw, .octavo), or within a Zarr group. From group to group, and into HDF5, go the
    coordinates of axes that are not transformed, too.
    operation: "fft", "ifft" or "copy". axes: which to transform, all if None. norm: backward, ortho or forward, as in SciPy.
    memory: bytes, or text such as "2GiB". scratch: a directory for an intermediate, where the plan needs one.
    cores: to plan for; those this program may use if None.
    shape, dtype, offset (bytes), big_endian: of a source that is a raw file.
    chunks, compressor (zstd, gzip, blosc, lz4), level, shards, zarr_format (2, 3; None: that of its group, else 3): of the target.
    devices: directories on several disks, for an .octavo target; map: circulant or block_cyclic.
    """

    @known_options("Job")
    def __init__(
        self,
        source: AnyPath,
        target: AnyPath,
        operation: str = "fft",
        *,
        axes: Sequence[int] | None = None,
        norm: str = "backward",
        memory: int | str = "1GiB",
        cores: int | None = None,
        chunks: Sequence[int] | None = None,
        compressor: str | None = None,
        level: int | None = None,
        shards: Sequence[int] | None = None,
        zarr_format: int | None = None,
        devices: Sequence[AnyPath] = (),
        map: str = "circulant",
        scratch: AnyPath = "",
        overwrite: bool = False,
        shape: Sequence[int] | None = None,
        dtype: str | None = None,
        offset: int = 0,
        big_endian: bool = False,
        part: bool = False,
    ) -> None:
        if operation not in ("fft", "ifft", "copy"):
            raise UsageError(f"operation '{operation}'. It is fft, ifft or copy")
        for name, values in (("axes", axes), ("chunks", chunks), ("shape", shape), ("shards", shards), ("offset", (offset,))):
            if any(not -(2**31) <= value < 2**62 or (name == "axes" and value >= 2**31) for value in values or ()):
                raise UsageError(f"{name} {list(values or ())} of '{name_of(source)}' is out of range. Give an integer that such an array can have")
        budget = _core.parse_bytes(memory) if isinstance(memory, str) else int(memory)
        found = open_source(source, shape=shape, dtype=dtype, offset=offset, big_endian=big_endian, part=part)
        transformed = () if operation == "copy" else tuple(axes) if axes else None
        self._coordinates = coordinates.find(name_of(source), found, transformed, budget)
        coordinates.without(found, self._coordinates.dropped)
        made = found.dtype if operation == "copy" else "complex64" if found.dtype in ("float32", "complex64") else "complex128"
        self.target = name_of(target, "the path of a target")
        self.shape = tuple(found.shape)
        self.memory = budget
        self.dtype = made
        self._zarr_format = version_for(self.target) if zarr_format is None else zarr_format
        wanted = Target(self.target, chunks, compressor, level, shards, tuple(devices), map, self._zarr_format)
        chosen = [] if axes is None else list(axes)
        between = name_of(scratch, "the scratch directory") if scratch else ""

        def plan(memory: int, for_chunks: int) -> tuple[str, _core.Job]:
            how = making(wanted, found.shape, found.chunk, made, for_chunks, overwrite, coordinates=self._coordinates.taken)
            given = (norm, memory, cores or 0, between, overwrite)
            return how.file, _core.make_job(found, how.file, how.options(wanted), operation == "copy", chosen, operation == "ifft", *given)

        with named(found.path, name_of(source)):
            self.made_path, self._job = planned(plan, budget)  # of an HDF5 target the file, else the target

    @property
    def plan(self) -> str:
        """The plan, for people: passes, boxes, bytes, memory, scratch."""
        return self._job.plan_text

    @property
    def target_layout(self) -> dict[str, Any]:
        """What open_array needs besides the path of the target: shape and dtype of a raw file, else nothing."""
        raw = self.target.lower().endswith((".raw", ".bin", ".dat"))
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
        """Class and pid of each process of the job while it runs, this program first."""
        return [(each.class_name, each.pid) for each in self._job.processes]

    def run(self, watch: Callable[[Progress], bool | None] | None = None) -> Report:
        """Runs it. ``watch`` is called about ten times a second and may return False to stop. Ctrl-C stops it too."""

        def call(p: _core.Progress) -> bool:
            return watch is None or watch(Progress(p.step, p.steps, p.bytes_done, p.bytes_total, p.seconds)) is not False  # None goes on

        if hdf5_target(self.target) is not None:
            self._coordinates.warn()  # the others are made in its file
        else:
            self._coordinates.write(self.target, self._zarr_format)  # first: who finds the array finds them
        r = self._job.run(call)
        consolidated.renew(self.made_path)
        told = (r.seconds, r.bytes_moved, r.memory_peak, r.program_peak, r.memory_budget, r.road_bytes, r.computing, r.processes, r.interpreters)
        return Report(*told, tuple(r.removed))
