# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets by h5py: contiguous, compact and chunked, every filter that HDF5 has, netCDF-4 too.

HDF5 goes through the chunks of a box one by one. Its caches, for raw data and for metadata, are held small: what it takes is then a few
copies of one chunk (`_declare`, checked by tests/python/stores/test_stores_memory.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from octavo._src.sharing.hdf5_lock import locking_for
from octavo._src.stores.contract import GROUP_BYTES, MIB, SLACK_BYTES, Array, Shape, StoreInfo
from octavo._src.stores.elements import UNSAID, attributes_json, fill_json, supported, unsupported
from octavo._src.stores.failures import told
from octavo._src.stores.hdf5.annotate import as_read, as_written, attributes_of
from octavo._src.stores.hdf5.encode import encoder_of
from octavo._src.stores.hdf5.path import ONLY_A_DIMENSION, UNNAMED, check_kind, dataset_in, is_only_a_dimension, split
from octavo._src.stores.packing import PACKING
from octavo._src.stores.unit_store import UnitStore, index_of, nbytes, rows_of
from octavo.errors import IoError, NotSupported, UsageError

PAIRS = ({"r", "i"}, {"real", "imag"}, {"re", "im"})  # what writers call the parts of a complex number
METADATA_CACHE = 2 * MIB
# HDF5's own, lzf, and those of hdf5plugin: of these numbers HDF5 may load a library from HDF5_PLUGIN_PATH, of no others.
FILTERS = {1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32008, 32013, 32015, 32017, 32018, 32024, 32026, 32028}
DAMAGED = "The file is damaged: restore it, or write it again"


class Hdf5Store(UnitStore):
    """See contract.Store."""

    _writes_parts = True  # HDF5 does so itself, a chunk at a time

    def __init__(self, path: str, writable: bool, locked: bool = False) -> None:
        """``locked``: the program that this one serves has HDF5's lock on the file, and keeps it for as long as this is open."""
        self._file_name, name = split(path) or (path, "")
        self._lies_in = self._file_name
        self._where = f"the HDF5 dataset '{path}'"
        if not Path(self._file_name).exists():
            raise IoError(f"opening {self._where}: there is no such file. Check the path")
        check_kind(self._file_name)
        with told(f"opening {self._where}", "Check that it is a whole HDF5 file"):
            locking = False if locked else locking_for(self._file_name)
            self._file = h5py.File(self._file_name, "r+" if writable else "r", rdcc_nbytes=0, rdcc_nslots=1, locking=locking)
        try:
            with told(f"opening {self._where}", DAMAGED):
                _hold_metadata_cache(self._file)
                self._dataset = dataset_in(self._file, self._file_name, name)
                self._follow_link()
                self._describe()
        except BaseException:
            self._file.close()
            raise
        self._writable = writable

    def _follow_link(self) -> None:
        """Behind an external link: the file that the dataset lies in is the one to be flushed, synced and closed."""
        file = self._dataset.file
        if file.filename == self._file.filename:
            return
        self._file.close()
        self._file, self._lies_in = file, str(file.filename)
        _hold_metadata_cache(file)

    def _describe(self) -> None:
        dataset = self._dataset
        try:
            stored = dataset.dtype
        except TypeError as failure:  # a type that NumPy does not have
            raise unsupported(str(failure), self._where) from failure
        self._stored = stored
        self.dtype = supported(_complex_of(stored) or stored, self._where)
        if dataset.shape is None:
            raise NotSupported(f"{self._where} is empty: it has no shape. Name another dataset")
        if dataset.is_virtual:
            raise NotSupported(f"{self._where} is a virtual dataset. Copy it into a dataset of its own, or name those that it is made of")
        self._check_filters()
        self.shape = tuple(dataset.shape)
        self.read_chunk = self.write_chunk = tuple(dataset.chunks or rows_of(self.shape, self.dtype.itemsize, GROUP_BYTES))
        given = attributes_of(dataset)
        attributes = {key: as_read(value) for key, value in given.items()}
        self.attributes = attributes_json(attributes.items())
        kept = {key: as_written(given[key]) for key in self.attributes}
        self._typed = {key: value for key, value in kept.items() if value is not UNSAID}
        self.packing = {key: value for key, value in attributes.items() if key in PACKING and value is not UNSAID}
        self._left_out = tuple(key for key in given if key not in self.attributes)
        self.dimension_names = _dimension_names(dataset)
        self._declare()

    def _declare(self) -> None:
        unit = nbytes(self.read_chunk, self.dtype)
        filters = self._dataset.id.get_create_plist().get_nfilters()
        temporary = max(unit, GROUP_BYTES)  # where h5py does not convert by itself
        # Stored, decoded, and what a filter makes of it.
        self.read_bytes = temporary + (3 * unit if filters else unit) + METADATA_CACHE + SLACK_BYTES
        self.write_bytes = self.read_bytes
        self._encoder = encoder_of(self._dataset)
        if self._encoder:
            self._write_group_bytes = self._encoder.group_bytes
            self.write_bytes = max(self.write_bytes, self._encoder.working_bytes + METADATA_CACHE + SLACK_BYTES)

    def _check_filters(self) -> None:
        plist = self._dataset.id.get_create_plist()
        for i in range(plist.get_nfilters()):
            code, _, _, name = plist.get_filter(i)
            if code not in FILTERS:  # before HDF5 looks for a library of that number
                text = name.decode(errors="replace")[:80]
                raise NotSupported(f"{self._where} is compressed by filter {code} ({text}), which Octavo does not know. Write it again with another, by h5py")
            if not h5py.h5z.filter_avail(code) and not has_plugins(code):
                text = name.decode(errors="replace")
                raise NotSupported(f"{self._where} is compressed by filter {code} ({text}), which this HDF5 does not have. Run: pip install hdf5plugin")

    def _read_units(self, lo: Shape, hi: Shape, out: Array) -> None:
        box = tuple(map(slice, lo, hi))
        with told(f"reading {self._where}", DAMAGED):
            if out.dtype == self._stored and out.flags.c_contiguous and out.ndim:
                self._dataset.read_direct(out, box)
                return
            read = np.empty(out.shape, self._stored)
            if out.ndim:
                self._dataset.read_direct(read, box)
            else:
                read[...] = self._dataset[()]
            out[...] = read.view(self.dtype)

    def _write_units(self, lo: Shape, hi: Shape, block: Array) -> None:
        with told(f"writing {self._where}", "Write it again"):
            rest = [(lo, hi)]
            if self._encoder:
                rest = self._encoder.write(lo, hi, block.astype(self.dtype, copy=False).view(self._stored))
            for begin, end in rest:
                given = block[index_of(begin, end, lo)]
                given = np.ascontiguousarray(given, self.dtype).reshape(given.shape).view(self._stored)
                if given.ndim:
                    self._dataset.write_direct(given, None, tuple(map(slice, begin, end)))
                else:
                    self._dataset[()] = given[()]
            # What is written must be there however its program ends: HDF5 else keeps the index of the chunks in memory.
            self._file.flush()

    def flush(self) -> None:
        super().flush()
        with told(f"flushing {self._where}", "Write it again"):
            self._file.flush()
            for path in (Path(self._lies_in), Path(self._lies_in).absolute().parent):
                with _opened(path) as descriptor:
                    os.fsync(descriptor)

    def close(self) -> None:
        if not self._closed:
            super().close()
            if self._encoder:
                self._encoder.close()
            with told(f"closing {self._where}", "Write it again"):
                self._file.close()

    @property
    def path(self) -> str:
        """With the name of the dataset, whether it was given or not."""
        return self._lies_in + str(self._dataset.name)

    def info(self) -> StoreInfo:
        """What describe says."""
        with told(f"reading the fill value of {self._where}", DAMAGED):
            fill = fill_json(np.asarray(self._dataset.fillvalue, self._stored).view(self.dtype), self.dtype)
        big = self.dtype.newbyteorder("=") != self.dtype
        about = (self.read_chunk, self.write_chunk, self.attributes, self.dimension_names, self.read_bytes, self.write_bytes)
        name = self.dtype.newbyteorder("=").name
        more: dict[str, Any] = {"typed": self._typed, "file": self._lies_in, "address": int(h5py.h5o.get_info(self._dataset.id).addr)}
        return StoreInfo("hdf5", self.path, self.shape, name, big, *about, fill, left_out=self._left_out, **more)


def has_plugins(code: int) -> bool:
    """Whether hdf5plugin is there, and brings this filter."""
    try:
        import hdf5plugin  # noqa: F401  (registers its filters)
    except ImportError:
        return False
    return bool(h5py.h5z.filter_avail(code))


def _complex_of(stored: np.dtype[Any]) -> np.dtype[Any] | None:
    """The complex type that a compound of two floats is, if its fields are called so and lie beside each other."""
    if stored.names is None or len(stored.names) != 2 or not any({name.lower() for name in stored.names} == pair for pair in PAIRS):
        return None
    (real, at), (imaginary, after) = (stored.fields[name][:2] for name in stored.names)  # type: ignore[index]
    in_order = stored.names[0].lower().startswith("r") and at == 0 and after == real.itemsize and stored.itemsize == 2 * real.itemsize
    if real != imaginary or real.kind != "f" or real.itemsize not in (4, 8) or not in_order:
        return None
    return np.dtype(f"{real.byteorder}c{stored.itemsize}")


def _dimension_names(dataset: Any) -> tuple[str | None, ...] | None:
    """The label of each dimension, else the name of its scale, as netCDF-4 has it."""
    names: list[str | None] = []
    for dimension in dataset.dims:
        scale = dimension.keys()[0] if not dimension.label and len(dimension) else ""
        if scale.startswith(ONLY_A_DIMENSION):  # netCDF's dimension is called as its scale lies in the file
            scale = ""
        name = dimension.label or scale or (str(dimension[0].name).rsplit("/", 1)[-1] if len(dimension) else "")
        names.append(None if not name or (name.startswith(UNNAMED) and is_only_a_dimension(dimension[0])) else name)
    return tuple(names) if any(names) else None


def _hold_metadata_cache(file: Any) -> None:
    config = file.id.get_mdc_config()
    config.set_initial_size, config.initial_size = True, MIB
    config.min_size, config.max_size = MIB, METADATA_CACHE
    file.id.set_mdc_config(config)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def check_name(path: str, name: str) -> None:
    """A name within a file that can be created."""
    if not name or any(part in ("", ".", "..") for part in name.strip("/").split("/")):
        raise UsageError(f"'{path}': no name for the dataset. Give dataset='data', say")
