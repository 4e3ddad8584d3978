# SPDX-License-Identifier: Apache-2.0
"""Arrays as arguments and results: every type, layout and size; and they are values, also while a started call is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo
import pytest
from hosted_classes import Echo
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

pytestmark = pytest.mark.timeout(60)
Array = npt.NDArray[Any]

LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "whole": lambda a: a,
    "reversed": lambda a: a[::-1],
    "strided": lambda a: a[..., ::2],
    "transposed": lambda a: a.T,
    "fortran": np.asfortranarray,
    "repeated": lambda a: np.broadcast_to(a, (2, *a.shape)),
}
DTYPES = [
    *("?", "b", "B", "<i2", ">i2", "<u4", "<i8", ">u8", "<f2", "<f4", ">f8", "longdouble", "<c8", ">c16", "clongdouble"),
    *("S5", "<U3", ">U3", "V7", "<M8[ns]", "<m8[s]", "<M8[D]"),
]


class Sums(Echo):
    def total(self, a: Array) -> float:
        return float(a.sum())

    def overwrite(self, a: Array) -> Array:
        a[...] = 7
        return a

    def ones(self, *shape: int) -> Array:
        return np.ones(shape)

    def held(self, path: str, a: Array) -> float:
        self.hold(path)
        return self.total(a)


@pytest.fixture(scope="module")
def sums() -> Sums:
    return octavo.process.make(Sums)


def check(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if want.dtype.hasobject:
        assert got.tolist() == want.tolist()
    else:
        assert got.tobytes() == want.tobytes()  # NaN and -0.0, too


@given(a=hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)), layout=st.sampled_from(sorted(LAYOUTS)))
def test_any_array(echo: Echo, a: Array, layout: str) -> None:
    if a.ndim > 0:
        a = np.asarray(LAYOUTS[layout](a))
    check(echo.same(a), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,), (40, 50)], ids=str)
def test_every_type(echo: Echo, dtype: str, shape: tuple[int, ...]) -> None:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    data = bytes(i % 2 for i in range(size))
    a = np.ndarray(shape, dtype, bytearray(data))
    check(echo.same(a), a)
    check(echo.same([1, {"a": a}])[1]["a"], a)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("dtype", [">f8", ">i2", ">c16", ">U3", ">M8[s]"])
def test_the_byte_order_is_kept_where_numpy_itself_changes_it(echo: Echo, dtype: str, layout: str) -> None:
    a = LAYOUTS[layout](np.arange(600).reshape(20, 30).astype(dtype))
    record = np.zeros((20, 30), [("a", "<f4"), ("b", dtype)])
    record["b"] = np.arange(600).reshape(20, 30)
    for each in (a, LAYOUTS[layout](record), LAYOUTS[layout](record["b"])):
        check(echo.same(each), each)
        check(echo.same({"a": [each, each]})["a"][1], each)
    out, values = octavo.channel()
    jobs, box = octavo.Queue[Array](), octavo.Mailbox[Array](f"byte order of {dtype} {layout}")
    out.post(a)
    jobs.put(a)
    box.post(a)
    for got in (values.retrieve(), jobs.get(), box.retrieve()):
        check(got, a)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("side", [3, 400], ids=["small", "more than 1 MiB"])
def test_every_layout(echo: Echo, layout: str, side: int) -> None:
    a = LAYOUTS[layout](np.arange(float(side * side)).reshape(side, side))
    before = a.copy()
    check(echo.same(a), a)
    assert np.array_equal(a, before)


def test_the_order_of_fortran_is_kept(echo: Echo) -> None:
    for side in (3, 400):
        got = echo.same(np.asfortranarray(np.arange(float(side * side)).reshape(side, side)))
        assert got.flags.f_contiguous


def test_types_with_fields(echo: Echo) -> None:
    kind = np.dtype([("a", "<i4"), ("b", ">f8", (2,)), ("c", "S3")])
    for count in (0, 3, 1000, 100_000):
        a = np.zeros(count, kind)
        a["a"] = np.arange(count)
        check(echo.same(a), a)
        assert np.array_equal(echo.same(a)["a"], a["a"])
    aligned = np.zeros(5, np.dtype([("a", "i1"), ("b", "f8")], align=True))
    check(echo.same(aligned), aligned)
    record = np.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
    check(echo.same(record), record)


def test_arrays_of_objects_and_of_texts(echo: Echo) -> None:
    a = np.array([1, "two", None, [3], {"four": np.arange(2).tolist()}], dtype=object)
    check(echo.same(a), a)
    assert echo.same(a).tolist() == a.tolist()
    b = np.array(["a", "longer text than fits inside"], dtype=np.dtypes.StringDType())
    assert echo.same(b).tolist() == b.tolist()
    assert echo.same(b).dtype == b.dtype


@pytest.mark.parametrize("what", [np.float32(1.5), np.int64(-3), np.bool_(True), np.str_("a"), np.datetime64("2026-01-02"), np.complex64(1j)], ids=repr)
def test_single_elements(echo: Echo, what: Any) -> None:
    assert type(echo.same(what)) is type(what)
    assert echo.same(what) == what


def test_subclasses_of_arrays(echo: Echo) -> None:
    masked = np.ma.masked_array([1, 2, 3], mask=np.array([False, True, False]))
    got = echo.same(masked)
    assert type(got) is type(masked)
    assert got.tolist() == [1, None, 3]


@pytest.mark.parametrize("count", [10, 1000, 300_000])
def test_a_method_may_write_into_its_argument_and_the_caller_does_not_see_it(sums: Sums, count: int) -> None:
    a = np.arange(float(count))
    got = sums.overwrite(a)
    assert (got == 7).all()
    assert np.array_equal(a, np.arange(float(count)))


@pytest.mark.parametrize("count", [10, 1000, 300_000])
def test_a_result_may_be_written(sums: Sums, count: int) -> None:
    got = sums.ones(count)
    got[0] = 5
    assert got.sum() == count + 4


@pytest.mark.parametrize("count", [10, 300_000])
def test_a_read_only_array_is_sent(sums: Sums, count: int) -> None:
    a = np.ones(count)
    a.flags.writeable = False
    assert sums.total(a) == count
    check(sums.same(a), a)


@pytest.mark.parametrize("count", [10, 1000, 1_000_000])
def test_what_happens_to_an_array_after_start_is_not_seen(sums: Sums, tmp_path: Path, count: int) -> None:
    gate = tmp_path / "gate"
    a = np.ones(count)
    calls = [octavo.start(sums.held, str(gate), a)]
    threading.Timer(2, gate.touch).start()  # lest it hangs
    calls += [octavo.start(sums.total, a) for _ in range(3)]
    a[...] = 0
    gate.touch()
    assert [call.result() for call in calls] == [count] * 4


def test_an_array_that_stands_twice_is_one(echo: Echo) -> None:
    for count in (10, 300_000):
        a = np.arange(count)
        got = echo.same([a, {"a": a}])
        assert got[0] is got[1]["a"]


def test_many_arrays_in_one_call(echo: Echo) -> None:
    many = [np.full(600, i) for i in range(400)]
    got = echo.same(many)
    assert all(np.array_equal(x, y) for x, y in zip(got, many, strict=True))
    turned = [np.asfortranarray(np.full((30, 30), i)) for i in range(400)]
    assert all(np.array_equal(x, y) for x, y in zip(echo.same(turned), turned, strict=True))


def test_large_ones(sums: Sums) -> None:
    a = np.arange(4 << 20, dtype=np.float64)  # 32 MiB
    assert sums.total(a) == a.sum()
    assert sums.ones(1 << 20).sum() == 1 << 20
    assert np.array_equal(sums.same({"a": a})["a"], a)
