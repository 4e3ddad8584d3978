# SPDX-License-Identifier: Apache-2.0
"""Boolean and integer indices of an octavo.Array beside NumPy's, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

SHAPE, CHUNKS = (12, 9, 7), (5, 4, 7)
RANDOM = np.random.default_rng(36)
MODEL = RANDOM.integers(0, 1000, SHAPE).astype("int32")
ROWS, COLUMNS = RANDOM.integers(-12, 12, 20), RANDOM.integers(-9, 9, 20)
INDICES: dict[str, Any] = {
    "mask": MODEL % 3 == 0,
    "mask of an axis": MODEL[:, 0, 0] > 500,
    "nothing": MODEL < 0,
    "list": [3, 1, -1, 3],
    "two arrays": (ROWS, COLUMNS),
    "array and slice": (slice(2, 9, 2), COLUMNS),
    "apart": (ROWS, slice(None), RANDOM.integers(0, 7, 20)),
    "outer": (ROWS[:, None], COLUMNS[None, :4], ...),
    "new axis": (None, ROWS, COLUMNS),
}


@pytest.fixture(params=[("a.npy", {}), ("a.zarr", {"chunks": CHUNKS, "compressor": "zstd"}), ("a.octavo", {"chunks": CHUNKS})], ids=lambda each: each[0])
def a(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[octavo.Array]:
    name, options = request.param
    with octavo.create_array(tmp_path / name, SHAPE, "int32", **options) as made:
        made[...] = MODEL
        yield made


def test_reading_is_numpys(a: octavo.Array) -> None:
    for index in INDICES.values():
        np.testing.assert_array_equal(a[index], MODEL[index], strict=True)


def test_writing_is_numpys(a: octavo.Array) -> None:
    model = MODEL.copy()
    for index in INDICES.values():
        value = RANDOM.integers(0, 1000, model[index].shape)
        model[index] = value
        a[index] = value
        np.testing.assert_array_equal(a[...], model)
    a[INDICES["mask"]] = 7
    assert (a[INDICES["mask"]] == 7).all()


def test_mistakes_are_numpys_or_named(a: octavo.Array) -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        a[[12]]
    with pytest.raises(octavo.UsageError, match="would lose"):
        a[[1, 2]] = 0.5
    with pytest.raises(octavo.NotSupported, match="list index"):
        a.read([1, 2])  # type: ignore[call-overload]
    with octavo.open_array(a) as read, pytest.raises(octavo.UsageError, match="opened for reading"):
        read[[1, 2]] = 1
    a.close()
    with pytest.raises(octavo.UsageError, match="closed"):
        a[[1, 2]]


def test_what_converts_on_reading_is_converted(tmp_path: Path) -> None:
    MODEL.astype(">i4").tofile(tmp_path / "a.raw")
    with octavo.open_array(tmp_path / "a.raw", shape=SHAPE, dtype=">i4") as a:
        np.testing.assert_array_equal(a[ROWS, COLUMNS], MODEL[ROWS, COLUMNS])
