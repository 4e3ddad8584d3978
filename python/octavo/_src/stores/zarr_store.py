# SPDX-License-Identifier: Apache-2.0
"""Zarr arrays by zarr-python: every codec it has, sharded and filtered, v2 and v3, in directories.

zarr-python works on many chunks at once and takes the memory for it. Here each call is told to work on one (`bounded`), so that what it
takes can be declared. Memory: zarr_memory.py. Files: zarr_files.py.
"""

from __future__ import annotations

import asyncio
import json
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import zarr
from zarr.core.buffer.cpu import NDBuffer
from zarr.core.sync import sync

from octavo import _core
from octavo._src.paths import shown
from octavo._src.stores.contract import Array, Shape, StoreInfo
from octavo._src.stores.elements import MISSING, attributes_json, fill_json, supported, unsupported
from octavo._src.stores.failures import told
from octavo._src.stores.packing import PACKING, is_mask
from octavo._src.stores.unit_store import UnitStore, index_of, nbytes, parts
from octavo._src.stores.zarr_codecs import check_codecs
from octavo._src.stores.zarr_files import MOST_METADATA, BoundedFiles
from octavo._src.stores.zarr_memory import bounds, chain_of, name_of
from octavo.errors import IoError, NotSupported, UsageError

V2_NAMES = "_ARRAY_DIMENSIONS"  # xarray's attribute for what v3 has in its metadata
DAMAGED = "The file is damaged: restore it, or write it again"
MOST_DIMENSIONS = 8
LITTLE = 256 << 10  # bytes of a chunk, within the slack: waiting until a thread has let go of it takes as long as writing it
SETTINGS = {
    "async.concurrency": 1,
    "codec_pipeline.path": "zarr.core.codec_pipeline.BatchedCodecPipeline",
    "codec_pipeline.batch_size": 1,
    "array.order": "C",
    "array.write_empty_chunks": True,  # looking whether a chunk is empty costs more than compressing it
}


@contextmanager
def bounded() -> Iterator[None]:
    """zarr-python's settings for our calls; the user's are back afterwards. A server has them all the time: setting them takes as long as a small chunk."""
    if all(zarr.config.get(name) == value for name, value in SETTINGS.items()):
        yield
        return
    with zarr.config.set(SETTINGS):
        yield


