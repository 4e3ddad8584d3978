# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets that lie in their file in one piece: Octavo reads and writes these itself, at the speed of the disk."""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import numpy as np

from octavo._src.stores.elements import fill_of_json
from octavo._src.stores.failures import told
from octavo._src.stores.hdf5_coordinates import annotate_with
from octavo._src.stores.hdf5_path import dataset_in, split
from octavo._src.stores.new_array import NewDataset

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


def create_flat(file: str, new: NewDataset, filled: bool = True) -> int:
    """Makes the file with one dataset whose space is there at once; the offset of its first element. Elements are the fill value, or zeros where there is
    none, or where all of them will be written: `filled` false."""
    with told(f"making the HDF5 file '{file}'", "Check the path and the disk"):
        with h5py.File(file, "w-", libver="earliest", alignment_threshold=ALIGNMENT, alignment_interval=ALIGNMENT) as opened:
            how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
            links.set_create_intermediate_group(True)
            stored = np.dtype(new.dtype).newbyteorder("<")
            kind = h5py.h5t.py_create(stored, logical=True)
            if new.fill is not None:
                how.set_fill_value(np.asarray(fill_of_json(new.fill, stored), stored))
                how.set_fill_time(h5py.h5d.FILL_TIME_ALLOC if filled else h5py.h5d.FILL_TIME_NEVER)
            made = h5py.Dataset(h5py.h5d.create(opened.id, new.dataset.encode(), kind, h5py.h5s.create_simple(new.shape), dcpl=how, lcpl=links))
            annotate_with(made, new.attributes, new.dimension_names, new.coordinates)
            offset = int(made.id.get_offset())
        with Path(file).open("r+b") as opened_file:  # a full disk shows now
            os.posix_fallocate(opened_file.fileno(), offset, int(np.prod(new.shape)) * stored.itemsize)
            os.fsync(opened_file.fileno())
    return offset
