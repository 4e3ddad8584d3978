# SPDX-License-Identifier: Apache-2.0
"""Reductions of distributed arrays as NumPy has them (DA-7): var, std, any and all, keepdims, axes; and what is refused, with the cure."""

from __future__ import annotations

from typing import Any

import numpy as np
import octavo as ov
import pytest
from distributed_classes import Holder
from octavo.distributed import DistributedArray, Split, from_array, zeros

pytestmark = pytest.mark.timeout(120)
SPLITS = [
    Split(grid=(4, 1, 1), halo=(1, 0, 0)),
    Split(grid=(2, 1, 2)),
    Split(grid=(1, 4, 1), dist="cyclic"),
    Split(grid=(2, 2, 1), dist=(2, "block", "block"), members=(3, 0, 2, 1)),
]
AXES: list[Any] = [None, np.int64(0), 1, -1, (2, 0)]
NAMES = ("sum", "prod", "min", "max", "mean", "any", "all", "var", "std")


def numbers(dtype: str) -> np.ndarray[Any, Any]:
    """5 x 3 x 4 of which some are zero."""
    found = np.random.default_rng(7).integers(-2, 3, (5, 3, 4)).astype(dtype)
    return found + np.asarray(1j).astype(dtype) if found.dtype.kind == "c" else found


@pytest.mark.parametrize(("split", "dtype"), zip(SPLITS, ["f8", "f4", "i2", "c16"], strict=True), ids=lambda each: str(getattr(each, "grid", each)))
def test_da7_reductions_are_numpys(g: ov.Group[Holder], split: Split, dtype: str) -> None:
    whole = numbers(dtype)
    a = from_array(whole, group=g, split=split)
    for name in NAMES:
        if dtype == "c16" and name in ("min", "max"):
            continue
        for axis in AXES:
            for keepdims in (False, bool(axis != 1)):
                found, wanted = getattr(a, name)(axis=axis, keepdims=keepdims), getattr(whole, name)(axis=axis, keepdims=keepdims)
                value: Any = found.gather() if isinstance(found, DistributedArray) else found
                assert np.shape(value) == np.shape(wanted), (name, axis, keepdims)
                assert np.allclose(value, wanted, rtol=1e-5 if dtype == "f4" else 1e-12), (name, axis, keepdims)
                if name not in ("any", "all"):
                    assert value.dtype == wanted.dtype, (name, axis, keepdims)


def test_da7_numpys_functions_find_them(g: ov.Group[Holder]) -> None:
    whole = numbers("f8")
    a = from_array(whole, group=g)
    for function in (np.sum, np.mean, np.min, np.any, np.all, np.var, np.std):
        assert np.allclose(function(a), function(whole))
        assert np.allclose(function(a, axis=1, keepdims=True).gather(), function(whole, axis=1, keepdims=True))
    assert np.isclose(np.std(a, ddof=1), np.std(whole, ddof=1))
    assert np.allclose(np.var(a, axis=(0, 1), ddof=2).gather(), np.var(whole, axis=(0, 1), ddof=2))


def test_da7_members_reduce_together(g: ov.Group[Holder]) -> None:
    def work(me: ov.Member, whole: Any) -> list[Any]:
        a = from_array(whole, group=me.group, axis=1)
        kept = a.mean(axis=0, keepdims=True)
        assert kept.split.grid == (1, 4, 1)
        return [a.var(), a.std(axis=1).gather(root=0), kept.gather(root=0), bool(a.any()), a.all(axis=2).gather(root=0)]

    whole = numbers("f8")
    results = g.all.run(work, whole)
    assert all(np.isclose(each[0], whole.var()) and each[3] is True for each in results)
    assert len({each[0] for each in results}) == 1
    for found, wanted in zip(results[0][1:3], [whole.std(axis=1), whole.mean(axis=0, keepdims=True)], strict=True):
        assert np.allclose(found, wanted)
    assert results[0][4].tolist() == whole.all(axis=2).tolist()


def test_da7_a_variance_beside_a_large_mean(g: ov.Group[Holder]) -> None:
    whole = np.tile([1e9 + 1, 1e9 - 1, 0.0, 1.0], (8, 1)) + np.repeat([0.0, 2.0], 4)[:, None]
    a = from_array(whole, group=g)
    assert np.allclose(a.var(axis=0).gather(), [1.0] * 4, rtol=1e-12)


