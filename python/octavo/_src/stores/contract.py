# SPDX-License-Identifier: Apache-2.0
"""What a store is: an array that another library reads and writes, within a memory that it declares.

>>> store = open_store({"kind": "zarr", "path": "density.zarr"}, writable=False)
>>> if store.read_bytes <= budget:
...     store.read((0, 0, 64), out)  # out: a C-contiguous ndarray of the box's shape, in shared memory
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from octavo._src.paths import shown

Array = npt.NDArray[Any]
Shape = tuple[int, ...]

MIB = 1 << 20
# Units smaller than this are read and written several at a time: a call into a library costs about a millisecond.
GROUP_BYTES = 4 * MIB
GROUP_UNITS = 256
# What the libraries take for themselves during a call: objects, threads' stacks, metadata. Part of read_bytes and write_bytes.
SLACK_BYTES = 8 * MIB
# What an interpreter with NumPy and one of the libraries takes when a store has been opened, in private memory. Besides read_bytes.
PROCESS_BYTES = 64 * MIB
MOST_NAMED = 10  # attributes, in a warning, and characters of each
MOST_NAME = 80


def named(attributes: Sequence[str]) -> str:
    """Their names, as far as a warning has room."""
    return ", ".join(shown(each[:MOST_NAME]) for each in attributes[:MOST_NAMED]) + (", ..." if len(attributes) > MOST_NAMED else "")


class Store(Protocol):
    """An N-D array on disk.

    - S-1  `shape` and `dtype` are the array's; `dtype` is one of Octavo's twelve, of either byte order.
    - S-2  `read_chunk` is the unit that is decoded whole: the chunk, or the inner chunk of a shard. `write_chunk` is the unit that is
           written whole: the chunk, or the shard. Units lie on a grid that begins at the origin; those at the upper edges are cut off.
    - S-3  `read(lo, out)` fills `out`, a C-contiguous ndarray, with the box of its shape that begins at `lo`. Any box within the array may be
           read. Where nothing was written there is the fill value.
    - S-4  `write(lo, block)` stores the box. Any box may be written; elements outside it stay as they are, within a unit too. A box that
           does not cover its units costs reading them.
    - S-5  Elements are converted as by the C++ Converter: any type to itself, real and integer to any floating or complex type,
           complex to complex, single and double into each other. All else is NotSupported, before anything is read or written.
    - S-6  A read takes at most `read_bytes` of memory besides `out`, however large the box; a write at most `write_bytes` besides
           `block`. What a call took is free again when it returns. Holds in a process that called `prepare_server`.
    - S-7  After `flush()` what was written survives a power failure: files and directories are on the disk.
    - S-8  After `close()`, which may be called twice, read, write and flush are UsageErrors. It does not flush to the disk.
    - S-9  `attributes` holds what JSON can; `dimension_names` has a name or None for each dimension, or is None. `packing` holds those of the
           attributes that say how elements are packed, with their types.
    - S-10 Errors are of `octavo.errors` and name the file: IoError for a chunk that cannot be decoded, a disk that is full. The store can
           be used on. A box outside the array is a UsageError, and so is writing to what was opened for reading.

    One thread at a time. Two stores may write to one array when no write unit is touched by both.
    """

    @property
    def shape(self) -> Shape: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def read_chunk(self) -> Shape: ...
    @property
    def write_chunk(self) -> Shape: ...
    @property
    def attributes(self) -> dict[str, Any]: ...
    @property
    def dimension_names(self) -> tuple[str | None, ...] | None: ...
    @property
    def packing(self) -> Mapping[str, Any]: ...
    @property
    def read_bytes(self) -> int: ...
    @property
    def write_bytes(self) -> int: ...
    def read(self, lo: Shape, out: Array) -> None: ...
    def write(self, lo: Shape, block: Array) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


@dataclasses.dataclass(frozen=True)
class StoreInfo:
    """What is known of a store without reading elements. `fill` is as in Zarr v3: a number, "NaN", "Infinity", a pair for complex types."""

    kind: str
    path: str
    shape: Shape
    dtype: str
    big_endian: bool
    read_chunk: Shape
    write_chunk: Shape
    attributes: dict[str, Any]
    dimension_names: tuple[str | None, ...] | None
    read_bytes: int
    write_bytes: int
    fill: Any
    fill_is_missing: bool = False  # Zarr v2 with a fill_value: to xarray an element that has it is missing
    left_out: tuple[str, ...] = ()  # attributes that JSON cannot say
    # Of HDF5: those of the attributes whose type JSON does not say, for a dataset that is to have them as they are.
    typed: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    unpacked: bool = False  # the elements are values, decoded from what is stored
    file: str = ""  # of HDF5: where it lies, behind an external link too
    address: int = 0  # of HDF5: of the dataset in the file, whatever it is called

    @property
    def spec(self) -> dict[str, Any]:
        """What `open_store` needs."""
        return {"kind": self.kind, "path": self.path, **({"unpack": True} if self.unpacked else {})}

    def warn_of_attributes(self) -> None:
        """Names those that are left out, for whoever reads the attributes or hands them on."""
        if self.left_out:
            why = "as JSON cannot say them (complex, empty, a reference, a large array, no UTF-8)"
            text = f"attributes of '{self.path}' are left out, {why}: {named(self.left_out)}"
            warnings.warn(text, stacklevel=2)

    def json_able(self) -> dict[str, Any]:
        """For json.dumps; attributes may hold NaN."""
        return dataclasses.asdict(dataclasses.replace(self, typed={}))
