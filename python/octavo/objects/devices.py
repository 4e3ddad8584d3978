# SPDX-License-Identifier: Apache-2.0
"""Devices: objects that keep the pages of one disk, and classes of your own that are derived from them and compute next to the pages.

``class Summing(octavo.devices.PageFile)`` with a method that sums ``self.read(page)``, made by ``machine.make(Summing, path, 1024, (64, 64))``, is the paper's
process inheritance (Givelberg, sections 2.2 and 4.1). What a device reads lies in the pool: it travels to another process without a copy.
"""

import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src.validation import memory_bytes
from octavo.errors import UsageError
from octavo.objects import current
from octavo.phases import Phases, phases_of

Part = tuple[slice, ...]


class DeviceFacts(NamedTuple):
    """Of a device: its file or directory; the shape of a page; how many pages there are; the dtype of their elements."""

    path: str
    page: tuple[int, ...]
    pages: int
    dtype: np.dtype[Any]


class DeviceCounters(NamedTuple):
    """Since it was made: bytes read from the disk and written to it, requests, and bytes that its process put on its roads (pages are not among them);
    and where it spent its time.
    """

    bytes_read: int
    bytes_written: int
    requests: int
    road_bytes: int
    phases: Phases


class PageDevice:
    """What all devices have. Pages are numbered from 0. Each method raises IoError for what the disk says, UsageError for a page or part that is not there."""

    def __init__(self, device: "_core.DeviceBase") -> None:
        self._device = device
        path, page, pages, dtype = device.facts()
        self._facts = DeviceFacts(path, tuple(page), pages, np.dtype(dtype))

    def facts(self) -> DeviceFacts:
        return self._facts

    def read(self, page: int, part: Part | None = None, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
        """A page, or a part of it, as an array in the pool; of this dtype (None: the stored one)."""
        return self._read(page, part, dtype, [])

    def write(self, values: npt.ArrayLike, page: int, part: Part | None = None) -> None:
        """Values of the shape of the page, or of the part; they are converted to the stored dtype. An array of octavo.empty() is not copied."""
        self._write(values, page, part, [], behind=False)

    def read_permuted(self, page: int, order: tuple[int, ...], part: Part | None = None, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
        """As ``numpy.transpose(self.read(page, part), order)``, dense; turned in this process (Givelberg, 2.2: read_transpose13)."""
        return self._read(page, part, dtype, list(order))

    def write_permuted(self, values: npt.ArrayLike, page: int, order: tuple[int, ...], part: Part | None = None) -> None:
        """Values as read_permuted() gives them."""
        self._write(values, page, part, list(order), behind=False)

    def write_behind(self, values: npt.ArrayLike, page: int, part: Part | None = None) -> None:
        """Returns when the device has the values. flush() raises what goes wrong later."""
        self._write(values, page, part, [], behind=True)

    def prefetch(self, page: int, part: Part | None = None, dtype: npt.DTypeLike | None = None) -> None:
        """Reads ahead into the cache, if it fits (without a cache nothing does): the next read of this part takes it from there."""
        low, high = self._bounds(part)
        self._device.prefetch(page, low, high, self._name(dtype))

    def flush(self) -> None:
        """Returns when everything written before is on the disk."""
        self._device.flush()

    def counters(self) -> DeviceCounters:
        bytes_read, bytes_written, requests, road_bytes, told = self._device.counters()
        return DeviceCounters(bytes_read, bytes_written, requests, road_bytes, phases_of(told))

    def close(self) -> None:
        """Ends its use of the disk; the end of the object does so, too."""
        self._device.close()

    def _name(self, dtype: npt.DTypeLike | None) -> str:
        return str((self._facts.dtype if dtype is None else np.dtype(dtype)).name)

    def _bounds(self, part: Part | None) -> tuple[list[int], list[int]]:
        shape = self._facts.page
        if part is None:
            return [0] * len(shape), list(shape)
        if len(part) != len(shape):
            raise UsageError(f"a part of {len(part)} slices was given for pages of {len(shape)} axes. Give one slice for each")
        bounds = [each.indices(extent) for each, extent in zip(part, shape, strict=True)]
        if any(step != 1 for _, _, step in bounds):
            raise UsageError("a part of a page has steps of 1. Read it whole, and index what comes")
        return [first for first, _, _ in bounds], [max(first, last) for first, last, _ in bounds]

    def _read(self, page: int, part: Part | None, dtype: npt.DTypeLike | None, order: list[int]) -> npt.NDArray[Any]:
        memory, name, shape = self._device.read(page, *self._bounds(part), self._name(dtype), order)
        read: npt.NDArray[Any] = np.frombuffer(memory, np.dtype(name))
        return read.reshape(shape)

    def _write(self, values: npt.ArrayLike, page: int, part: Part | None, order: list[int], *, behind: bool) -> None:
        array = np.ascontiguousarray(values) if isinstance(values, np.ndarray) else np.ascontiguousarray(values, self._facts.dtype)
        self._device.write(array, page, *self._bounds(part), order, behind)


class PageFile(PageDevice):
    """One large file of pages, made if it is not there; one that is there must say in its header that it is so (the paper's PageDevice, section 2.2).

    pages: how many. page: the bytes of one, or its shape. staging, cache: bytes for buffers at the disk, and of pages read ahead or written behind.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        pages: int,
        page: int | tuple[int, ...],
        dtype: npt.DTypeLike = np.uint8,
        *,
        staging: int | str = "8MiB",
        cache: int | str = 0,
    ) -> None:
        current.begin()
        shape = [page] if isinstance(page, int) else list(page)
        super().__init__(_core.page_file(os.fspath(path), pages, shape, np.dtype(dtype).name, memory_bytes(staging, 0), memory_bytes(cache, 0)))


class ZarrDevice(PageDevice):
    """A Zarr v3 array, uncompressed, in a directory that is there; its pages are the chunks."""

    def __init__(self, path: str | os.PathLike[str], *, staging: int | str = "8MiB", cache: int | str = 0) -> None:
        current.begin()
        super().__init__(_core.zarr_device(os.fspath(path), memory_bytes(staging, 0), memory_bytes(cache, 0)))
