# SPDX-License-Identifier: Apache-2.0
"""Sums, means, extremes and spreads of an array on disk beside NumPy's of the same elements."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import octavo
import pytest
from fake_handle import array_of
from hypothesis import given
from hypothesis import strategies as st
from octavo._src import transfer
from test_array_index import TYPES, numbers

pytestmark = pytest.mark.timeout(120)
NAMES = ("sum", "mean", "min", "max", "var", "std")
SINGLE = ("float32", "complex64")


@st.composite
def cases(draw: st.DrawFn) -> tuple[tuple[int, ...], list[int], int | tuple[int, ...] | None]:
    """A shape without 0, pages, axes."""
    shape = tuple(draw(st.lists(st.integers(1, 7), max_size=4)))
    pages = [draw(st.integers(1, 5)) for _ in shape]
    if not shape or draw(st.booleans()):
        return shape, pages, draw(st.sampled_from([None, ()]))
    one = st.integers(-len(shape), len(shape) - 1)
    return shape, pages, draw(one | st.lists(one, unique_by=lambda axis: axis % len(shape)).map(tuple))


def assert_same(got: Any, want: Any, tolerance: float) -> None:
    assert type(got) is type(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@given(cases(), st.sampled_from(TYPES), st.sampled_from(NAMES), st.booleans(), st.integers(1, 3000), st.integers(0, 1), st.booleans())
def test_reductions_are_numpys(case: Any, dtype: str, name: str, keepdims: bool, limit: int, ddof: int, turned: bool) -> None:
    shape, pages, axis = case
    data = numbers(shape, dtype)
    a, handle = array_of(data, pages)
    more: dict[str, Any] = {"ddof": ddof} if name in ("var", "std") else {}
    seen, whole = (a.T, data.T) if turned else (a, data)
    with warnings.catch_warnings(), np.errstate(all="ignore"), mock.patch.object(transfer, "BLOCK_BYTES", limit):
        warnings.simplefilter("ignore")  # of ddof
        got = getattr(seen, name)(axis=axis, keepdims=keepdims, **more)
        want = getattr(whole, name)(axis=axis, keepdims=keepdims, **more)
    assert_same(got, want, 1e-5 if dtype in SINGLE else 1e-12)
    assert handle.moved == data.nbytes, "each element is read once"
    assert handle.largest <= max(limit, data.itemsize)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(lambda shape: 0 in shape), st.sampled_from(NAMES), st.integers(0, 2), st.booleans())
def test_empty_arrays_give_what_numpy_gives(shape: list[int], name: str, axis: int, everything: bool) -> None:
    data = np.zeros(shape, "float32")
    a, _ = array_of(data, [1] * len(shape))
    chosen = None if everything else axis % len(shape)

    def outcome(of: Any) -> Any:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                return getattr(of, name)(axis=chosen), [str(each.message) for each in told]
            except ValueError as error:
                return str(error), []

    got, want = outcome(a), outcome(data)
    assert got[1] == want[1]
    assert got[0] == want[0] if isinstance(want[0], str) else (np.array_equal(got[0], want[0], equal_nan=True) and got[0].dtype == want[0].dtype)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("odd", [[np.nan, 1, 2, 3], [np.inf, 1, 2, 3], [np.inf, 1, -np.inf, 3], [1, 2, -np.inf, np.nan]])
def test_nan_and_infinities_are_numpys(name: str, odd: list[float]) -> None:
    data = np.array([odd, [4.0, 3, 2, 1]])
    a, _ = array_of(data, [1, 2])
    for axis in (None, 0, 1):
        with np.errstate(all="ignore"), mock.patch.object(transfer, "BLOCK_BYTES", 1):
            np.testing.assert_allclose(getattr(a, name)(axis=axis), getattr(data, name)(axis=axis))


@pytest.mark.parametrize("block", [1, 1 << 20])
def test_large_offsets_and_many_boxes_lose_nothing(block: int) -> None:
    data = np.concatenate([np.full(500, 1e16), np.ones(1000), np.full(500, -1e16)])
    near = 1e8 + np.arange(1000) % 2
    with mock.patch.object(transfer, "BLOCK_BYTES", block):
        assert array_of(np.full(4096, 0.1, "float32"), [7])[0].sum() == np.float32(4096 * float(np.float32(0.1)))
        assert abs(array_of(near, [16])[0].var() - 0.25) < 1e-7
        if block == 1:
            assert array_of(data, [1])[0].sum() == 1000, "what each addition lost comes back"


def test_integers_wrap_around_as_in_numpy() -> None:
    for dtype, value in (("int64", 2**62), ("uint64", 2**63), ("uint8", 255)):
        data = np.full(9, value, dtype)
        a, _ = array_of(data, [2])
        assert a.sum() == data.sum() and a.sum().dtype == data.sum().dtype
    assert array_of(np.full(300, 255, "uint8"), [7])[0].sum() == 300 * 255


def test_numpys_functions_call_the_methods() -> None:
    data = numbers((5, 6), "float32")
    a, handle = array_of(data)
    assert np.mean(a) == np.float32(data.mean())
    assert np.array_equal(np.max(a, axis=0), data.max(axis=0)) and np.array_equal(np.min(a, 1, keepdims=True), data.min(1, keepdims=True))
    assert np.sum(a, dtype="float64").dtype == np.float64 and np.mean(a, dtype="complex128").dtype == np.complex128
    assert np.isclose(np.std(a, ddof=1), data.std(ddof=1)) and np.allclose(np.var(a, axis=-1), data.var(axis=-1))
    assert a.astype("int8").sum(dtype="int16").dtype == np.int16
    assert handle.moved >= 8 * data.nbytes


WRONG: dict[str, tuple[Callable[[octavo.Array], Any], type[Exception], str]] = {
    "out": (lambda a: np.sum(a, out=np.zeros(())), octavo.NotSupported, r"sum of '.*' into an out.*out\[\.\.\.\] = a\.sum"),
    "where": (lambda a: np.sum(a, where=True), octavo.UsageError, r"sum\(\) has no option 'where'"),
    "axis": (lambda a: a.max(axis=2), ValueError, r"axis 2 is out of bounds for array of dimension 2"),
    "axes": (lambda a: a.mean(axis=(0, -2)), ValueError, r"duplicate value in 'axis'"),
    "text": (lambda a: a.mean(axis="x"), TypeError, r"integer"),
    "dtype": (lambda a: a.var(dtype="int64"), octavo.UsageError, r"var of '.*' with dtype int64. Give a floating one, or none"),
    "object": (lambda a: a.sum(dtype="O"), octavo.UsageError, r"with dtype O. Give one of numbers"),
}


def test_the_spread_of_complex_numbers_has_no_real_dtype() -> None:
    a, _ = array_of(np.array([1 + 2j, 3 - 1j]))
    with pytest.raises(octavo.UsageError, match="no imaginary part"):
        a.var(dtype="float64")
    assert np.isclose(a.var(dtype="complex64"), np.var([1 + 2j, 3 - 1j]))


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_said(wrong: str) -> None:
    a, handle = array_of(np.ones((4, 6)))
    work, kind, words = WRONG[wrong]
    with pytest.raises(kind, match=words):
        work(a)
    assert handle.events == []
    a.close()
    with pytest.raises(octavo.UsageError, match="closed"):
        a.sum()


def test_degrees_of_freedom_that_are_none_are_warned_of() -> None:
    a, _ = array_of(np.ones((1, 3)))
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        assert np.isnan(a.std(axis=0, ddof=1)).all()


def test_a_result_that_does_not_fit_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    octavo.create_array(tmp_path / "a.npy", (2, 1 << 20), "float64").close()
    a = octavo.open_array(tmp_path / "a.npy", memory="4MiB")
    with pytest.raises(octavo.Refused, match=r"sum of '.*a.npy' along 0 takes 8 MiB, more than the memory it was opened with, 4 MiB. Reduce more axes"):
        a.sum(axis=0)
    assert a.sum() == 0 and a.sum(axis=1).shape == (2,)


def test_arrays_on_disk_with_fill_values(tmp_path: Path) -> None:
    with octavo.create_array(tmp_path / "a.zarr", (37, 20, 11), "float32", chunks=(8, 20, 3), fill_value=2.5, compressor="zstd") as a:
        a[3:20, ::2] = np.arange(11)
        whole = np.asarray(a)
        for name in NAMES:
            for axis in (None, 0, (0, 2), (-1, 1)):
                assert_same(getattr(a, name)(axis=axis), getattr(whole, name)(axis=axis), 1e-5)
