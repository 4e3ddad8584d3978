# SPDX-License-Identifier: Apache-2.0
"""HDF5 datasets of any type and layout, as programs other than h5py write them, beside neighbours that must stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
from h5py import h5d, h5p, h5s, h5t

Array = npt.NDArray[Any]
Random = np.random.Generator
NEIGHBOURS = np.arange(1000.0)
USER_BLOCKS = (0, 0, 512, 1024, 4096)
LAYOUTS = ("contiguous", "contiguous", "contiguous", "compact", "chunked", "gzip", "external", "virtual")
SHAPES: tuple[tuple[int, ...] | None, ...] = ((), (7,), (7, 50), (3, 4, 5), (33, 65), (0, 3), None)
LINKS = ("", "", "soft", "hard", "external", "symlink")


@dataclass(frozen=True)
class Given:
    """``path`` is what Octavo is given; ``file`` and ``name`` where it lies. ``told``: what was chosen, for a test that fails."""

    path: str
    file: Path
    name: str
    told: str


def integer(random: Random) -> h5t.TypeID:
    base = [h5t.STD_I8LE, h5t.STD_U8BE, h5t.STD_I16LE, h5t.STD_U16BE, h5t.STD_I32BE, h5t.STD_U32LE, h5t.STD_I64LE, h5t.STD_U64BE]
    made = base[random.integers(len(base))].copy()
    bits = 8 * made.get_size()
    if random.random() < 0.5:  # of 12 bits at bit 4, say
        precision = int(random.integers(bits // 2 + 1, bits + 1))  # with less HDF5 calls it unusual
        made.set_precision(precision)
        made.set_offset(int(random.integers(0, bits - precision + 1)))
        made.set_pad(h5t.PAD_ONE if random.random() < 0.3 else h5t.PAD_ZERO, h5t.PAD_ZERO)
    return made


def floating(random: Random) -> h5t.TypeID:
    made = [h5t.IEEE_F32LE, h5t.IEEE_F32BE, h5t.IEEE_F64LE, h5t.IEEE_F64BE][random.integers(4)].copy()
    kind = random.integers(8)
    if kind == 0:  # bfloat16
        made = h5t.IEEE_F32LE.copy()
        made.set_fields(15, 7, 8, 0, 7)
        made.set_size(2)
        made.set_ebias(127)
    elif kind == 1:  # another exponent
        made.set_ebias(made.get_ebias() - 1)
    elif kind == 2:
        made = h5t.IEEE_F16LE
    return made


def complex_like(random: Random) -> h5t.TypeID:
    names = [(b"r", b"i"), (b"r", b"i"), (b"real", b"imag"), (b"re", b"im"), (b"R", b"I")][random.integers(5)]
    part = [h5t.IEEE_F32LE, h5t.IEEE_F64LE, h5t.IEEE_F64BE, h5t.IEEE_F32BE][random.integers(4)]
    size, between, after = part.get_size(), int(random.choice([0, 0, 4, 8])), int(random.choice([0, 0, 8]))
    made = h5t.create(h5t.COMPOUND, 2 * size + between + after)
    at = [0, size + between]
    if random.random() < 0.3:
        at.reverse()
    made.insert(names[0], at[0], part)
    made.insert(names[1], at[1], part if random.random() < 0.9 else h5t.IEEE_F32LE)
    return made


def no_number(random: Random) -> h5t.TypeID:
    enumeration = h5t.enum_create(h5t.STD_I8LE)
    for name, value in ((b"FALSE", 0), (b"TRUE", 1)):
        enumeration.enum_insert(name, value)
    choice: list[h5t.TypeID] = [
        enumeration,
        h5t.create(h5t.OPAQUE, 5),
        h5t.C_S1.copy(),
        h5t.STD_B16LE,
        h5t.array_create(h5t.IEEE_F64LE, (2,)),
        h5t.vlen_create(h5t.IEEE_F32LE),
        h5t.STD_REF_OBJ,
        h5t.NATIVE_LDOUBLE,
        h5t.UNIX_D32LE,
    ]
    return choice[random.integers(len(choice))]


KINDS: tuple[Callable[[Random], h5t.TypeID], ...] = (integer, integer, floating, complex_like, complex_like, no_number)


def made(folder: Path, seed: int) -> Given:
    """A file with a dataset that is chosen by the seed, between neighbours."""
    random = np.random.default_rng(seed)
    kind = KINDS[random.integers(len(KINDS))](random)
    shape = SHAPES[random.choice(len(SHAPES), p=[0.1, 0.2, 0.3, 0.15, 0.15, 0.06, 0.04])]
    layout, block = LAYOUTS[random.integers(len(LAYOUTS))], USER_BLOCKS[random.integers(len(USER_BLOCKS))]
    file = folder / "a.h5"
    (folder / "a.raw").touch()  # HDF5 needs it to be there
    with h5py.File(file, "w", userblock_size=block, libver=["earliest", "latest"][random.integers(2)]) as opened:
        opened["before"] = NEIGHBOURS
        how, layout = _how(random, shape, layout, kind)
        space = h5s.create(h5s.NULL) if shape is None else h5s.create_simple(shape) if shape else h5s.create(h5s.SCALAR)
        name = "group/dataset"
        dataset = _virtual(opened, name, kind, shape) if layout == "virtual" else _plain(opened, name, kind, space, how)
        written = bool(random.random() < 0.7) and layout != "virtual"
        if written and shape is not None:
            _write(dataset, random)
        opened["after"] = NEIGHBOURS
        opened.create_dataset("chunked", data=NEIGHBOURS, chunks=(100,), compression="gzip")
        link = LINKS[random.integers(len(LINKS))]
        path = _linked(folder, opened, file, name, link)
    return Given(str(path), file, name, f"seed {seed}: {kind!r} {kind.get_size()} {shape} {layout} block {block} written {written} {link}")


def _how(random: Random, shape: tuple[int, ...] | None, layout: str, kind: h5t.TypeID) -> tuple[h5p.PropDCID, str]:
    how = h5p.create(h5p.DATASET_CREATE)
    if not shape or 0 in shape:
        layout = "contiguous"
    if layout == "compact":
        how.set_layout(h5d.COMPACT)
    elif layout in ("chunked", "gzip"):
        how.set_chunk(tuple(max(1, extent // 2) for extent in shape or ()))
        if layout == "gzip":
            how.set_deflate(1)
    elif layout == "external" and kind.get_class() in (h5t.INTEGER, h5t.FLOAT, h5t.COMPOUND):
        how.set_external(b"a.raw", 16, h5s.UNLIMITED)
    elif layout == "contiguous":
        how.set_alloc_time([h5d.ALLOC_TIME_LATE, h5d.ALLOC_TIME_EARLY, h5d.ALLOC_TIME_DEFAULT][random.integers(3)])
        how.set_fill_time([h5d.FILL_TIME_IFSET, h5d.FILL_TIME_ALLOC][random.integers(2)])
    if kind.get_class() in (h5t.INTEGER, h5t.FLOAT) and random.random() < 0.4:
        how.set_fill_value(np.array(3, kind.dtype))
    return how, layout


def _plain(opened: h5py.File, name: str, kind: h5t.TypeID, space: h5s.SpaceID, how: h5p.PropDCID) -> h5py.Dataset:
    links = h5p.create(h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    return h5py.Dataset(h5d.create(opened.id, name.encode(), kind, space, dcpl=how, lcpl=links))


def _virtual(opened: h5py.File, name: str, kind: h5t.TypeID, shape: tuple[int, ...] | None) -> h5py.Dataset:
    layout = h5py.VirtualLayout(shape=(1000,), dtype="f8")
    layout[...] = h5py.VirtualSource(".", "before", shape=(1000,))
    return opened.create_virtual_dataset(name, layout)


def _write(dataset: h5py.Dataset, random: Random) -> None:
    try:
        dtype = dataset.dtype
    except TypeError:
        return
    if dtype.kind in "iufc" or (dtype.names and all(dtype[each].kind == "f" for each in dtype.names)):
        dataset[...] = numbers(dataset.shape, dtype, random)


def numbers(shape: tuple[int, ...], dtype: np.dtype[Any], random: Random) -> Array:
    """That any of the types holds: 0 and 1, or in its fields."""
    found = np.zeros(shape, dtype)
    for name in dtype.names or ():
        found[name] = random.integers(0, 2, shape)
    if not dtype.names:
        found[...] = random.integers(0, 2, shape) + (1j * random.integers(0, 2, shape) if dtype.kind == "c" else 0)
    return found


def _linked(folder: Path, opened: h5py.File, file: Path, name: str, link: str) -> Path:
    if link == "soft":
        opened["link"] = h5py.SoftLink(f"/{name}")
    elif link == "hard":
        opened["link"] = opened[name]
    elif link == "external":
        with h5py.File(folder / "outer.h5", "w") as outer:
            outer["pad"] = NEIGHBOURS
            outer["link"] = h5py.ExternalLink("a.h5", name)
        return folder / "outer.h5/link"
    elif link == "symlink":
        (folder / "b.h5").symlink_to(file)
        return folder / "b.h5" / name
    return file / ("link" if link else name)
