# SPDX-License-Identifier: Apache-2.0
"""octavo.Array beside the NumPy array of the same elements: the same results, the same errors, bounded memory."""

from __future__ import annotations

import tracemalloc
from typing import Any
from unittest import mock

import numpy as np
import octavo
import pytest
from fake_handle import FakeHandle, array_of
from hypothesis import given
from hypothesis import strategies as st
from octavo._src import transfer
from test_selection import selections

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")
MIB = 1 << 20


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    """From 0 to 99 (complex: plus as many i), which all types can hold."""
    random = np.random.default_rng(seed)
    found = random.integers(0, 100, shape).astype(dtype)
    return found + random.integers(0, 100, shape).astype(dtype) * 1j if found.dtype.kind == "c" else found


def small_blocks(count: int) -> Any:
    return mock.patch.object(transfer, "BLOCK_BYTES", count)


def kind_of(source: str, target: str) -> bool:
    """Whether converting keeps the kind of number."""
    order = "iufc".replace("u", "")
    return order.index(np.dtype(source).kind.replace("u", "i")) <= order.index(np.dtype(target).kind.replace("u", "i"))


@given(selections())
def test_reading_is_numpys(case: tuple[tuple[int, ...], Any]) -> None:
    shape, index = case
    data = numbers(shape, "int32")
    a, handle = array_of(data)
    got, want = a[index], data[index]
    assert type(got) is type(want)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want, strict=True)
    if isinstance(got, np.ndarray):
        assert got.flags.c_contiguous and got.flags.owndata and got.flags.writeable
    assert len(handle.events) == (want.size > 0)  # one call; none where there is nothing to read


@given(selections(), st.sampled_from(TYPES), st.sampled_from(TYPES), st.randoms(use_true_random=False), st.integers(1, 300))
def test_read_permutes_and_converts_into_any_strides(case: tuple[tuple[int, ...], Any], stored: str, wanted: str, random: Any, limit: int) -> None:
    shape, index = case
    data = numbers(shape, stored)
    a, _ = array_of(data, [random.randint(1, 5) for _ in shape])
    want = np.asarray(data[index])
    axes = random.sample(range(want.ndim), want.ndim)
    want = want.transpose(axes)
    whole = np.full([2 * extent + 1 for extent in want.shape], 55, wanted).T
    out = whole.T[(*(random.choice((np.s_[1::2], np.s_[-2::-2])) for _ in want.shape), ...)]
    before = whole.copy()
    with small_blocks(limit):
        if not kind_of(stored, wanted):
            with pytest.raises(octavo.UsageError, match="would lose"):
                a.read(index, axes=axes, out=out)
            np.testing.assert_array_equal(whole, before)
            return
        assert a.read(index, axes=axes, out=out) is out
        np.testing.assert_array_equal(out, want.astype(wanted))
        out[...] = 55
        np.testing.assert_array_equal(whole, before)  # nothing beside it was touched
        np.testing.assert_array_equal(a.read(index, axes=axes, dtype=wanted), want.astype(wanted), strict=want.ndim > 0)


