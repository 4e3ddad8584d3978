# SPDX-License-Identifier: Apache-2.0
"""Open arrays of every format, indexed as NumPy's: boxes, steps backwards, orders of axes, writes into the middle of compressed chunks.

Each kind is opened once; every example begins by writing the whole array and keeps a NumPy array beside it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from formats_kit import SOURCES, TARGETS, Source, Target, directories, layout_of, read_by_library
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import basic_indices
from kit import Array, noise

pytestmark = pytest.mark.timeout(120)
SHAPE, CHUNKS = (11, 1, 9, 7), (4, 1, 3, 5)
EXAMPLES = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "search" else 6
MEMORY = "96MiB"
INDICES = basic_indices(SHAPE, min_dims=0, max_dims=6, allow_newaxis=True, allow_ellipsis=True)


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, Any, tuple[int, ...] | None, int]:
    """Read or write, the index, the order of the selection's axes, a seed for what is written."""
    kind = draw(st.sampled_from(["read", "write", "broadcast", "scalar", "read", "write"]))
    index = draw(INDICES)
    dims = np.empty(SHAPE, np.int8)[index].ndim
    axes = draw(st.none() | st.permutations(range(dims)).map(tuple)) if kind != "scalar" else None
    return kind, index, axes, draw(st.integers(0, 1000))


def step(opened: octavo.Array, beside: Array, kind: str, index: Any, axes: tuple[int, ...] | None, number: int) -> None:
    """The same on both."""
    selected = np.asarray(beside[index])
    order = axes or tuple(range(selected.ndim))
    if kind == "read":
        got = opened.read(index, axes=axes)
        np.testing.assert_array_equal(got, selected.transpose(order))
        assert got.dtype == beside.dtype
        return
    if kind == "scalar":
        opened[index] = number % 100
        beside[index] = number % 100
        return
    shape = selected.transpose(order).shape
    if kind == "broadcast":
        shape = tuple(1 if axis % 2 else extent for axis, extent in enumerate(shape))
    value = np.asarray(noise(shape, beside.dtype.name, number))
    opened.write(index, value, axes=axes)
    beside[index] = np.broadcast_to(value, selected.transpose(order).shape).transpose(np.argsort(np.array(order, int)))


def explore(opened: octavo.Array, array: Array, number: int) -> Array:
    """Examples on an open array; what a NumPy array holds after the last one."""
    last = [array]

    @seed(number)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(operations(), min_size=3, max_size=8))
    def example(steps: list[tuple[str, Any, tuple[int, ...] | None, int]]) -> None:
        beside = array.copy()
        opened[...] = array
        for each in steps:
            step(opened, beside, *each)
        np.testing.assert_array_equal(opened[...], beside, strict=True)
        last[0] = beside

    example()
    return last[0]


@pytest.mark.parametrize("source", SOURCES, ids=[each.name for each in SOURCES])
def test_what_others_wrote(tmp_path: Path, source: Source) -> None:
    number = SOURCES.index(source)
    dtype = ("float64", "int16", "complex64")[number % 3]
    array = noise(SHAPE, dtype)
    stored = source.write(tmp_path, array, CHUNKS)
    with octavo.open_array(stored.path, memory=MEMORY, **stored.layout) as opened:
        np.testing.assert_array_equal(opened[...], array, strict=True)
        np.testing.assert_array_equal(opened[::-2, 0, 3:, ::-1], array[::-2, 0, 3:, ::-1], strict=True)
    with octavo.open_array(stored.path, mode="r+", memory=MEMORY, **stored.layout) as opened:
        want = explore(opened, noise(SHAPE, dtype, 1), number)
    if stored.layout:
        got: Array | None = np.fromfile(stored.path, array.dtype.newbyteorder(">"), offset=43).reshape(SHAPE)
    else:
        got = read_by_library(stored.path, SHAPE, dtype)
    if got is None:
        with octavo.open_array(stored.path) as again:
            got = again[...]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("target", TARGETS, ids=[each.name for each in TARGETS])
def test_what_octavo_makes(tmp_path: Path, target: Target) -> None:
    asked = target.asked(tmp_path, CHUNKS)
    level = asked.pop("level", None)
    if level is not None:
        asked["compressor"] = {"name": asked["compressor"], "level": level}
    path = tmp_path / target.file
    with octavo.create_array(path, SHAPE, "float32", memory=MEMORY, **asked) as made:
        np.testing.assert_array_equal(made[...], np.zeros(SHAPE, "float32"), strict=True)
        made[2:9, :, ::4, -1] = 5
        want = np.zeros(SHAPE, "float32")
        want[2:9, :, ::4, -1] = 5
        np.testing.assert_array_equal(made[...], want, strict=True)
        if target.chunked:
            assert made.chunks == CHUNKS
    for got in (
        read_by_library(path, SHAPE, "float32"),
        octavo.open_array(path, **layout_of(path, SHAPE, "float32"))[...],
    ):
        if got is not None:
            np.testing.assert_array_equal(got, want, strict=True)


@pytest.mark.parametrize("map", ["circulant", "block_cyclic"])
@pytest.mark.parametrize("devices", [1, 2, 3, 5])
def test_pages_on_devices(tmp_path: Path, devices: int, map: str) -> None:
    """Any number of disks, also more than there are pages along an axis."""
    disks = directories(tmp_path, devices)
    array = noise(SHAPE, "complex128")
    with octavo.create_array(tmp_path / "a.octavo", SHAPE, "complex128", chunks=CHUNKS, devices=disks, map=map) as made:
        want = explore(made, array, devices)
    assert all(any(disk.iterdir()) for disk in disks)
    assert len(octavo.info(tmp_path / "a.octavo").devices) == devices
    with octavo.open_array(tmp_path / "a.octavo") as again:
        np.testing.assert_array_equal(again[...], want, strict=True)
