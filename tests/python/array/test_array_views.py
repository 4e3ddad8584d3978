# SPDX-License-Identifier: Apache-2.0
"""a.T, a.transpose and a.astype beside NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from fake_handle import array_of
from hypothesis import given
from hypothesis import strategies as st
from test_array_index import TYPES, numbers
from test_selection import SHAPES, indices

pytestmark = pytest.mark.timeout(120)


@given(SHAPES, st.data(), st.sampled_from(TYPES), st.sampled_from((*TYPES, "bool", "float16")))
def test_an_index_of_a_view_is_numpys(shape: tuple[int, ...], data: st.DataObject, stored: str, wanted: str) -> None:
    whole = numbers(shape, stored)
    a, handle = array_of(whole, [2] * len(shape))
    axes = data.draw(st.permutations(range(len(shape))))
    view, turned = a.transpose(*axes), whole.transpose(*axes)
    converted = np.dtype(stored).kind != "c" or np.dtype(wanted).kind == "c"  # else NumPy warns
    if converted:
        view, turned = view.astype(wanted), turned.astype(wanted)
    assert handle.events == []
    assert (view.shape, view.dtype, view.ndim, view.size, view.nbytes) == (turned.shape, turned.dtype, turned.ndim, turned.size, turned.nbytes)
    index = data.draw(indices(turned.shape))
    got, want = view[index], turned[index]
    assert type(got) is type(want) and got.dtype == want.dtype
    np.testing.assert_array_equal(got, want, strict=True)
    np.testing.assert_array_equal(np.asarray(view.T), turned.T, strict=True)


def test_views_are_made_as_in_numpy() -> None:
    whole = numbers((2, 3, 4), "float64")
    a, _ = array_of(whole)
    assert a.T.shape == a.transpose().shape == a.transpose(None).shape == a.T.transpose((0, 1, 2)).shape == (4, 3, 2)
    assert np.array_equal(np.transpose(a, (1, 2, 0)), whole.transpose(1, 2, 0)) and np.array_equal(a.transpose([-1, 0, 1])[...], whole.transpose(-1, 0, 1))
    assert np.array_equal(a.transpose(np.array([1, 0, 2]))[...], whole.transpose(1, 0, 2))  # type: ignore[arg-type]
    assert np.array_equal(list(a.T)[1], whole.T[1]) and len(a.T) == 4 and np.array_equal(a.T.T[...], whole)
    assert (a.astype("uint8").astype("float32")[...] == whole.astype("uint8")).all() and a.astype("uint8").astype("float32").dtype == np.float32
    assert repr(a.T) == "<octavo.ArrayView of '/fake/a.zarr' (4, 3, 2) float64, axes (2, 1, 0)>"
    assert np.array_equal(np.asarray(a.T, "float32"), whole.T.astype("float32"))


def test_a_view_is_written_into_another_array(tmp_path: Path) -> None:
    whole = numbers((5, 7), "float32")
    np.save(tmp_path / "a.npy", whole)
    a = octavo.open_array(tmp_path / "a.npy")
    with octavo.create_array(tmp_path / "b.zarr", (7, 5), "int16", chunks=(3, 2)) as b:
        b[...] = a.T.astype("int16")
        assert np.array_equal(b[...], whole.T)
        with pytest.raises(octavo.UsageError, match="a part of itself"):
            b[:5, :5] = b.T


WRONG: dict[str, tuple[Callable[[octavo.Array], Any], type[Exception], str]] = {
    "axes": (lambda a: a.transpose(0, 0), ValueError, "repeated axis"),
    "number of axes": (lambda a: a.transpose(0), ValueError, "axes don't match array"),
    "text": (lambda a: a.astype("U8"), octavo.NotSupported, r"an array on disk as <U8"),
    "boolean": (lambda a: a.T[[True, False, True]], octavo.NotSupported, r"a list index"),
    "no copy": (lambda a: a.T.__array__(copy=False), octavo.UsageError, "without a copy"),
    "memory": (lambda a: np.asarray(a.astype("complex128")), octavo.Refused, r"takes 1.1\d MiB, more than"),
    "writing": (lambda a: a.T.__setitem__(0, 1), AttributeError, "__setitem__"),  # type: ignore[attr-defined]
    "fftn": (lambda a: octavo.fft.fftn(a.T, out="b.npy"), octavo.NotSupported, r"a view is no array on disk.*b\[\.\.\.\] = view"),
    "copy": (lambda a: octavo.copy(a.astype("float32"), "b.npy"), octavo.NotSupported, r"a view is no array on disk"),
    "open_array": (lambda a: octavo.open_array(a.T), octavo.NotSupported, r"a view is no array on disk"),
    "Job": (lambda a: octavo.Job(a.T, "b.npy"), octavo.NotSupported, r"a view is no array on disk"),
    "info": (lambda a: octavo.info(a.T), octavo.NotSupported, r"a view is no array on disk"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_a_view_does_not_do_is_said(wrong: str) -> None:
    a, handle = array_of(np.ones((3, 25000), "uint8"))
    work, kind, words = WRONG[wrong]
    with pytest.raises(kind, match=words):
        work(a)
    assert handle.events == []