def broadcastable(draw: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that NumPy assigns to ``shape``: some axes of one element, the first ones left out or more of them."""
    if shape == ():  # NumPy 2.4 takes nothing else for a single element
        return ()
    found = [1 if draw(st.booleans()) else extent for extent in shape][draw(st.integers(0, len(shape))) :]
    return tuple([1] * draw(st.integers(0, 2)) + found) if len(found) == len(shape) else tuple(found)


@given(st.data(), selections(), st.sampled_from(TYPES), st.sampled_from(TYPES), st.integers(1, 300))
def test_writing_is_numpys(data: Any, case: tuple[tuple[int, ...], Any], stored: str, given_type: str, limit: int) -> None:
    shape, index = case
    want = numbers(shape, stored)
    a, handle = array_of(want, [data.draw(st.integers(1, 5)) for _ in shape])
    value = numbers(broadcastable(data.draw, np.asarray(want[index]).shape), given_type, 1)
    with small_blocks(limit):
        if not kind_of(given_type, stored):
            with pytest.raises(octavo.UsageError, match="would lose"):
                a[index] = value
            assert handle.events == []
        else:
            want[index] = value
            a[index] = value
    np.testing.assert_array_equal(handle.data, want)


@given(st.data(), selections(), st.integers(1, 300))
def test_an_array_on_disk_is_a_value_and_permutes(data: Any, case: tuple[tuple[int, ...], Any], limit: int) -> None:
    shape, index = case
    want = numbers(shape, "float32")
    a, handle = array_of(want)
    target = np.asarray(want[index])
    axes = data.draw(st.permutations(range(target.ndim)))
    value = numbers(broadcastable(data.draw, target.transpose(axes).shape), "int16", 1)
    b, source = array_of(value, path="/fake/b.zarr")
    with small_blocks(limit):
        a.write(index, b, axes=axes)
    changed = np.broadcast_to(value.reshape(value.shape[max(0, value.ndim - target.ndim) :]), target.transpose(axes).shape)
    want[index] = changed.transpose(np.argsort(axes)) if target.ndim else changed
    np.testing.assert_array_equal(handle.data, want)
    assert source.largest <= max(limit, 4)
    assert handle.largest <= max(limit, 4)
    a.write(index, np.ascontiguousarray(changed), axes=axes)
    np.testing.assert_array_equal(handle.data, want)


@pytest.mark.parametrize("index", [np.s_[...], np.s_[::-1, ::-2], np.s_[5::-2, None, 1:]])
@pytest.mark.parametrize("rows", [True, False])
def test_many_blocks_backwards(index: Any, rows: bool) -> None:
    want = numbers((7, 5), "int32")
    a, handle = array_of(want, [2, 2])
    value = numbers(want[index].shape if rows else want[index].shape[-1:], "int16", 1)
    want[index] = value
    with small_blocks(8):
        a[index] = value
        np.testing.assert_array_equal(handle.data, want)
        assert len(handle.events) > 4
        np.testing.assert_array_equal(a.read(index, dtype="int64"), want[index])


def test_values_that_numpy_makes_from_python_ones() -> None:
    a, handle = array_of(np.zeros((2, 3), "uint8"))
    a[0] = [1, 2, 255]
    a[1, ::-1] = (True, False, 7)
    np.testing.assert_array_equal(handle.data, [[1, 2, 255], [7, 0, 1]])
    b, handle = array_of(np.zeros((2, 3), "complex64"))
    b[..., 0], b[0, 1], b[1] = 2, 1.5, [1j, 2, np.float64(3)]
    np.testing.assert_array_equal(handle.data, np.array([[2, 1.5, 0], [1j, 2, 3]], "complex64"))


LOSSES = [("int32", 1.5), ("float64", 1j), ("uint8", 256), ("uint8", -1), ("int8", np.array([1, 128])), ("int64", 2**63), ("float32", "3"), ("float32", None)]


@pytest.mark.parametrize(("stored", "value"), LOSSES)
def test_values_that_would_lose_are_refused_before_anything_is_written(stored: str, value: Any) -> None:
    a, handle = array_of(np.ones((4, 2), stored))
    with small_blocks(1), pytest.raises(octavo.UsageError, match=r"writing to '/fake/a\.zarr'.*(x\.astype|x\.real|numpy\.asarray)"):
        a[1:3] = value
    assert handle.events == []


def test_reading_as_a_narrower_integer_refuses_what_does_not_fit() -> None:
    a, _ = array_of(np.array([1, 300], "int32"))
    assert a.read(0, dtype="uint8") == np.uint8(1)
    with pytest.raises(octavo.UsageError, match="300 is outside uint8"):
        a.read(dtype="uint8")
    np.testing.assert_array_equal(np.asarray(a, "uint8"), np.array([1, 44], "uint8"))  # as ndarray.astype: the caller named the type


@pytest.mark.parametrize("shape", [(2,), (3, 3), (1, 2, 3), (2, 1, 1, 3)])
def test_values_that_do_not_broadcast(shape: tuple[int, ...]) -> None:
    a, handle = array_of(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="could not broadcast input array from shape") as numpys:
        np.zeros((4, 3))[1] = np.zeros(shape)
    with pytest.raises(ValueError, match="could not broadcast input array from shape") as ours:
        a[1] = np.zeros(shape)
    assert str(numpys.value).partition("into")[2].strip() in str(ours.value)
    assert isinstance(ours.value, octavo.UsageError)
    assert handle.events == []


@pytest.mark.parametrize("index", [4, (0, -4), (0, 0, 0), (..., ...), "x", slice(0, 1, 0), 1.5])
def test_errors_of_an_index_are_numpys_for_reading_and_writing(index: Any) -> None:
    data = np.zeros((4, 3))
    a, handle = array_of(data)
    with pytest.raises((IndexError, ValueError)) as numpys:
        data[index]
    for use in (lambda: a[index], lambda: a.read(index), lambda: a.__setitem__(index, 1), lambda: a.write(index, 1)):
        with pytest.raises(numpys.type):
            use()
    assert handle.events == []


@pytest.mark.parametrize("mask", [np.ones(4, bool), [0, 1], True])
def test_read_and_write_take_no_masks(mask: Any) -> None:
    a, _ = array_of(np.zeros((4, 3)))
    with pytest.raises(octavo.NotSupported, match=r"a\[lo:hi\]\[mask\]"):
        a.read(mask)
    with pytest.raises(octavo.NotSupported, match=r"a\[lo:hi\]\[mask\]"):
        a.write(mask, 1)


def test_an_out_that_does_not_fit_is_refused() -> None:
    a, handle = array_of(np.zeros((4, 3)))
    locked = np.zeros(3)
    locked.flags.writeable = False
    for out, dtype, text in (
        (np.zeros(4), None, r"shape \(3,\), out \(4,\)"),
        (locked, None, "read-only"),
        (np.zeros(3), "float32", "dtype is float32, that of out float64"),
        ([0, 0, 0], None, "into a list"),
    ):
        with pytest.raises(octavo.UsageError, match=text):
            a.read(0, out=out, dtype=dtype)
    assert handle.events == []


def test_out_may_be_unaligned_and_of_the_other_byte_order() -> None:
    data = numbers((5, 4), "float32")
    a, _ = array_of(data)
    swapped = a.read(out=np.empty((5, 4), ">f4"))
    np.testing.assert_array_equal(swapped, data)
    packed = np.zeros((5, 4), np.dtype([("tag", "i1"), ("value", "f8")]))
    assert not packed["value"].flags.aligned
    a.read(out=packed["value"])
    np.testing.assert_array_equal(packed["value"], data)
    b, handle = array_of(np.zeros((5, 4)))
    b[...] = packed["value"]
    np.testing.assert_array_equal(handle.data, data)
    b[...] = data.astype(">f4") + 1
    np.testing.assert_array_equal(handle.data, data + 1)


def traced(work: Any) -> int:
    """The most that Python and NumPy had allocated at once while it ran, beside what was there before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def huge(gib: int) -> tuple[octavo.Array, FakeHandle]:
    data = np.broadcast_to(np.float64(0), (gib << 7, 1024, 1024))
    a, first = array_of(np.zeros((1, 1, 1)), [64, 128, 128], keep=False)
    handle = FakeHandle(np.zeros((1, 1, 1)), [64, 128, 128], keep=False)
    handle.shape = list(data.shape)
    a.close()
    assert "close" in first.events
    return type(a)(handle, a.opening), handle


def test_a_scalar_for_a_huge_slice_takes_one_block() -> None:
    a, handle = huge(4)
    peak = traced(lambda: a.__setitem__(np.s_[1:, 3:], 2.5))
    assert handle.moved == (a.shape[0] - 1) * (a.shape[1] - 3) * a.shape[2] * 8
    assert handle.largest <= 64 * MIB
    assert peak < 65 * MIB


def test_a_row_for_a_huge_slice_is_broadcast_block_by_block() -> None:
    a, handle = huge(1)
    peak = traced(lambda: a.__setitem__(..., np.arange(1024, dtype="int64")[:, None]))
    assert handle.moved == a.nbytes
    assert handle.largest <= 64 * MIB
    assert peak < 65 * MIB


def test_reading_allocates_the_result_and_nothing_beside_it() -> None:
    a, handle = huge(1)
    assert traced(lambda: a[::-1, ::2, ::-4]) < a.nbytes // 8 + MIB
    assert traced(lambda: a.read(np.s_[:16], axes=(2, 0, 1), dtype="complex128")) < 256 * MIB + MIB
    handle.events.clear()
    assert traced(lambda: a.read(np.s_[:32], dtype=">f8")) < 256 * MIB + 65 * MIB
    assert len(handle.events) == 4
