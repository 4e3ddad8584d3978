# SPDX-License-Identifier: Apache-2.0
"""The N-D Fourier transform of arrays on disk within a memory budget, with NumPy's argument names.

>>> spectrum = octavo.fft.fftn("density.zarr", out="spectrum.zarr", memory="2GiB")
>>> spectrum[0, 0, 0]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from octavo._src.given import source_of
from octavo._src.options import known_options
from octavo._src.paths import AnyPath
from octavo._src.running import run
from octavo.errors import NotSupported, UsageError
from octavo.job import OPTIONS, Job, Progress, Report

if TYPE_CHECKING:
    from octavo.array import Array

__all__ = ["Job", "Progress", "Report", "fftn", "ifftn"]


@known_options("fftn", OPTIONS)
def fftn(
    a: AnyPath | Array | npt.NDArray[Any],
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: AnyPath | None = None,
    *,
    memory: int | str = "1GiB",
    progress: bool | None = None,
    overwrite: bool = False,
    **target: Any,
) -> Array:
    """The discrete Fourier transform of ``a`` over ``axes`` (all if None), as numpy.fft.fftn; the result is an array on disk.

    a: an octavo.Array, a path, or a numpy.memmap: any shape of 1 to 8 axes. A line along each transformed axis must fit into memory about six
    times. Single precision gives complex64, all else complex128.
    s: must be None or the extents along the axes: padding and cropping are not done. norm: "backward" (None), "ortho", "forward".
    out: where the result is made; the ending is the format (.zarr, .h5, .npy, .raw, .octavo). memory: bytes or text such as "2GiB", for all
    processes together. progress: a bar on the terminal or in a notebook; None where there is one. overwrite: replace what is at ``out``, once
    the new array is whole. More (chunks, compressor, level, shards, zarr_format, devices, map, scratch, cores; shape, dtype, offset,
    big_endian of a raw file): see octavo.Job.

    Gives the result, opened for reading. Raises UsageError, NotSupported, Refused (the least memory that would do is named), IoError;
    KeyboardInterrupt removes what was begun.
    """
    return _transform("fft", a, s, axes, norm, out, memory, progress, overwrite, target)


@known_options("ifftn", OPTIONS)
def ifftn(
    a: AnyPath | Array | npt.NDArray[Any],
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: AnyPath | None = None,
    *,
    memory: int | str = "1GiB",
    progress: bool | None = None,
    overwrite: bool = False,
    **target: Any,
) -> Array:
    """The inverse of fftn, as numpy.fft.ifftn; arguments, result and errors as there."""
    return _transform("ifft", a, s, axes, norm, out, memory, progress, overwrite, target)


def _transform(
    operation: str,
    a: AnyPath | Array | npt.NDArray[Any],
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: str | None,
    out: AnyPath | None,
    memory: int | str,
    progress: bool | None,
    overwrite: bool,
    target: dict[str, Any],
) -> Array:
    if out is None:
        raise UsageError(f"{operation}n without out. The result may be larger than memory: give the path it is to have, such as out='spectrum.zarr'")
    given = source_of(a)
    chosen = range(-len(s), 0) if s is not None and axes is None else axes  # NumPy: the last ones
    job = Job(given.path, out, operation, axes=chosen, norm=norm or "backward", memory=memory, overwrite=overwrite, **given.layout, **target)
    if s is not None:
        _check_extents(tuple(s), range(len(job.shape)) if chosen is None else chosen, job.shape)
    return run(job, progress)


def _check_extents(s: tuple[int, ...], axes: Sequence[int], shape: tuple[int, ...]) -> None:
    if len(s) != len(axes):
        raise UsageError(f"s {s} for the axes {tuple(axes)} of an array of shape {shape}. Give one extent for each axis, or leave s out")
    if any(shape[axis] != extent for extent, axis in zip(s, axes, strict=True)):
        raise NotSupported(f"s {s} is not the shape {shape} along the axes: padding and cropping are not done. Write the array in the wanted shape first")
