# SPDX-License-Identifier: Apache-2.0
"""Where the elements of an HDF5 dataset lie in its file: in one piece, or in chunks, encoded by filters that Octavo has itself. Octavo reads these itself, and
writes those in one piece."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py

from octavo import _core
from octavo._src.stores.failures import told
from octavo._src.stores.hdf5.path import dataset_in, opened_to_look, split

MOST_CHUNKS = 1 << 18  # whose places are held
# By the numbers of HDF5's filters, in the only order that is known; of compressors one.
CODECS = {2: "numcodecs.shuffle", 1: "numcodecs.zlib", 32000: "lzf", 3: "numcodecs.fletcher32"}
COMPRESSORS = {1, 32000}


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
    how = dataset.id.get_create_plist()
    if how.get_layout() != h5py.h5d.CONTIGUOUS or how.get_external_count() > 0 or how.get_nfilters() > 0:
        return False
    # The offset alone does not say it: in a file with a user block it is a number also before there is space.
    if dataset.id.get_space_status() != h5py.h5d.SPACE_STATUS_ALLOCATED or dataset.id.get_offset() is None:
        return False
    return is_stored_as_shown(dataset) and dataset.id.get_storage_size() == dataset.size * dataset.id.get_type().get_size()


@dataclass(frozen=True)
class ChunkPlaces:
    """``encoding`` and ``places`` as Storage has them: the filters, and where each chunk lies."""

    file: str
    encoding: str
    places: list[int]


def chunks_of(path: str) -> ChunkPlaces | None:
    """None for a dataset that only HDF5 reads right: filters that are not known, or were left out for a chunk; chunks that are too many, or of which nothing
    says what they hold."""
    file, name = split(path) or (path, "")
    with told(f"opening the HDF5 dataset '{path}'", "Check that it is a whole HDF5 file"), opened_to_look(file) as opened:
        dataset = dataset_in(opened, file, name)
        how, owner = dataset.id.get_create_plist(), dataset.file
        if how.get_layout() != h5py.h5d.CHUNKED or dataset.size == 0 or not hasattr(dataset.id, "chunk_iter"):
            return None
        # What is before a user block, or behind another driver, does not count from the beginning of the file.
        if owner.mode != "r" or owner.userblock_size != 0 or owner.driver != "sec2" or not is_stored_as_shown(dataset):
            return None
        # Where one axis alone can grow, and is not the first, HDF5 2.0 tells the chunks' indices with axes exchanged.
        if dataset.maxshape.count(None) == 1 and dataset.maxshape[0] is not None:
            return None
        codecs = codecs_of(how)
        places = None if codecs is None else _places_of(dataset, bool(codecs))
        if places is None or (0 in places[1::2] and how.get_fill_time() == h5py.h5d.FILL_TIME_NEVER):
            return None
        inode = Path(owner.filename).stat().st_ino
        return ChunkPlaces(str(owner.filename), json.dumps({"codecs": codecs, "inode": inode}), places)


def codecs_of(how: Any) -> list[dict[str, Any]] | None:
    """As Zarr has them; None where one of the filters, or their order, is not known."""
    filters = [how.get_filter(i) for i in range(how.get_nfilters())]
    numbers = [number for number, *_ in filters]
    known = numbers == [number for number in CODECS if number in numbers] and len(COMPRESSORS.intersection(numbers)) < 2
    if not known or any(CODECS[number] not in _core.native_codecs() for number in numbers):
        return None
    said = {1: "level", 2: "elementsize"}  # what the first value of a filter is
    return [{"name": CODECS[number], **({"configuration": {said[number]: values[0]}} if number in said else {})} for number, _, values, _ in filters]


def _places_of(dataset: h5py.Dataset, filtered: bool) -> list[int] | None:
    """Offset and length of each chunk, in C order."""
    chunk, shape = dataset.chunks, dataset.shape
    grid = [-(-extent // each) for extent, each in zip(shape, chunk, strict=True)]
    if math.prod(grid) > MOST_CHUNKS:
        return None
    places, as_they_are, whole = [0] * (2 * math.prod(grid)), True, math.prod(chunk) * dataset.dtype.itemsize

    def take(found: Any) -> None:
        nonlocal as_they_are
        number = 0
        for at, extent, each, count in zip(found.chunk_offset, shape, chunk, grid, strict=True):
            if at >= extent:
                return
            number = number * count + at // each
            # HDF5 may be told not to filter those at the edge, and nothing but their length says so.
            if filtered and at + each > extent and found.size == whole:
                as_they_are = False
        as_they_are = as_they_are and found.filter_mask == 0
        places[2 * number : 2 * number + 2] = found.byte_offset, found.size

    dataset.id.chunk_iter(take)
    return places if as_they_are else None


def is_stored_as_shown(dataset: h5py.Dataset) -> bool:
    return bool(h5py.h5t.py_create(dataset.dtype, logical=True).equal(dataset.id.get_type()))
