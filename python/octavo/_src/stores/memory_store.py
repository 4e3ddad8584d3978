# SPDX-License-Identifier: Apache-2.0
"""A store in the memory of its process, with failures on order: for tests of whoever uses stores.

>>> store = open_store({"kind": "memory", "shape": [8, 8], "chunk": [4, 4], "dtype": "float64", "fail_read": 3}, writable=True)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from octavo._src.stores.contract import SLACK_BYTES, Array, Shape
from octavo._src.stores.elements import supported
from octavo._src.stores.unit_store import UnitStore, nbytes
from octavo.errors import IoError, UsageError

KEYS = {"kind", "path", "shape", "chunk", "shard", "dtype", "fill", "fail_read", "fail_write", "attributes", "dimension_names"}


class MemoryStore(UnitStore):
    """`fail_read`, `fail_write`: the how-manieth call fails, once; 0: none. It then has done nothing. `shard`: the write chunk."""

    def __init__(self, spec: dict[str, Any], writable: bool = True) -> None:
        if unknown := set(spec) - KEYS:
            raise UsageError(f"a store in memory has no {', '.join(sorted(unknown))}. Known are {', '.join(sorted(KEYS))}")
        self._where = f"the store '{spec.get('path', 'in memory')}'"
        self.shape = tuple(spec["shape"])
        self.dtype = supported(np.dtype(spec["dtype"]), self._where)
        self.read_chunk = tuple(spec.get("chunk") or self.shape)
        self.write_chunk = tuple(spec.get("shard") or self.read_chunk)
        self.attributes = dict(spec.get("attributes") or {})
        names = spec.get("dimension_names")
        self.dimension_names = None if names is None else tuple(names)
        self.read_bytes = SLACK_BYTES
        self.write_bytes = nbytes(self.write_chunk, self.dtype) + SLACK_BYTES
        self.data = np.full(self.shape, spec.get("fill", 0), self.dtype)
        self.reads = self.writes = self.flushes = 0
        self._fail_read, self._fail_write = int(spec.get("fail_read", 0)), int(spec.get("fail_write", 0))
        self._writable = writable

    def read(self, lo: Shape, out: Array) -> None:
        self.reads += 1
        if self.reads == self._fail_read:
            raise IoError(f"reading {self._where}: read {self.reads} fails, as its spec says. Remove fail_read")
        super().read(lo, out)

    def write(self, lo: Shape, block: Array) -> None:
        self.writes += 1
        if self.writes == self._fail_write:
            raise IoError(f"writing to {self._where}: write {self.writes} fails, as its spec says. Remove fail_write")
        super().write(lo, block)

    def _read_units(self, lo: Shape, hi: Shape, out: Array) -> None:
        out[...] = self.data[tuple(map(slice, lo, hi))]

    def _write_units(self, lo: Shape, hi: Shape, block: Array) -> None:
        self.data[tuple(map(slice, lo, hi))] = block

    def flush(self) -> None:
        super().flush()
        self.flushes += 1
