# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets that lie in their file in one piece: Octavo reads and writes these itself, at the speed of the disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from octavo._src.stores.elements import fill_of_json
from octavo._src.stores.failures import told
from octavo._src.stores.hdf5_coordinates import annotate_with
from octavo._src.stores.hdf5_path import dataset_in, split

if TYPE_CHECKING:
    from octavo._src.coordinates import Coordinate

ALIGNMENT = 4096  # a disk block: past the page cache only whole ones are written


def place_of(path: str) -> tuple[str, int] | None:
    """File and offset of a dataset's first element; None if it is chunked, compact, external or not there yet, or filters change it."""
    file, name = split(path) or (path, "")
    with told(f"opening the HDF5 dataset '{path}'", "Check that it is a whole HDF5 file"), h5py.File(file, "r") as opened:
        dataset = dataset_in(opened, file, name)
        offset = dataset.id.get_offset()
        if dataset.chunks is not None or dataset.external or dataset.is_virtual or offset is None:
            return None
        return str(dataset.file.filename), int(offset)  # of an external link the file that it leads to


def create_flat(
    file: str,
    name: str,
    shape: Sequence[int],
    dtype: str,
    attributes: dict[str, Any],
    dimension_names: Sequence[str | None] | None,
    fill: Any = None,
    *,
    filled: bool = True,
    coordinates: Sequence[Coordinate] = (),
) -> int:
    """Makes the file with one dataset whose space is there at once; the offset of its first element. Elements are `fill` (as fill_json has it), or zeros
    where there is none, or where all of them will be written: `filled` false. `coordinates` are copied beside it."""
    with told(f"making the HDF5 file '{file}'", "Check the path and the disk"):
        with h5py.File(file, "w-", libver="earliest", alignment_threshold=ALIGNMENT, alignment_interval=ALIGNMENT) as opened:
            how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
            links.set_create_intermediate_group(True)
            stored = np.dtype(dtype).newbyteorder("<")
            kind = h5py.h5t.py_create(stored, logical=True)
            if fill is not None:
                how.set_fill_value(np.asarray(fill_of_json(fill, stored), stored))
                how.set_fill_time(h5py.h5d.FILL_TIME_ALLOC if filled else h5py.h5d.FILL_TIME_NEVER)
            made = h5py.Dataset(h5py.h5d.create(opened.id, name.encode(), kind, h5py.h5s.create_simple(tuple(shape)), dcpl=how, lcpl=links))
            annotate_with(made, attributes, dimension_names, coordinates)
            offset = int(made.id.get_offset())
        with Path(file).open("r+b") as opened_file:  # a full disk shows now
            os.posix_fallocate(opened_file.fileno(), offset, int(np.prod(shape)) * np.dtype(dtype).itemsize)
            os.fsync(opened_file.fileno())
    return offset
