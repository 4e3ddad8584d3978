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
from octavo._src.stores.hdf5_path import dataset_in, opened_to_look, split
from octavo._src.stores.new_array import NewDataset

ALIGNMENT = 4096  # a disk block: past the page cache only whole ones are written


def place_of(path: str) -> tuple[str, int] | None:
    """File and offset of a dataset's first element; None for one that only HDF5 reads right: its elements do not lie in the file in one piece, or not yet, or
    not as NumPy has them."""
    file, name = split(path) or (path, "")
    with told(f"opening the HDF5 dataset '{path}'", "Check that it is a whole HDF5 file"), opened_to_look(file) as opened:
        dataset = dataset_in(opened, file, name)
        if not _is_dense(dataset):
            return None
        if dataset.file.mode != "r":  # this program has it open for writing, too
            dataset.file.flush()
        return str(dataset.file.filename), int(dataset.id.get_offset())  # of an external link the file that it leads to


def _is_dense(dataset: h5py.Dataset) -> bool:
    how, kind = dataset.id.get_create_plist(), dataset.id.get_type()
    if how.get_layout() != h5py.h5d.CONTIGUOUS or how.get_external_count() > 0 or how.get_nfilters() > 0:
        return False
    # The offset alone does not say it: in a file with a user block it is a number also before there is space.
    if dataset.id.get_space_status() != h5py.h5d.SPACE_STATUS_ALLOCATED or dataset.id.get_offset() is None:
        return False
    return bool(h5py.h5t.py_create(dataset.dtype, logical=True).equal(kind)) and dataset.id.get_storage_size() == dataset.size * kind.get_size()


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
