# SPDX-License-Identifier: Apache-2.0
"""The N-D Fourier transform of arrays on disk within a memory budget, with NumPy's argument names.

>>> spectrum = octavo.fft.fftn("density.zarr", out="spectrum.zarr", memory="2GiB")
>>> spectrum[0, 0, 0]
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, cast, overload

from octavo._src.inputs import Input, SourceLike, TargetLike, input_of
from octavo._src.keywords import JobChoices, Whole, known_options
from octavo._src.paths import AnyPath
from octavo._src.validation import axes_of, integers
from octavo.errors import NotSupported, UsageError
from octavo.job import Job
from octavo.options import Budget, JobKeywords, RawLayout, Target
from octavo.results import run

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from octavo.array import Array
    from octavo.distributed.array import DistributedArray

__all__ = ["fftn", "ifftn"]
P = ParamSpec("P")


class _Both(Protocol[P]):
    """A transform of arrays on disk, which is also one of distributed arrays, in memory: of the same split, from octavo.distributed."""

    @overload
    def __call__(self, a: DistributedArray, s: None = ..., axes: int | Sequence[int] | None = ..., norm: str | None = ...) -> DistributedArray: ...
    @overload
    def __call__(self, a: SourceLike, *given: P.args, **options: P.kwargs) -> Array: ...


def _also_distributed(function: Callable[Concatenate[SourceLike, P], Array]) -> _Both[P]:
    @functools.wraps(function)
    def chosen(a: Any, *given: Any, **options: Any) -> Any:
        if not hasattr(type(a), "_transformed"):
            return function(a, *given, **options)
        return a._transformed(function.__name__, *given, **options)

    return cast("_Both[P]", chosen)


@_also_distributed
@known_options("fftn", JobKeywords)
def fftn(
    a: SourceLike,
    s: Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    out: TargetLike | None = None,
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
    """The discrete Fourier transform of ``a`` over ``axes`` (all if None, none if empty), as numpy.fft.fftn; the result is an array on disk.

    a: a path, an octavo.Array, a numpy.memmap, a zarr.Array in a local directory, an h5py.Dataset, or an xarray.DataArray that is all of a variable of a
    Zarr group or netCDF-4 file and not loaded: any shape of 1 to 8 axes. A line along each transformed axis must fit into memory about six times. The
    result has its shape; single precision gives complex64, all else complex128.
    s: must be None or the extents along the axes: padding and cropping are not done. norm: "backward" (None), "ortho", "forward".
    out: where the result is made; the ending is the format (.zarr, .h5, .npy, .raw, .octavo).
    memory: of all processes together, in bytes or as text such as "2GiB"; 1 GiB if neither it nor ``budget`` is given.
    progress: a bar on the terminal or in a notebook; None where there is one.
    overwrite: replace what is at ``out``, once the new array is whole. timeline: a .json file (for Perfetto) of what each process did when; as for octavo.Job.
    target: chunks, compression, disks of the result. budget: memory, cores and scratch. raw: what is in a file without a header. Their fields can be
    given as keywords instead (``chunks=``, ``cores=``, ``shape=``); octavo.Target, Budget and RawLayout say what they mean.
    unpack: of a source that is packed (``scale_factor``, ``_FillValue`` and the like) True for its values, NaN where one is missing, or False for the stored
    numbers; without either it is refused (UsageError).

    A distributed array (octavo.distributed) is transformed in memory, and so is the result, of its split; it takes ``axes`` and ``norm`` only.

    Gives the result, opened for reading. Raises UsageError, NotSupported, Refused (the least memory that would do is named), IoError;
    KeyboardInterrupt removes what was begun.
    """
    chosen = Whole(memory, target, budget).with_keywords(options)
    return _run(input_of(a, raw, options, unpack), _Transform("fft", s, axes, norm, out, overwrite, timeline), chosen, progress)


@_also_distributed
@known_options("ifftn", JobKeywords)
def ifftn(
    a: SourceLike,
    s: Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    out: TargetLike | None = None,
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
    """The inverse of fftn, as numpy.fft.ifftn; arguments, result and errors as there."""
    chosen = Whole(memory, target, budget).with_keywords(options)
    return _run(input_of(a, raw, options, unpack), _Transform("ifft", s, axes, norm, out, overwrite, timeline), chosen, progress)


@dataclass(frozen=True)
class _Transform:
    """What is asked for, in NumPy's words."""

    operation: str
    s: Sequence[int] | None
    axes: int | Sequence[int] | None
    norm: str | None
    out: TargetLike | None
    overwrite: bool
    timeline: AnyPath | None


def _run(given: Input, asked: _Transform, chosen: JobChoices, progress: bool | None) -> Array:
    if isinstance(asked.s, str | os.PathLike):
        raise UsageError(f"{asked.operation}n with {os.fspath(asked.s)!r} as s, which is NumPy's second argument (extents). Write out={os.fspath(asked.s)!r}")
    if asked.out is None:
        raise UsageError(f"{asked.operation}n without out. The result may be larger than memory: give the path it is to have, such as out='spectrum.zarr'")
    extents = None if asked.s is None else integers(asked.s, "s", -1, given.path)
    axes = None if asked.axes is None else axes_of(asked.axes, given.path)
    if extents is not None and axes is None:
        axes = tuple(range(-len(extents), 0))  # NumPy: the last ones
    more: dict[str, Any] = {"target_as": chosen.target, "budget": chosen.budget, "timeline": asked.timeline}
    job = Job(given, asked.out, asked.operation, axes=axes, norm=asked.norm or "backward", overwrite=asked.overwrite, **more)
    if extents is not None:
        _check_extents(extents, axes or (), job.shape)
    return run(job, progress)


def _check_extents(s: tuple[int, ...], axes: Sequence[int], shape: tuple[int, ...]) -> None:
    if len(s) != len(axes):
        raise UsageError(f"s {s} for the axes {tuple(axes)} of an array of shape {shape}. Give one extent for each axis, or leave s out")
    if any(shape[axis] != extent for extent, axis in zip(s, axes, strict=True)):
        raise NotSupported(f"s {s} is not the shape {shape} along the axes: padding and cropping are not done. Write the array in the wanted shape first")
