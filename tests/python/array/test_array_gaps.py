# SPDX-License-Identifier: Apache-2.0
"""nansum, nanmean, nanmin, nanmax, nanvar and nanstd of an array on disk beside NumPy's functions of the same elements, their warnings included."""

from __future__ import annotations

import warnings
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
from test_array_reductions import SINGLE, assert_same, cases

pytestmark = pytest.mark.timeout(120)
NAMES = ("nansum", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd")


def with_gaps(shape: tuple[int, ...], dtype: str, share: float, seed: int) -> Any:
    """Numbers of which about ``share`` are NaN; of integers none can be."""
    data = numbers(shape, dtype)
    if np.dtype(dtype).kind in "fc":
        data = np.where(np.random.default_rng(seed).random(shape) < share, np.dtype(dtype).type(np.nan), data).astype(dtype)
    return data


def outcome(call: Any) -> tuple[Any, list[str]]:
    """What it gives, and what it warns of, once each."""
    with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        found = call()
    return found, sorted({str(each.message).rstrip(".") for each in told if "All-NaN axis" not in str(each.message)})


def check(a: Any, whole: Any, name: str, tolerance: float, **more: Any) -> None:
    got, warned = outcome(lambda: getattr(a, name)(**more))
    want, expected = outcome(lambda: getattr(np, name)(whole, **more))
    assert_same(got, want, tolerance)
    assert warned == expected


@given(cases(), st.sampled_from(TYPES), st.sampled_from(NAMES), st.booleans(), st.integers(1, 3000), st.integers(0, 2), st.booleans(), st.data())
def test_nan_reductions_are_numpys(case: Any, dtype: str, name: str, keepdims: bool, limit: int, ddof: int, turned: bool, data: st.DataObject) -> None:
    shape, pages, axis = case
    whole = with_gaps(shape, dtype, data.draw(st.sampled_from([0, 0.3, 0.8, 1])), data.draw(st.integers(0, 99)))
    a, handle = array_of(whole, pages)
    more: dict[str, Any] = {"ddof": ddof} if name in ("nanvar", "nanstd") else {}
    seen, array = (a.T, whole.T) if turned else (a, whole)
    with mock.patch.object(transfer, "BLOCK_BYTES", limit):
        check(seen, array, name, 1e-5 if dtype in SINGLE else 1e-12, axis=axis, keepdims=keepdims, **more)
    assert handle.moved == whole.nbytes, "each element is read once"
    assert handle.largest <= max(limit, whole.itemsize)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("odd", [[np.nan, np.inf, 1, 2], [np.inf, np.nan, -np.inf, 3], [np.nan] * 4, [-0.0, np.nan, 0.0, np.nan]])
def test_infinities_beside_gaps_are_numpys(name: str, odd: list[float]) -> None:
    whole = np.array([odd, [4.0, 3, np.nan, 1]])
    a, _ = array_of(whole, [1, 2])
    for axis in (None, 0, 1, (0, 1)):
        with mock.patch.object(transfer, "BLOCK_BYTES", 1):
            check(a, whole, name, 1e-12, axis=axis)


@pytest.mark.parametrize("name", NAMES)
def test_a_type_that_is_asked_for(name: str) -> None:
    whole = with_gaps((6, 5), "float32", 0.4, 1)
    a, _ = array_of(whole, [2, 3])
    if name in ("nanmin", "nanmax"):
        with pytest.raises(octavo.UsageError, match="no option 'dtype'"):
            getattr(a, name)(dtype="float64")
        return
    check(a, whole, name, 1e-6, dtype="float64", axis=0)  # NumPy itself takes the distances in single precision
    with pytest.raises(octavo.NotSupported, match=rf"{name} of '.*' into an out"):
        getattr(a, name)(out=np.zeros(()))


@pytest.mark.parametrize("name", NAMES)
def test_empty_arrays_give_what_numpy_gives(name: str) -> None:
    whole = np.zeros((0, 3), "float32")
    a, _ = array_of(whole, [1, 1])
    check(a, whole, name, 0, axis=1)
    if name in ("nanmin", "nanmax"):
        with pytest.raises(ValueError, match="zero-size array to reduction operation"):
            getattr(a, name)()
    else:
        check(a, whole, name, 0)


def test_the_gaps_of_an_array_on_disk_stay(tmp_path: Path) -> None:
    whole = with_gaps((40, 30, 9), "float32", 0.3, 3)
    np.save(tmp_path / "a.npy", whole)
    a = octavo.open_array(tmp_path / "a.npy", mode="r+")
    for name in NAMES:
        for axis in (None, 1, (0, -1)):
            check(a, whole, name, 1e-5, axis=axis)
    a.close()
    assert np.array_equal(np.load(tmp_path / "a.npy"), whole, equal_nan=True)
