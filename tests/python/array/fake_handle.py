# SPDX-License-Identifier: Apache-2.0
"""octavo._core.ArrayHandle in memory, as strict as its contract: it counts calls and bytes, and can be of any size. Real ones: test_array_real.py."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
import octavo
from octavo import array
from octavo._src import open_create
from octavo._src.open_create import Creation, Opening

Elements = npt.NDArray[Any]


def converts(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """What the handle promises: the same, integers to float and complex, and what loses nothing."""
    if source == target:
        return True
    return target.name in ("float32", "float64", "complex64", "complex128") and (source.kind in "iu" or np.can_cast(source, target, "safe"))


class FakeHandle:
    """Keeps ``data``; counts its calls and their largest array. With ``keep=False`` nothing is kept: arrays of any size."""

    def __init__(self, data: Elements, page: list[int] | None = None, *, writable: bool = True, path: str = "/fake/a.zarr", keep: bool = True) -> None:
        self.data = data
        self.keep = keep
        self.path = path
        self.format = "zarr"
        self.shape = list(data.shape)
        self.page = page or [max(1, extent // 3) for extent in data.shape]
        self.dtype = data.dtype.name
        self.writable = writable
        self.attributes_json = self.dimension_names_json = self.fill_json = ""
        self.fill_is_missing = False
        self.storage = self
        self.events: list[str] = []
        self.largest = self.moved = 0

    def read(self, lo: list[int], step: list[int], out: Elements) -> None:
        assert converts(self.data.dtype, out.dtype), (self.data.dtype, out.dtype)
        assert out.flags.writeable
        box = self._box("read", lo, step, out)
        if self.keep:
            out[...] = self.data[(*box, ...)]

    def write(self, lo: list[int], step: list[int], data: Elements) -> None:
        assert self.writable
        assert converts(data.dtype, self.data.dtype), (data.dtype, self.data.dtype)
        box = self._box("write", lo, step, data)
        if self.keep:
            self.data[(*box, ...)] = data

    def flush(self) -> None:
        self._open("flush")

    def close(self) -> None:
        if "close" not in self.events:  # again, it does nothing
            self._open("close")

    def _open(self, event: str) -> None:
        assert "close" not in self.events
        self.events.append(event)

    def _box(self, event: str, lo: list[int], step: list[int], array: Elements) -> tuple[slice, ...]:
        self._open(event)
        assert type(array) is np.ndarray
        assert array.dtype.isnative and array.flags.aligned
        assert len(lo) == len(step) == array.ndim == len(self.shape)
        assert all(type(value) is int for value in lo + step)
        for first, by, count, extent in zip(lo, step, array.shape, self.shape, strict=True):
            assert by >= 1 and count >= 1 and 0 <= first <= first + (count - 1) * by < extent
        self.largest = max(self.largest, array.nbytes)
        self.moved += array.nbytes
        return tuple(slice(first, first + count * by, by) for first, by, count in zip(lo, step, array.shape, strict=True))


def array_of(data: Elements, page: list[int] | None = None, **more: Any) -> tuple[octavo.Array, FakeHandle]:
    """An octavo.Array over a copy of ``data``, and its handle."""
    handle = FakeHandle(data.copy(), page, **more)
    return octavo.Array(handle, Opening(handle.path, handle.writable, 1 << 20)), handle


@contextlib.contextmanager
def core() -> Iterator[dict[str, Any]]:
    """Puts fakes in place of what opens and makes arrays. By path: what was made or put there; under "calls": each Opening and Creation."""
    files: dict[str, Any] = {"calls": []}

    def open_handle(wanted: Opening) -> FakeHandle:
        files["calls"].append(wanted)
        if wanted.path not in files:
            raise octavo.IoError(f"'{wanted.path}' is not there")
        return FakeHandle(files[wanted.path], writable=wanted.writable, path=wanted.path)

    def create_handle(wanted: Creation) -> FakeHandle:
        files["calls"].append(wanted)
        path, chunks = wanted.target.path, wanted.target.chunks
        assert chunks is not None
        files[path] = np.zeros(wanted.shape, wanted.dtype)
        handle = FakeHandle(files[path], list(chunks), path=path)
        handle.format, handle.attributes_json, handle.dimension_names_json = wanted.format, wanted.attributes_json, wanted.dimension_names_json
        return handle

    with mock.patch.object(open_create, "open_handle", open_handle), mock.patch.object(array, "create_handle", create_handle):
        yield files