def test_da7_any_and_all_of_nan_and_of_nothing(g: ov.Group[Holder]) -> None:
    a = from_array(np.array([0.0, np.nan]), group=g)
    assert (a.any(), a.all()) == (True, False)
    none = zeros((0, 3), group=g)
    assert (none.any(), none.all()) == (False, True)
    assert (none.any(axis=0).gather().tolist(), none.all(axis=0).gather().tolist()) == ([0] * 3, [1] * 3)
    for name in ("var", "std", "mean", "min"):
        with pytest.raises(ov.UsageError, match=f"{name} of .* elements"):
            getattr(none, name)(axis=0)


def test_da7_what_is_not_there_says_what_to_do(g: ov.Group[Holder]) -> None:
    a: Any = zeros((4, 2), group=g)
    work: Any
    for work, text in [
        (lambda: a.sum(axis=2), r"Name axes from -2 to 1"),
        (lambda: a.sum(axis=-3), r"Name axes from -2 to 1"),
        (lambda: a.sum(axis=(0, -2)), r"each once"),
        (lambda: a.sum(axis=1.5), r"An axis is an integer"),
        (lambda: a.var(ddof=8), r"ddof from 0 to fewer"),
        (lambda: bool(a), r"a.any\(\) or a.all\(\)"),
    ]:
        with pytest.raises(ov.UsageError, match=text):
            work()
    for work, text in [
        (lambda: a.sum(dtype="f4"), r"with dtype=.*a.astype"),
        (lambda: np.sum(a, out=np.zeros(())), r"with out=.*Leave it away"),
        (lambda: a.max(initial=3), r"with initial=.*add it"),
        (lambda: np.mean(a, where=np.ones((4, 2), bool)), r"with where=.*a.local in members"),
        (lambda: a.sum(axis=()), r"along no axis"),
        (lambda: a[0], r"by indices.*a.gather\(\)"),
        (lambda: a.__setitem__(0, 1), r"by indices.*a.local"),
        (lambda: a > 0, r"type bool.*out="),
    ]:
        with pytest.raises(ov.NotSupported, match=text):
            work()
    with pytest.raises(AttributeError, match=r"no 'cumsum'. Use a.local in members, or a.gather\(\)"):
        a.cumsum()
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'"):
        _ = a.nonsense
    assert not hasattr(a, "argmax")


def test_da9_comparisons_into_ones_and_zeros_and_other_types(g: ov.Group[Holder]) -> None:
    whole = numbers("f8")
    a = from_array(whole, group=g)
    is_more: Any = zeros(a.shape, "u1", group=g, split=a.split)
    np.greater(a, 0, out=is_more)
    assert is_more.gather().tolist() == (whole > 0).astype(int).tolist()
    assert is_more.any() and not is_more.all()
    narrow: Any = a.astype(">f4")
    assert (narrow.dtype, narrow.gather().tolist()) == (np.dtype("f4"), whole.tolist())
    with pytest.raises(ov.NotSupported, match="elements of type bool"):
        a.astype(bool)


def test_da3_what_makes_no_sense_is_a_usage_error(g: ov.Group[Holder]) -> None:
    a: Any = zeros((4, 2), group=g)
    work: Any
    for work, text in [
        (lambda: a.gather(root=-1), "root -1 .*from 0 to 3"),
        (lambda: a.gather(root="x"), "root 'x' .*from 0 to 3"),
        (lambda: ov.distributed.full(3, 300, "u1", group=g), "fill_value 300 is no number of uint8"),
        (lambda: ov.distributed.full(3, float("nan"), "i4", group=g), "no number of int32"),
        (lambda: ov.distributed.full(3, 1e300, "f4", group=g), "no number of float32"),
        (lambda: ov.distributed.full(3, 1j, group=g), "no number of float64"),
        (lambda: ov.distributed.full(3, "x", group=g), "Give one number"),  # type: ignore[arg-type]
        (lambda: a.exchange_halo(1j), "boundary 1j is no number"),
        (lambda: zeros((), group=g), "without axes"),
        (lambda: from_array([1.0, 2.0], group=g), "Make an array of it"),  # type: ignore[arg-type]
    ]:
        with pytest.raises(ov.UsageError, match=text):
            work()
    tenths: Any = ov.distributed.full(3, 0.1, "f4", group=g)
    nans: Any = ov.distributed.full(3, float("nan"), "c8", group=g)
    assert tenths.gather().tolist() == [np.float32(0.1)] * 3
    assert np.isnan(nans.gather()).all()
