# SPDX-License-Identifier: Apache-2.0
"""What is known of an array on disk without reading it.

>>> facts = octavo.info("density.zarr")  # an octavo.source.Source
>>> print(facts.shape, facts.dtype, facts.codecs)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from octavo._src.encoding import encoding_of, ratio_of
from octavo._src.inputs import SourceLike, input_of
from octavo._src.keywords import known_options
from octavo._src.packed import causes_of
from octavo._src.sources import describe, open_source
from octavo._src.validation import raw_spec
from octavo.options import RawKeywords, RawLayout

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """An array on disk: ``format`` is zarr, hdf5, npy, raw or octavo; ``shape`` its elements along each axis, ``chunk`` those of a stored block;
    ``dtype`` NumPy's name; ``nbytes`` its elements' bytes.

    ``native``: whether Octavo reads it itself, or through the library of its format. ``codecs``: of a Zarr array, what its chunks are encoded by; ``shards``:
    the elements of a file along each axis, where a file has several chunks; ``ratio``: how many bytes of elements a byte of its files holds, None where that
    is not known. ``devices``: the page files of an Octavo array; of an array of
    processes ("ov://home/turbulence", ``format`` octavo) what each of its devices keeps, "machine:path" on another machine. ``packed``: the attributes by which
    its elements are not the values that are meant.
    """

    path: str
    format: str
    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    dtype: str
    big_endian: bool
    nbytes: int
    native: bool
    codecs: tuple[str, ...]
    shards: tuple[int, ...] | None
    ratio: float | None
    devices: tuple[str, ...]
    attrs: dict[str, Any]
    dims: tuple[str | None, ...] | None
    packed: dict[str, Any]

    @property
    def chunks(self) -> tuple[int, ...]:
        """``chunk``, by the name that octavo.Array has for it."""
        return self.chunk


@known_options("info", RawKeywords)
def info(path: SourceLike, *, raw: RawLayout | None = None, **layout: Unpack[RawKeywords]) -> Source:
    """Opens ``path`` (Zarr, HDF5, .npy, an Octavo array, or a raw file; or an array on disk as for octavo.fft.fftn) and says what it is.

    raw: what is in a raw file; or its fields as keywords (``shape``, ``dtype``, ``offset``, ``big_endian``, ``part``).
    Raises IoError, NotSupported or UsageError naming what is wrong with it.
    """
    given = input_of(path, raw, layout)
    found = open_source(given.path, raw_spec(given.raw))
    known, encoded = describe(found), encoding_of(found)
    return Source(
        given.path,
        known.format,
        tuple(found.shape),
        tuple(found.chunk),
        found.dtype,
        found.big_endian,
        found.nbytes,
        not found.served,
        encoded.codecs,
        encoded.shards,
        ratio_of(found) if encoded.codecs else None,
        tuple(found.files),
        known.attributes,
        known.names,
        causes_of(found),
    )