class ZarrStore(UnitStore):
    """See contract.Store."""

    def __init__(self, path: str, writable: bool) -> None:
        self._where = f"the Zarr array '{path}'"
        root = Path(path)
        zarr_format = _check_metadata(root)
        self._files = BoundedFiles(root, read_only=not writable)
        # UserWarning: of codecs that are in no specification.
        with told(f"opening {self._where}", "Check its metadata"), bounded(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            opened: Any = zarr.open_array(self._files, mode="r+" if writable else "r", zarr_format=zarr_format)
            self.array = opened
            self._files = cast(BoundedFiles, opened.store)
            self.dtype = supported(np.dtype(self.array.dtype), self._where)
            self.shape = tuple(self.array.shape)
            self.read_chunk = _chunk_for(self.shape, self.array.chunks)
            self.write_chunk = _chunk_for(self.shape, self.array.shards or self.array.chunks)
            attributes = dict(self.array.attrs)
        names = attributes.pop(V2_NAMES, None) if zarr_format == 2 else self.array.metadata.dimension_names
        self.dimension_names = _names(names, len(self.shape))
        self.attributes = attributes_json(attributes.items())
        self.packing = self._packing(attributes)
        self._writable = writable
        self._declare()
        _check_chunk_names(path, self.array, self.write_chunk)

    def _packing(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """In Zarr v2 xarray says by the fill value which elements are missing."""
        found = {name: value for name, value in attributes.items() if name in PACKING}
        if is_mask(self._fill_is_missing, self.dimension_names is not None):
            found[MISSING] = self.array.fill_value
        return found

    @property
    def _fill_is_missing(self) -> bool:
        return self.array.metadata.zarr_format == 2 and self.array.fill_value is not None

    def _declare(self) -> None:
        if min((*self.read_chunk, *self.write_chunk), default=1) < 1:
            raise IoError(f"{self._where} has chunks of {self.read_chunk}. Check its metadata")
        chunks = math.prod(shard // chunk for shard, chunk in zip(self.write_chunk, self.read_chunk, strict=True))
        cut = any(extent % chunk for extent, chunk in zip(self.shape, self.write_chunk, strict=True))
        swapped = self.big_endian or getattr(self.array.metadata, "order", "C") == "F"
        unit, shard = nbytes(self.read_chunk, self.dtype), nbytes(self.write_chunk, self.dtype)
        chain = chain_of(self.array)
        self._files.blosc = bool(chain) and name_of(chain[-1]) == "blosc"
        with told(f"opening {self._where}", "Check its codecs"):
            self.read_bytes, self.write_bytes, self._files.most_file, self._files.most_range = bounds(self.array, unit, shard, chunks, swapped, cut)

    @property
    def big_endian(self) -> bool:
        """v2: by the dtype; v3: by the codec that makes bytes."""
        chain = list(getattr(self.array.metadata, "codecs", ()))
        while chain:
            codec = chain.pop()
            chain += getattr(codec, "codecs", ())
            endian = getattr(codec, "endian", None)
            if endian is not None:
                return bool(getattr(endian, "value", endian) == "big")
        return self.dtype.byteorder == ">"

    def _read_units(self, lo: Shape, hi: Shape, out: Array) -> None:
        def one(begin: Shape, end: Shape) -> None:
            part = out[index_of(begin, end, lo)]
            self.array.get_basic_selection(tuple(map(slice, begin, end)), out=NDBuffer.from_numpy_array(part))

        with told(lambda: f"reading '{self._files.last}'", DAMAGED), bounded():
            _together(one, lo, hi, self.read_chunk, self.dtype.itemsize)

    def _write_units(self, lo: Shape, hi: Shape, block: Array) -> None:
        def one(begin: Shape, end: Shape) -> None:
            part = block[index_of(begin, end, lo)]
            self.array.set_basic_selection(tuple(map(slice, begin, end)), np.ascontiguousarray(part, self.dtype).reshape(part.shape))

        with told(lambda: f"writing '{self._files.last}'", "Write it again"), bounded():
            _together(one, lo, hi, self.write_chunk, self.dtype.itemsize)

    def flush(self) -> None:
        super().flush()
        with told(lambda: f"making '{self._files.last}' durable", "See the system's log: the disk may be failing"):
            self._files.sync()

    def info(self, path: str) -> StoreInfo:
        """What describe says."""
        name = self.dtype.newbyteorder("=").name
        fill = fill_json(self.array.fill_value, self.dtype)
        about = (self.read_chunk, self.write_chunk, self.attributes, self.dimension_names, self.read_bytes, self.write_bytes)
        return StoreInfo("zarr", path, self.shape, name, self.big_endian, *about, fill, self._fill_is_missing)


def _together(work: Callable[[Shape, Shape], None], lo: Shape, hi: Shape, unit: Shape, itemsize: int) -> None:
    """All units of the box at once; if that fails, one after the other, so that it is known which file is at fault."""
    try:
        _settled(work, lo, hi, math.prod(unit) * itemsize > LITTLE)
    except Exception:
        units = list(parts(lo, hi, unit))
        if len(units) <= 1:
            raise
        for begin, end in units:
            _settled(work, begin, end, True)


def _settled(work: Callable[[Shape, Shape], None], lo: Shape, hi: Shape, large: bool) -> None:
    """Returns when nothing of the work is left in zarr-python's threads; if all went well, a chunk that is not `large` may be.

    It raises the first failure while its other tasks go on: they must not touch the caller's memory after we have returned. And it
    returns before its threads have let go of the chunk, which the next call's memory would come on top of.
    """
    try:
        work(lo, hi)
    except BaseException:
        sync(_nothing_left())
        raise
    if large:
        sync(_nothing_left())


async def _nothing_left() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.to_thread(int)  # the worker drops what it did last when it takes something else


def _chunk_for(shape: Shape, stored: Shape) -> Shape:
    """As chunk_for in src/data/text/json_fields.hpp: 1 where both are 0."""
    return tuple(1 if extent == 0 == chunk else chunk for extent, chunk in zip(shape, stored, strict=True))


def _check_chunk_names(path: str, array: Any, chunks: Shape) -> None:
    """UsageError where zarr-python would find no chunk, because they are called by the other separator."""
    if max((*array.shape, *chunks), default=0) >= 2**62:
        return  # who opens it is told so
    if array.metadata.zarr_format == 2:
        separator, v2_keys = array.metadata.dimension_separator, True
    else:
        encoding = array.metadata.chunk_key_encoding
        separator, v2_keys = encoding.separator, encoding.name == "v2"
    _core.check_chunk_names(path, list(array.shape), list(chunks), array.metadata.zarr_format, v2_keys, separator)


def _names(names: Any, dims: int) -> tuple[str | None, ...] | None:
    """Names that do not fit the array are none at all."""
    if not isinstance(names, list | tuple) or len(names) != dims:
        return None
    return tuple(None if name is None else str(name) for name in names)


def _check_metadata(root: Path) -> Literal[2, 3]:
    """The format; and what zarr-python would say less well: that it is a zip file, a group, or of a type that Octavo does not have."""
    with told(f"opening the Zarr array '{root}'", "Check its metadata"):
        if root.is_file():
            raise NotSupported(f"'{root}' is a file: Zarr arrays in zip files are not read. Unpack it into a directory")
        if not root.is_dir():
            raise IoError(f"there is no Zarr array '{root}'. Check the path")
        found = next((root / name for name in ("zarr.json", ".zarray") if (root / name).is_file()), None)
        metadata = {} if found is None else _load(found)
        if found is None or metadata.get("node_type") == "group":
            raise _group_error(root)
        check_codecs(metadata, str(found))
        zarr_format: Literal[2, 3] = 3 if found.name == "zarr.json" else 2
        _check_type(metadata.get("data_type" if zarr_format == 3 else "dtype"), zarr_format, f"the Zarr array '{root}'")
        for field in ("shape", "chunks", "dimension_names"):
            if isinstance(listed := metadata.get(field), list) and len(listed) > MOST_DIMENSIONS:
                raise NotSupported(f"'{found}': the field '{field}' has {len(listed)} dimensions; at most {MOST_DIMENSIONS} are supported. Merge dimensions")
        return zarr_format


def _check_type(name: Any, zarr_format: int, where: str) -> None:
    if zarr_format == 3 and isinstance(name, dict):
        name = name.get("name")
    try:
        known = np.dtype(name).newbyteorder("=").name if isinstance(name, str) else ""
    except TypeError:
        known = ""
    if known not in _core.dtypes:
        raise unsupported(json.dumps(name)[:80], where, known)


def _load(path: Path) -> dict[str, Any]:
    if path.stat().st_size > MOST_METADATA:
        raise IoError(f"'{path}' has {path.stat().st_size} bytes, which no metadata has. Check the file")
    with told(f"reading '{path}'", "Mend this metadata, or write the array again"):  # also what is nested too deep
        found = json.loads(path.read_bytes())
    if not isinstance(found, dict):
        raise IoError(f"'{path}' holds no JSON object. Check the file")
    return found


def _group_error(root: Path) -> UsageError:
    inside = sorted(each.parent.name for name in ("zarr.json", ".zarray") for each in root.glob(f"*/{name}"))[:10]
    cure = f"Name one of the arrays in it: {', '.join(map(shown, inside))}" if inside else "Name the directory of an array"
    return UsageError(f"'{root}' is not a Zarr array. {cure}")
