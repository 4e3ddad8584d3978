# SPDX-License-Identifier: Apache-2.0
"""Boolean and integer indices of a buffered array beside NumPy's, and arithmetic with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

SHAPE = (12, 9, 7)
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
    "array and integer": (ROWS, 4, slice(1, 3)),
    "outer": (ROWS[:, None], COLUMNS[None, :4], ...),
    "new axis": (None, ROWS, COLUMNS),
    "new axes apart": (None, ROWS, None, slice(None, None, -2), RANDOM.integers(0, 7, 20)),
    "mask and slice": (MODEL[:, :, 0] > 500, slice(None, None, -1)),
    "array, mask": (3, MODEL[0] % 2 == 0),
    "ellipsis of nothing": (ROWS, COLUMNS[:, None], ..., [0, 6] * 10),
}


@pytest.fixture
def u() -> Iterator[octavo.BufferedArray]:
    with octavo.buffered(None, shape=SHAPE, dtype="int32", memory="64KiB", block=(5, 4, 7)) as made:
        made[...] = MODEL
        yield made


@pytest.mark.parametrize("name", INDICES)
def test_ba1_reading_is_numpys(u: octavo.BufferedArray, name: str) -> None:
    np.testing.assert_array_equal(u[INDICES[name]], MODEL[INDICES[name]], strict=True)


@pytest.mark.parametrize("name", INDICES)
def test_ba1_ba2_writing_is_numpys_and_writes_nothing_else(u: octavo.BufferedArray, name: str) -> None:
    model, index = MODEL.copy(), INDICES[name]
    value = RANDOM.integers(0, 1000, model[index].shape)
    model[index] = value
    u.writeback()
    before = u.counters().bytes_written
    u[index] = value
    u.writeback()
    touched = np.zeros(SHAPE, bool)
    touched[index] = True
    assert u.counters().bytes_written - before == 4 * touched.sum()
    u.invalidate()
    np.testing.assert_array_equal(u[...], model)
    u[index] = 7
    assert (u[index] == 7).all()


def test_mistakes_are_numpys(u: octavo.BufferedArray) -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        u[[12]]
    with pytest.raises(IndexError, match="boolean index did not match"):
        u[np.ones(5, bool)]
    with pytest.raises(octavo.UsageError, match="would lose"):
        u[[1, 2]] = 0.5


def test_blocks_are_read_once_whatever_the_order(u: octavo.BufferedArray) -> None:
    u.writeback()
    u.invalidate()
    before = u.counters().read
    indices = RANDOM.permutation(MODEL.size)
    np.testing.assert_array_equal(u[np.unravel_index(indices, SHAPE)], MODEL.reshape(-1)[indices])
    assert u.counters().read - before <= 3 * 3


def test_arithmetic_is_in_memory_or_refused_with_the_cure(u: octavo.BufferedArray) -> None:
    np.testing.assert_array_equal(u + 1, MODEL + 1)
    np.testing.assert_array_equal(2 * u - u, MODEL)
    np.testing.assert_array_equal(np.asarray(u.T), MODEL.T)
    np.testing.assert_array_equal(-u / 2, -MODEL / 2)
    with octavo.buffered(None, shape=1 << 16, dtype="float64", memory="64KiB") as large:
        with pytest.raises(octavo.Refused, match=r"Read a part"):
            large + 1
        large += 1
        assert large.sum() == 1 << 16


IN_PLACE = [("__iadd__", 1), ("__isub__", 1), ("__imul__", 2), ("__imul__", 300), ("__imul__", 2.5), ("__ifloordiv__", 2), ("__ipow__", 2), ("__imod__", 3),
            ("__iand__", 6), ("__iadd__", np.arange(10)), ("__imul__", True)]  # fmt: skip


@pytest.mark.parametrize("dtype", ["u1", "u4", "u8", "i1", "i8", "f4", "f8", "c8"])
def test_operators_in_place_are_numpys(dtype: str) -> None:
    for name, other in IN_PLACE:
        expected, failed = np.arange(10, 20).astype(dtype), None
        try:
            getattr(expected, name)(other)
        except Exception as error:
            failed = type(error)
        with octavo.buffered(None, shape=10, dtype=dtype) as u:
            u[...] = np.arange(10, 20)
            if failed is None:
                assert getattr(u, name)(other) is u
            else:
                with pytest.raises(failed):
                    getattr(u, name)(other)
            np.testing.assert_array_equal(u[...], expected, err_msg=f"{dtype} {name} {other}")


def test_a_block_that_failed_is_as_it_was(u: octavo.BufferedArray) -> None:
    with pytest.raises(TypeError):
        for block in u.blocks():
            np.add(block.data, "x", out=block.out)
    np.testing.assert_array_equal(u[...], MODEL)


def test_comparisons_and_other_functions_are_numpys(u: octavo.BufferedArray) -> None:
    np.testing.assert_array_equal(u == 12, MODEL == 12)
    np.testing.assert_array_equal(u != u, np.zeros(SHAPE, bool))
    np.testing.assert_array_equal(abs(u) > 5, MODEL > 5)
    assert np.count_nonzero(u == 12) == np.count_nonzero(MODEL == 12)
    np.testing.assert_array_equal(np.maximum(u, 7), np.maximum(MODEL, 7))
    assert np.add.reduce(np.ravel(np.sqrt(u))) == np.add.reduce(np.ravel(np.sqrt(MODEL)))
    np.add(u, 1, out=u, where=MODEL > 3)
    np.testing.assert_array_equal(u[...], np.where(MODEL > 3, MODEL + 1, MODEL))


def test_elements_all_over_a_large_array_take_few_buffers() -> None:
    with octavo.buffered(None, shape=1 << 18, dtype="int32", memory="256KiB", block=[1 << 10]) as large:
        large[...] = np.arange(1 << 18)
        large.writeback()
        large.invalidate()
        random = np.random.default_rng(1)
        for _ in range(3):
            indices = random.integers(0, 1 << 18, 5000)
            np.testing.assert_array_equal(large[indices], indices)
        before = large.counters().evicted
        large[::1024]
        assert large.counters().evicted == before + 256 - large.counters().buffers  # all were free


@pytest.mark.parametrize("shape", [(130, 130, 130), (2,) * 8], ids=str)
def test_ba1_as_many_elements_as_one_likes_along_many_axes(shape: tuple[int, ...]) -> None:
    """Axes are not multiplied with one another: of a million elements along three that would be more than there are addresses."""
    model = np.arange(np.prod(shape), dtype="int32").reshape(shape)
    with octavo.buffered(None, shape=shape, dtype="int32") as u:
        u[...] = model
        for index in (model % 2 == 0, np.nonzero(model % 2), (model % 2 == 0, ...)):
            np.testing.assert_array_equal(u[index], model[index], strict=True)
        u[model % 2 == 0] = 0
        np.testing.assert_array_equal(u[...], np.where(model % 2, model, 0))


def test_ba1_so_it_is_of_any_array(tmp_path: Path) -> None:
    model = np.arange(7**5, dtype="int32").reshape((7,) * 5)
    with octavo.create_array(tmp_path / "a.npy", model.shape, "int32") as a:
        a[...] = model
        np.testing.assert_array_equal(a[model % 2 == 0], model[model % 2 == 0])


def test_a_single_boolean_among_arrays_is_refused(u: octavo.BufferedArray) -> None:
    for index in (([1, 2], True), (np.False_, [1]), (ROWS, np.array(True))):
        with pytest.raises(octavo.NotSupported, match="single boolean"):
            u[index]
        with pytest.raises(octavo.NotSupported, match="single boolean"):
            u[index] = 1
    np.testing.assert_array_equal(u[...], MODEL)


def test_what_cannot_be_done_in_place_is_refused_with_the_cure(u: octavo.BufferedArray) -> None:
    square = octavo.buffered(None, shape=(4, 4), dtype="float64")
    refused: dict[str, Callable[[], Any]] = {
        r"numpy\.add\.at .*bincount": lambda: np.add.at(u, [1, 1, 2], 1),
        r"numpy\.negative\.at ": lambda: np.negative.at(u, [1]),
        r"numpy\.matmul .*u\[\.\.\.\] = u @ x": lambda: square.__imatmul__(np.eye(4)),
        r"numpy\.add\.accumulate .*out=": lambda: np.add.accumulate(u, out=u),
        r"numpy\.add\.reduceat .*out=": lambda: np.add.reduceat(square, [0, 1, 2, 3], out=square),
        r"numpy\.add\.outer .*out=": lambda: np.add.outer(np.ones(4), np.ones(4), out=square),
        r"numpy\.add\.reduce .*out=": lambda: np.add.reduce(np.ones((2, 4, 4)), out=square),
        r"numpy\.divmod into": lambda: np.divmod(u, 2, out=(u, np.empty(SHAPE, "int32"))),
    }
    for said, use in refused.items():
        with pytest.raises(octavo.UsageError, match=said):
            use()
    np.testing.assert_array_equal(u[...], MODEL)
    assert not square[...].any()


def test_what_is_done_into_memory_is_numpys(u: octavo.BufferedArray) -> None:
    count, expected = np.zeros(1000, int), np.zeros(1000, int)
    np.add.at(count, u, 1)
    np.add.at(expected, MODEL, 1)
    np.testing.assert_array_equal(count, expected)
    np.testing.assert_array_equal(np.add.accumulate(u), np.add.accumulate(MODEL))
    np.testing.assert_array_equal(np.add.outer(u, [1, 2]), np.add.outer(MODEL, [1, 2]))
    with pytest.raises(TypeError, match=r"where|cast"):
        np.add(MODEL, 1, where=u, out=np.empty_like(MODEL))
