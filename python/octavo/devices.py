# SPDX-License-Identifier: Apache-2.0
"""Devices, which are objects that keep the pages of arrays, and classes of your own that are derived from them; arrays over devices that are there.

>>> class Summing(octavo.devices.PageFile):
...     def total(self):
...         return sum(self.read(page).sum() for page in range(self.facts().pages))
>>> devices = [octavo.process.make(Summing, f"/d{i}/pages", 64, (64, 64, 64), "complex64") for i in range(4)]
>>> a = octavo.devices.array_of((256, 256, 256), (64, 64, 64), "complex64", devices)
>>> a[...] = 1
>>> sum(each.result() for each in [octavo.start(device.total) for device in devices])

The same as octavo::PageFile and octavo::Array of octavo/data in C++. Reads and writes of the array go to the library's device within each process, beside its
class in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from octavo import _core
from octavo._src.validation import element_type, integers, memory_bytes
from octavo.errors import UsageError
from octavo.objects import current
from octavo.objects.devices import DeviceCounters, DeviceFacts, PageDevice, PageFile, ZarrDevice
from octavo.objects.pointers import pointer_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from octavo.array import Array

__all__ = ["DeviceCounters", "DeviceFacts", "PageDevice", "PageFile", "ZarrDevice", "array_of"]
Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]


@dataclass(frozen=True)
class Devices:
    """What such an array is made of; it can be sent to other processes."""

    shape: tuple[int, ...]
    page: tuple[int, ...]
    dtype: str
    map: str
    pointers: tuple[Any, ...]

    def array(self) -> _core.DeviceArray:
        return _core.DeviceArray(list(self.shape), list(self.page), self.dtype, self.pointers, self.map)

    def storage(self) -> _core.Storage:
        """As a job is told of it."""
        from octavo._src.open_create import LEAST_MEMORY

        return _core.ArrayHandle(self.array(), self.name, LEAST_MEMORY, writable=False).storage

    @property
    def name(self) -> str:
        """For people, and to tell it from others: not to be opened by."""
        numbers = [_core.pointer_facts(each)[2] for each in self.pointers]
        return f"ov://devices/{'+'.join(map(str, numbers))}"


def array_of(
    shape: Extents, page: Extents, dtype: npt.DTypeLike, devices: Sequence[PageDevice], *, map: str = "circulant", memory: int | str = "256MiB"
) -> Array:
    """An array whose pages are kept by these devices, open for reading and writing. They are there, and stay when it is closed.

    devices: remote pointers to them; each has pages of the shape ``page`` and of ``dtype``, and enough of them. map: the name of the one that says which of
    them keeps which page, as in octavo.Target. memory: what this program may use for pages that it reads and writes.
    It is used as any array: indexed, a source and a target of octavo.fft.fftn and octavo.copy, an argument of a method. UsageError: no devices, or one whose
    pages are others.
    """
    from octavo._src.open_create import Opening, open_handle
    from octavo.array import Array

    extents, pages = integers(shape, "shape", 0, "an array of devices"), integers(page, "page", 1, "an array of devices")
    if len(pages) != len(extents):
        raise UsageError(f"page {pages} of an array of shape {extents}. Give one extent for each of the {len(extents)} axes")
    if not devices:
        raise UsageError("an array without devices. Give at least one")
    if not isinstance(map, str):
        cure = "Give its name, such as 'block_cyclic:4': only make_array() of octavo.named() takes a table of one's own"
        raise UsageError(f"a map of type {type(map).__name__} for an array of devices. {cure}")
    current.begin()
    given = Devices(extents, pages, element_type(dtype).name, map, tuple(pointer_of(each, "array_of()") for each in devices))
    given.array().check()
    opening = Opening(given.name, True, memory_bytes(memory), devices=given)
    return Array(open_handle(opening), opening)
