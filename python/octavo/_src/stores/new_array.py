# SPDX-License-Identifier: Apache-2.0
"""What a new array of another library is to be, beyond its path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from octavo._src.stores.contract import Shape
from octavo._src.stores.elements import supported
from octavo.errors import UsageError

if TYPE_CHECKING:
    from octavo._src.coordinates import Coordinate


@dataclass(frozen=True, kw_only=True)
class NewArray:
    """``shape``, ``chunks`` and ``shards`` in elements along each axis. ``level``: None for the compressor's usual one. ``fill``: as fill_json has it;
    None for zeros."""

    shape: Shape
    chunks: Shape | None
    dtype: Any
    compressor: str = "none"
    level: int | None = None
    shards: Shape | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    dimension_names: Sequence[str | None] | None = None
    fill: Any = None

    def __post_init__(self) -> None:
        for name in ("shape", "chunks", "shards"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, tuple(int(extent) for extent in getattr(self, name)))

    def stored_type(self, where: str) -> np.dtype[Any]:
        """Little-endian. NotSupported for one that Octavo does not have; UsageError for names that are not one for each dimension. ``where``: in the
        messages."""
        kind: np.dtype[Any] = supported(np.dtype(self.dtype), where).newbyteorder("<")
        if self.dimension_names is not None and len(self.dimension_names) != len(self.shape):
            raise UsageError(f"making {where}: {len(self.dimension_names)} names for {len(self.shape)} dimensions. Give one for each")
        return kind


@dataclass(frozen=True, kw_only=True)
class NewZarr(NewArray):
    """``zarr_format``: 2 or 3."""

    chunks: Shape
    compressor: str = "zstd"
    zarr_format: int = 3


@dataclass(frozen=True, kw_only=True)
class NewDataset(NewArray):
    """``chunks`` None: contiguous. ``dataset``: its name within the file, if the path does not say it. ``coordinates`` are copied beside it."""

    dataset: str = ""
    coordinates: Sequence[Coordinate] = ()
