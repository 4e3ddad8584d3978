# SPDX-License-Identifier: Apache-2.0
"""What can be chosen beside an array and its place, in three values that jobs, octavo.fft, copy, create_array, open_array and the command share.

>>> packed = octavo.Target(chunks=(64, 64, 64), compressor="zstd", level=5)
>>> octavo.fft.fftn("density.zarr", out="spectrum.zarr", target=packed, budget=octavo.Budget("2GiB", cores=4))
>>> octavo.open_array("camera.dat", raw=octavo.RawLayout((128, 96, 80), ">f4", offset=512))

Each field can be given by itself as well, as a keyword of the same name: ``fftn(..., chunks=(64, 64, 64), cores=4)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypedDict

if TYPE_CHECKING:  # NumPy, which octavo --help need not wait for
    import numpy.typing as npt

    from octavo._src.paths import AnyPath


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a new array is to be, beyond its path, whose ending is the format. What a format does not have is refused when it is made (UsageError).

    chunks: elements along each axis of a chunk of .zarr or .h5, or a page of .octavo; None: chosen (of a copy: the source's).
    compressor: zstd, gzip, blosc or lz4, for .zarr and .h5, or a mapping with ``name`` and ``level``; None: not compressed.
    level: of the compressor, in its own scale; None: its usual one.
    shards: elements along each axis of a shard of .zarr, a multiple of ``chunks``; None: no shards.
    zarr_format: 2 or 3, as in zarr-python; None: that of the Zarr group that the path lies in, else 3.
    devices: of an .octavo array, a directory on each disk; None: within the array's own directory.
    map: which page of an .octavo array goes to which device: circulant, block_cyclic, or block_cyclic:N for blocks of N pages.
    """

    chunks: Sequence[SupportsIndex] | None = None
    compressor: str | Mapping[str, Any] | None = None
    level: int | None = None
    shards: Sequence[SupportsIndex] | None = None
    zarr_format: Literal[2, 3] | None = None
    devices: Sequence[AnyPath] | None = None
    map: str = "circulant"

    def __post_init__(self) -> None:
        _fix(self, "chunks", "shards", "devices")


@dataclass(frozen=True)
class RawLayout:
    """What is in a file without a header.

    shape: elements along each axis, in C order; one integer is one axis. dtype: what NumPy knows as int8 to uint64, float32, float64, complex64
    or complex128; ``">f4"`` says the byte order, too. offset: bytes before the first element. big_endian: the elements' byte order.
    part: whether more may follow the array in the file; else the file must end with it.
    """

    shape: SupportsIndex | Sequence[SupportsIndex]
    dtype: npt.DTypeLike
    offset: int = 0
    big_endian: bool = False
    part: bool = False

    def __post_init__(self) -> None:
        _fix(self, "shape")


@dataclass(frozen=True)
class Budget:
    """What a job may use.

    memory: of all its processes together, in bytes or as text such as "2GiB"; None: 1 GiB, or half of what there is, if that is less. cores: to plan for;
    None: those this program may use. scratch: a directory for an intermediate array, where the plan needs one; None: beside the target. Of a target
    that is an array of processes one on the machine of its first device; None: beside a file of its devices there.
    """

    memory: int | str | None = None
    cores: int | None = None
    scratch: AnyPath | None = None


class TargetKeywords(TypedDict, total=False):
    """The fields of Target as keywords."""

    chunks: Sequence[SupportsIndex] | None
    compressor: str | Mapping[str, Any] | None
    level: int | None
    shards: Sequence[SupportsIndex] | None
    zarr_format: Literal[2, 3] | None
    devices: Sequence[AnyPath] | None
    map: str


class RawKeywords(TypedDict, total=False):
    """The fields of RawLayout as keywords."""

    shape: SupportsIndex | Sequence[SupportsIndex] | None
    dtype: npt.DTypeLike | None
    offset: int
    big_endian: bool
    part: bool


class JobKeywords(TargetKeywords, RawKeywords, total=False):
    """Those two, and the fields of Budget but ``memory``, which all that run a job have as a parameter."""

    cores: int | None
    scratch: AnyPath | None


def _fix(options: Target | RawLayout, *names: str) -> None:
    """A list becomes a tuple: what was given can then be compared, hashed, and not be changed from elsewhere."""
    for name in names:
        value = getattr(options, name)
        if isinstance(value, Iterable) and not isinstance(value, str | bytes):
            object.__setattr__(options, name, tuple(value))
