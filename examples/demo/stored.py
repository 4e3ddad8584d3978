# SPDX-License-Identifier: Apache-2.0
"""How an array on disk is written and read a block at a time, so that no more than a few blocks are ever in memory."""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import octavo

Array = npt.NDArray[Any]
Part = tuple[slice, ...]  # which elements: one slice for each axis
Result = TypeVar("Result")

THREADS = min(4, os.cpu_count() or 1)


def parts(shape: tuple[int, ...], chunk: tuple[int, ...]) -> Iterator[Part]:
    """The parts that the chunks cover, in the order of the array; those at the edge are shorter."""
    for index in product(*(range(-(-n // c)) for n, c in zip(shape, chunk, strict=True))):
        yield tuple(slice(i * c, min((i + 1) * c, n)) for i, c, n in zip(index, chunk, shape, strict=True))


def size_of(part: Part) -> tuple[int, ...]:
    return tuple(each.stop - each.start for each in part)


def chunk_file(path: Path, part: Part, chunk: tuple[int, ...]) -> Path:
    """Where Zarr keeps the chunk that begins where the part does."""
    return path.joinpath("c", *(str(each.start // c) for each, c in zip(part, chunk, strict=True)))


def create(path: Path, shape: tuple[int, ...], chunk: tuple[int, ...], dtype: str) -> None:
    """An uncompressed Zarr v3 array without chunks yet."""
    path.mkdir()
    zero = [0.0, 0.0] if dtype.startswith("complex") else 0.0
    meta = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "fill_value": zero,
        "attributes": {},
    }
    (path / "zarr.json").write_text(json.dumps(meta))


def put(path: Path, part: Part, chunk: tuple[int, ...], values: Array) -> None:
    """Writes one chunk; one at the edge is stored whole."""
    file = chunk_file(path, part, chunk)
    file.parent.mkdir(parents=True, exist_ok=True)
    if values.shape != chunk:
        values = np.pad(values, [(0, c - n) for c, n in zip(chunk, values.shape, strict=True)])
    values.tofile(file)


def get(path: Path, part: Part, chunk: tuple[int, ...], dtype: str) -> Array:
    """Reads one chunk."""
    whole = np.fromfile(chunk_file(path, part, chunk), dtype=dtype).reshape(chunk)
    return whole[tuple(slice(n) for n in size_of(part))]


def each_part(shape: tuple[int, ...], chunk: tuple[int, ...], work: Callable[[Part], Result]) -> Iterator[Result]:
    """Does the work for all parts, a few at a time; the results in their order."""
    waiting = parts(shape, chunk)
    with ThreadPoolExecutor(THREADS) as pool:
        under_way = [pool.submit(work, part) for part in islice(waiting, THREADS)]
        while under_way:
            yield under_way.pop(0).result()
            under_way += [pool.submit(work, part) for part in islice(waiting, 1)]


def each_chunk(path: Path, work: Callable[[Part, Array], Result]) -> Iterator[Result]:
    """Does the work for each stored chunk of a Zarr array, a few in memory at a time."""
    found = octavo.info(path)
    yield from each_part(found.shape, found.chunk, lambda part: work(part, get(path, part, found.chunk, found.dtype)))
