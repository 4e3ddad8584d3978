# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets that lie in their file in one piece: Octavo reads and writes these itself, at the speed of the disk."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from octavo._src.stores.failures import told
from octavo._src.stores.hdf5_path import dataset_in, split

ALIGNMENT = 4096  # a disk block: past the page cache only whole ones are written


def place_of(path: str) -> tuple[str, int] | None:
    """File and offset of a dataset's first element; None if it is chunked, compact, external or not there yet, or filters change it."""
    file, name = split(path) or (path, "")
    with told(f"opening the HDF5 dataset '{path}'", "Check that it is a whole HDF5 file"), h5py.File(file, "r") as opened:
        dataset = dataset_in(opened, file, name)
        offset = dataset.id.get_offset()
        if dataset.chunks is not None or dataset.external or dataset.is_virtual or offset is None:
            return None
        return file, int(offset)


def create_flat(file: str, name: str, shape: Sequence[int], dtype: str, attributes: dict[str, Any], dimension_names: Sequence[str | None] | None) -> int:
    """Makes the file with one dataset whose space is there at once; the offset of its first element. Elements are zeros."""
    with told(f"making the HDF5 file '{file}'", "Check the path and the disk"):
        with h5py.File(file, "w-", libver="earliest", alignment_threshold=ALIGNMENT, alignment_interval=ALIGNMENT) as opened:
            how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
            links.set_create_intermediate_group(True)
            kind = h5py.h5t.py_create(np.dtype(dtype).newbyteorder("<"), logical=True)
            made = h5py.Dataset(h5py.h5d.create(opened.id, name.encode(), kind, h5py.h5s.create_simple(tuple(shape)), dcpl=how, lcpl=links))
            name_and_annotate(made, attributes, dimension_names)
            offset = int(made.id.get_offset())
        with Path(file).open("r+b") as opened_file:  # a full disk shows now
            os.posix_fallocate(opened_file.fileno(), offset, int(np.prod(shape)) * np.dtype(dtype).itemsize)
            os.fsync(opened_file.fileno())
    return offset


def name_and_annotate(made: h5py.Dataset, attributes: dict[str, Any], dimension_names: Sequence[str | None] | None) -> None:
    """Labels of the dimensions, and attributes: as HDF5 holds them; what it cannot hold (objects, null, lists of several types, what is too
    large for its header) as JSON text. Left out is what has no name, or one with a NUL in it."""
    for key, value in attributes.items():
        if key == "" or "\0" in key:
            continue
        try:
            made.attrs[key] = value
        except (TypeError, ValueError, RuntimeError, OSError):
            made.attrs[key] = json.dumps(value)
    for dimension, label in zip(made.dims, dimension_names or [None] * len(made.shape), strict=True):
        if label is not None:
            dimension.label = label
