# SPDX-License-Identifier: Apache-2.0
"""What is known of an open array without reading its elements."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from octavo import _core
from octavo._src.html_table import facts_html
from octavo._src.packed import causes_of, said
from octavo._src.paths import shown
from octavo.errors import IoError

if TYPE_CHECKING:
    from octavo._core import ArrayHandle
    from octavo._src.open_create import Opening


class ArrayMetadata:
    """The part of octavo.Array that stays readable when the array is closed."""

    opening: Opening  # how to open the same array again

    def __init__(self, handle: ArrayHandle) -> None:
        self._shape, self._chunks = tuple(handle.shape), tuple(handle.page)
        self._dtype = np.dtype(handle.dtype)
        self._path, self._format = handle.path, handle.format
        attributes = _parsed(handle.attributes_json or "{}", dict, "attributes", handle.path)
        names = _parsed(handle.dimension_names_json or "[]", list, "dimension names", handle.path)
        self._attrs: Mapping[str, Any] = MappingProxyType(attributes)
        self._packed: Mapping[str, Any] = MappingProxyType(causes_of(handle.storage))
        self._dims: tuple[str | None, ...] | None = tuple(names) if handle.dimension_names_json else None

    def _is_closed(self) -> bool:
        raise NotImplementedError

    def _as_source(self) -> Opening:
        """How another opens it, which then finds all that was written here."""
        return self.opening

    def _as_target(self) -> str:
        """Where another writes to it; this one reads afterwards what that wrote."""
        return self.path

    def __repr__(self) -> str:
        closed = ", closed" if self._is_closed() else ""
        packed = f", packed: {', '.join(self._packed)}" if self._packed else ""
        return f"<octavo.Array '{self.path}' {self.shape} {self.dtype}, {_core.format_bytes(self.nbytes)}, chunks {self.chunks}{packed}{closed}>"

    def _repr_html_(self) -> str:
        facts = {"shape": str(self.shape), "dtype": str(self.dtype), "pages" if self.format == "octavo" else "chunks": str(self.chunks)}
        if self.dims:
            facts["dims"] = ", ".join(name or "-" for name in self.dims)
        if self._packed:
            facts["packed"] = said(self._packed)
        facts |= {"bytes": _core.format_bytes(self.nbytes), "format": self.format, "path": shown(self.path)}
        return facts_html("octavo.Array, closed" if self._is_closed() else "octavo.Array", facts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The stored type, in the machine's byte order; with unpack=True that of the values."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self._shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, uncompressed."""
        return self.size * self._dtype.itemsize

    @property
    def chunks(self) -> tuple[int, ...]:
        """The shape of a page: what is stored, read and written together."""
        return self._chunks

    @property
    def path(self) -> str:
        """Where it lies."""
        return self._path

    @property
    def format(self) -> str:
        """zarr, hdf5, npy, raw or octavo."""
        return self._format

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes stored with it; read-only."""
        return self._attrs

    @property
    def packed(self) -> Mapping[str, Any]:
        """The attributes by which its elements are not the values that are meant (scale_factor, add_offset, _FillValue, missing_value, _Unsigned), as far as
        they change any; none of an array that was opened with unpack=True."""
        return self._packed

    @property
    def dims(self) -> tuple[str | None, ...] | None:
        """The names of the axes, None for one without; None if the array has none at all."""
        return self._dims

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]


def _parsed(text: str, kind: type[Any], what: str, path: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError as e:
        raise IoError(f"the {what} of '{path}' are no JSON: {e}. Mend them with the tool that wrote them") from None
    if not isinstance(found, kind):
        raise IoError(f"the {what} of '{path}' are no JSON {'object' if kind is dict else 'list'}. Mend them with the tool that wrote them")
    return found
