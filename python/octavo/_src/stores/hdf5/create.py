# SPDX-License-Identifier: Apache-2.0
"""Makes HDF5 datasets by h5py, in a new file or in one that is there; and the files of those that Octavo itself writes, in one piece."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from octavo._src.stores.contract import Shape, StoreInfo
from octavo._src.stores.elements import fill_of_json
from octavo._src.stores.failures import told
from octavo._src.stores.hdf5.coordinates import annotate_with
from octavo._src.stores.hdf5.path import split
from octavo._src.stores.hdf5.store import Hdf5Store, check_name, has_plugins
from octavo._src.stores.new_array import NewDataset
from octavo.errors import IoError, NotSupported, UsageError

ALIGNMENT = 4096  # a disk block: past the page cache only whole ones are written
PLUGINS = {"zstd": 32015, "lz4": 32004, "blosc": 32001}
COMPRESSORS = ("gzip", "lzf", "none", *PLUGINS)


def create(path: str, new: NewDataset) -> StoreInfo:
    """A dataset of its fill value (None: zeros), little-endian. The file is made if it is not there; `path` may end in anything (a temporary name) if
    `new.dataset` is given."""
    file, name = (path, new.dataset) if new.dataset and not Path(path).is_dir() else split(path) or (path, "")
    name = name or "data"
    where = f"the HDF5 dataset '{file}/{name}'"
    check_name(path, name)
    kind = new.stored_type(where)
    if new.shards is not None:
        raise NotSupported(f"making {where}: HDF5 has no shards. Leave them out")
    _check_chunks(where, new.shape, new.chunks, new.compressor)
    options = _compression(new.compressor, new.level, where) if new.compressor != "none" else {}
    if new.compressor == "none" and new.level is not None:
        raise UsageError(f"making {where}: level {new.level} without a compressor. Name one, or leave the level out")
    with told(f"making {where}", "Check the path"), h5py.File(file, "a", rdcc_nbytes=0, rdcc_nslots=1) as opened:
        if name in opened:
            raise IoError(f"making {where}: there is something of that name already. Choose another name, or remove it")
        if new.fill is not None:
            options["fillvalue"] = fill_of_json(new.fill, kind)
        made = opened.create_dataset(name, new.shape, kind, chunks=new.chunks, **options)
        annotate_with(made, new.attributes, new.dimension_names, new.coordinates)
    store = Hdf5Store(f"{file}/{name}", writable=True)
    try:
        store.flush()
        return store.info()
    finally:
        store.close()


def _check_chunks(where: str, shape: Shape, chunks: Shape | None, compressor: str) -> None:
    if chunks is None:
        if compressor != "none":
            raise UsageError(f"making {where}: the compressor {compressor} without chunks. Give chunks")
    elif len(chunks) != len(shape) or any(not 1 <= chunk <= max(1, extent) for chunk, extent in zip(chunks, shape, strict=True)):
        raise UsageError(f"making {where} of shape {shape}: chunks of {chunks}. Give an extent from 1 to the array's for each dimension")


def _compression(name: str, level: int | None, where: str) -> dict[str, Any]:
    """Arguments of create_dataset."""
    if name not in COMPRESSORS:
        raise NotSupported(f"making {where}: HDF5 with the compressor {name!r}. There are {', '.join(COMPRESSORS)}")
    most = {"gzip": 9, "zstd": 22, "blosc": 9}.get(name, 0)
    if level is not None and not (1 if name == "zstd" else 0) <= level <= most:
        raise UsageError(f"making {where}: level {level} of {name}. " + (f"Give one up to {most}" if most else "It has no levels: leave it out"))
    if name == "gzip":
        return {"compression": "gzip", "compression_opts": 4 if level is None else level, "shuffle": True}
    if name == "lzf":
        return {"compression": "lzf", "shuffle": True}
    if not has_plugins(PLUGINS[name]):
        raise NotSupported(f"making {where}: this HDF5 does not have the compressor {name}. Run: pip install hdf5plugin")
    import hdf5plugin

    if name == "zstd":
        return dict(hdf5plugin.Zstd(clevel=3 if level is None else level))
    return dict(hdf5plugin.LZ4()) if name == "lz4" else dict(hdf5plugin.Blosc(cname="lz4", clevel=5 if level is None else level))


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
