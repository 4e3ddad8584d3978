# SPDX-License-Identifier: Apache-2.0
"""Whole chunks of an HDF5 dataset, encoded by Octavo on all cores, and given to HDF5 as they are to lie in the file. HDF5 encodes on one core, with zlib."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import h5py
import numpy as np

from octavo import _core
from octavo._src.stores.contract import GROUP_BYTES, MIB, Array, Shape
from octavo._src.stores.hdf5.place import codecs_of, is_stored_as_shown
from octavo._src.stores.unit_store import index_of, nbytes, parts

FILTERS_OF_ONE_SIZE = frozenset(("shuffle", "fletcher32"))
CHECKSUM_BYTES = 4  # of fletcher32
LARGEST_OF_TWO = 16 * MIB  # a larger chunk is encoded alone: its memory counts


def encoder_of(dataset: h5py.Dataset) -> ChunkEncoder | None:
    """None where HDF5 alone writes right: no filters, or others than those that Octavo has; elements that are stored in another way than NumPy has them."""
    how = dataset.id.get_create_plist()
    if how.get_layout() != h5py.h5d.CHUNKED or dataset.size == 0 or not is_stored_as_shown(dataset):
        return None
    codecs = codecs_of(how)
    return ChunkEncoder(dataset, codecs) if codecs else None


class ChunkEncoder:
    """One thread uses it; its own threads encode."""

    def __init__(self, dataset: h5py.Dataset, codecs: list[dict[str, Any]]) -> None:
        self._dataset, self._codecs, self._chunk = dataset, json.dumps(codecs), tuple(dataset.chunks)
        self._unit = nbytes(self._chunk, dataset.dtype)
        self._room_bytes = _core.most_encoded(self._codecs, self._unit)
        names = [each["name"] for each in codecs]
        sums = CHECKSUM_BYTES * names.count("fletcher32")
        self._not_smaller = self._unit + sums if set(names) - FILTERS_OF_ONE_SIZE else self._room_bytes + 1
        self._cores = len(os.sched_getaffinity(0))
        self._most_under_way = 2 * self._cores  # a thread that is done finds the next
        self._threads: ThreadPoolExecutor | None = None

    @property
    def group_bytes(self) -> int:
        """Of the chunks that are to be written at once, so that each core has one."""
        return max(GROUP_BYTES, min(2, self._cores) * self._unit if self._unit <= LARGEST_OF_TWO else self._unit)

    @property
    def working_bytes(self) -> int:
        """Of each chunk under way: in one piece, shuffled, encoded; of each thread what its codecs work with."""
        under_way = min(self._most_under_way, self.group_bytes // self._unit)
        return under_way * (2 * self._unit + self._room_bytes) + min(under_way, self._cores) * MIB

    def write(self, lo: Shape, hi: Shape, block: Array) -> list[tuple[Shape, Shape]]:
        """``block`` is as the dataset stores it. The boxes that it did not write: parts of chunks, chunks that the edge cuts off, of which HDF5 alone knows
        whether its filters are for them, and those that HDF5 keeps unencoded, or kept: it forgets which filters a chunk has that is replaced by one as long."""
        whole: list[tuple[Shape, Shape]] = []
        rest: list[tuple[Shape, Shape]] = []
        for begin, end in parts(lo, hi, self._chunk):
            is_whole = all(to - at == each for at, to, each in zip(begin, end, self._chunk, strict=True))
            (whole if is_whole else rest).append((begin, end))
        chunks = (block[index_of(begin, end, lo)] for begin, end in whole)
        for (begin, end), made in zip(whole, self._encoded(chunks, len(whole)), strict=True):
            if made.size >= self._not_smaller or self._is_kept_unencoded(begin):
                rest.append((begin, end))
            else:
                self._dataset.id.write_direct_chunk(begin, made)
        return rest

    def _is_kept_unencoded(self, begin: Shape) -> bool:
        """By some of its filters."""
        before = self._dataset.id.get_chunk_info_by_coord(begin)
        return before.byte_offset is not None and before.filter_mask != 0  # of one that was never written HDF5 gives any mask

    def _encoded(self, chunks: Iterator[Array], count: int) -> Iterator[Array]:
        """In their order, some ahead."""
        if count <= 1 or self._cores == 1:
            yield from map(self._encode, chunks)
            return
        self._threads = self._threads or ThreadPoolExecutor(self._cores, "octavo-encode")
        ahead: deque[Future[Array]] = deque()
        for chunk in chunks:
            if len(ahead) == self._most_under_way:
                yield ahead.popleft().result()
            ahead.append(self._threads.submit(self._encode, chunk))
        while ahead:
            yield ahead.popleft().result()

    def _encode(self, chunk: Array) -> Array:
        room = np.empty(self._room_bytes, np.uint8)
        return room[: _core.encode_chunk(self._codecs, np.ascontiguousarray(chunk).reshape(-1).view(np.uint8), room)]

    def close(self) -> None:
        """Ends its threads."""
        if self._threads:
            self._threads.shutdown()
