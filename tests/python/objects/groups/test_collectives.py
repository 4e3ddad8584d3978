# SPDX-License-Identifier: Apache-2.0
"""The collectives of Python objects, G-5 to G-8, G-13 and G-14: each against what the values of all members give in one process."""

from __future__ import annotations

import functools
import itertools
import operator
import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import octavo as ov
import pytest
from group_classes import Part

pytestmark = pytest.mark.timeout(180)
SIZES = [1, 2, 3, 5]


@pytest.fixture(scope="module", params=SIZES)
def g(request: pytest.FixtureRequest) -> Iterator[ov.Group[Part]]:
    made = ov.make_group(Part, request.param, place=[ov.process, ov.thread])
    yield made
    ov.destroy(made)


def values_of(kind: str, size: int) -> list[Any]:
    seeds = random.Random(f"{kind} {size}")
    kinds: dict[str, Any] = {
        "int": lambda: seeds.randrange(-(10**30), 10**30),
        "float": lambda: seeds.random(),
        "text": lambda: "".join(seeds.choices("abc", k=seeds.randrange(5))),
        "list": lambda: [seeds.randrange(9) for _ in range(seeds.randrange(4))],
        "small array": lambda: np.array([seeds.randrange(9) for _ in range(6)]),
        "large array": lambda: np.random.default_rng(seeds.randrange(99)).random((300, 500)),
        "object": lambda: {"a": (seeds.randrange(9), None), "b": np.arange(3)},
    }
    return [kinds[kind]() for _ in range(size)]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and bool(np.array_equal(one, other))
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


KINDS = ["int", "float", "text", "list", "small array", "large array", "object"]


@pytest.mark.parametrize("kind", KINDS)
def test_g5_values_go_to_all_and_come_from_all(g: ov.Group[Part], kind: str) -> None:
    n = len(g)
    values = values_of(kind, n)
    each = ov.each(values)
    for root in {0, n - 1}:
        assert same(g.all.run(lambda me, x, root: me.broadcast(x if me.index == root else None, root), each, root), [values[root]] * n)
        assert same(g.all.run(lambda me, xs, root: me.scatter(xs if me.index == root else None, root), values, root), values)
        gathered = g.all.run(lambda me, x, root: me.gather(x, root), each, root)
        assert same(gathered, [values if i == root else None for i in range(n)])
    assert same(g.all.run(lambda me, x: me.all_gather(x), each), [values] * n)
    rows = [[(i, j, values[j]) for j in range(n)] for i in range(n)]
    assert same(g.all.run(lambda me, row: me.all_to_all(row), ov.each(rows)), [[rows[i][j] for i in range(n)] for j in range(n)])


@pytest.mark.parametrize("kind", ["int", "text", "list"])
def test_g6_operands_come_in_the_order_of_the_indices(g: ov.Group[Part], kind: str) -> None:
    n = len(g)
    values = values_of(kind, n)
    whole = functools.reduce(operator.add, values)
    each = ov.each(values)
    assert g.all.run(lambda me, x: me.all_reduce(x, operator.add), each) == [whole] * n
    for root in {0, n - 1}:
        assert g.all.run(lambda me, x, root: me.reduce(x, operator.add, root), each, root) == [whole if i == root else None for i in range(n)]
    up_to = list(itertools.accumulate(values, operator.add))
    assert g.all.run(lambda me, x: me.scan(x, operator.add), each) == up_to
    first = type(values[0])()
    assert g.all.run(lambda me, x, init: me.exclusive_scan(x, init, operator.add), each, first) == [first, *up_to[:-1]]


DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16", ">f8", "?", "f2"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
def test_g6_arrays_are_reduced_element_by_element(g: ov.Group[Part], dtype: str, name: str) -> None:
    ufunc = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}[name]
    n = len(g)
    draws = np.random.default_rng(n)
    arrays = [(draws.integers(0, 5, (3, 7)) + (1j * draws.integers(0, 3, (3, 7)) if dtype[0] == "c" else 0)).astype(dtype) for _ in range(n)]
    whole = functools.reduce(ufunc, arrays)
    for op in (name, ufunc):
        for made in g.all.run(lambda me, x, op: me.all_reduce(x, op), ov.each(arrays), op):
            assert np.array_equal(made, whole)
            assert made.shape == (3, 7)
            assert made.dtype == whole.dtype
        made = g.all.run(lambda me, x, op: me.reduce(x, op, me.size - 1), ov.each(arrays), op)
        assert [one is None for one in made] == [i < n - 1 for i in range(n)]
        assert np.array_equal(made[-1], whole)
    up_to = list(itertools.accumulate(arrays, ufunc))
    assert same(g.all.run(lambda me, x, op: me.scan(x, op), ov.each(arrays), name), up_to)


def test_nan_is_not_lost(g: ov.Group[Part]) -> None:
    n = len(g)
    arrays = [np.array([np.nan if i == n // 2 else 1.0 * i, i]) for i in range(n)]
    for op in ("min", "max", np.minimum, np.maximum):
        for made in g.all.run(lambda me, x, op: me.all_reduce(x, op), ov.each(arrays), op):
            assert np.isnan(made[0])
            assert made[1] == (0 if op in ("min", np.minimum) else n - 1)


@pytest.mark.parametrize("elements", [0, 1, 32 * 1024, 32 * 1024 + 1, 300_001, 2_600_003])
def test_out_holds_the_result(g: ov.Group[Part], elements: int) -> None:
    def work(me: ov.Member, elements: int) -> bool:
        mine = np.full(elements, me.index + 1.0)
        whole = np.full(elements, me.size * (me.size + 1) / 2)
        out = np.empty(elements)
        strided = np.empty((elements, 2))[:, 0]
        given = me.all_reduce(mine, "sum", out=out) is out and np.array_equal(out, whole)
        given = given and me.all_reduce(mine, "sum", out=strided) is strided and np.array_equal(strided, whole)
        at_root = me.reduce(mine, "sum", 0, out=out) if me.index == 0 else me.reduce(mine, "sum", 0)
        given = given and (at_root is out if me.index == 0 else at_root is None)
        given = given and bool(np.array_equal(mine, np.full(elements, me.index + 1.0)))
        return given and me.all_reduce(mine, "sum", out=mine) is mine and bool(np.array_equal(mine, whole))

    assert g.all.run(work, elements) == [True] * len(g)


@pytest.mark.parametrize("shape", [(), (5,), (3, 40_000)])
def test_out_of_every_collective_holds_its_result(g: ov.Group[Part], shape: tuple[int, ...]) -> None:
    def work(me: ov.Member, shape: tuple[int, ...]) -> list[str]:
        n, root = me.size, me.size - 1
        mine = np.full(shape, me.index + 1.0, "f4")
        each = [np.full(shape, 10 * me.index + i, "f4") for i in range(n)]
        calls: dict[str, Any] = {
            "broadcast": lambda **out: me.broadcast(mine, root, **out),
            "scatter": lambda **out: me.scatter(each, root, **out),
            "gather": lambda **out: me.gather(mine, root, **out),
            "all_gather": lambda **out: me.all_gather(mine, **out),
            "reduce": lambda **out: me.reduce(mine, "sum", root, **out),
            "reduce by a function": lambda **out: me.reduce(mine, lambda a, b: np.maximum(a, b), root, **out),
            "all_reduce": lambda **out: me.all_reduce(mine, "max", **out),
            "all_reduce by a function": lambda **out: me.all_reduce(mine, lambda a, b: a + b, **out),
            "scan": lambda **out: me.scan(mine, **out),
            "exclusive_scan": lambda **out: me.exclusive_scan(mine, mine, **out),
            "all_to_all": lambda **out: me.all_to_all(each, **out),
        }
        wrong = []
        for name, call in calls.items():
            wanted = call()
            out = np.zeros(np.shape(mine if wanted is None else wanted), "f4")
            swapped = out.astype(">f4")
            for given in (out, out[::-1] if out.ndim else out, swapped):
                found = call(out=given)
                if found is not None if wanted is None else found is not given or not np.array_equal(found, wanted):
                    wrong.append(name)
            for unfit in (np.zeros(out.shape, "f8"), np.zeros(out.shape, "i4"), np.zeros((2, *out.shape), "f4")):
                if name == "reduce":  # the root says so before the others begin
                    continue
                try:
                    if call(out=unfit) is not None:
                        wrong.append(f"{name} {unfit.dtype} {unfit.shape}")
                except ov.UsageError as error:
                    if "f4" not in str(error) and "float32" not in str(error):
                        wrong.append(str(error))
                if unfit.any():
                    wrong.append(f"{name} wrote what does not fit")
        return wrong

    assert g.all.run(work, shape) == [[]] * len(g)


def test_not_contiguous_arrays(g: ov.Group[Part]) -> None:
    arrays = [np.arange(24.0).reshape(4, 6).T[::2] + i for i in range(len(g))]
    for made in g.all.run(lambda me, x: me.all_reduce(np.asfortranarray(x)), ov.each(arrays)):
        assert np.array_equal(made, sum(arrays))


def test_numbers_of_numpy_and_python(g: ov.Group[Part]) -> None:
    n = len(g)
    assert g.all.run(lambda me: me.all_reduce(np.float32(1.5))) == [1.5 * n] * n
    assert g.all.run(lambda me: me.all_reduce(me.index, max)) == [n - 1] * n
    assert g.all.run(lambda me: me.all_reduce(2**40, "prod")) == [2 ** (40 * n)] * n


def test_parts_by_colour(g: ov.Group[Part]) -> None:
    def work(me: ov.Member) -> tuple[int, int, list[int], int]:
        part = me.split(me.index % 2, key=-me.index)
        inner = part.split(0)
        return part.index, part.size, part.all_gather(me.index), inner.all_reduce(1)

    n = len(g)
    for i, (index, size, members, counted) in enumerate(g.all.run(work)):
        others = [k for k in reversed(range(n)) if k % 2 == i % 2]
        assert (members, size, index, counted) == (others, len(others), others.index(i), len(others))


def test_g7_members_that_differ_are_told(g: ov.Group[Part]) -> None:
    if len(g) == 1:
        return
    for other in (
        lambda me: me.barrier() if me.index else me.all_reduce(1),
        lambda me: me.broadcast(1, 0 if me.index else 1),
        lambda me: me.all_reduce(np.zeros(3 if me.index else 4)),
        lambda me: me.all_reduce(np.zeros(3, "f4" if me.index else "f8")),
    ):
        with pytest.raises(ov.UsageError, match=r"member \d is in .* and member \d in"):
            g.all.run(other)
    assert g.all.run(lambda me: me.all_reduce(1)) == [len(g)] * len(g)


def test_g8_what_one_throws_all_get(g: ov.Group[Part]) -> None:
    def divide(left: float, right: float) -> float:
        raise ZeroDivisionError("as asked")

    if len(g) > 1:
        with pytest.raises(ZeroDivisionError, match="as asked"):
            g.all.run(lambda me: me.all_reduce(1, divide))
        with pytest.raises(ov.UsageError, match="values for"):
            g.all.run(lambda me: me.scatter([1], 0))
    with pytest.raises(ov.UsageError, match="no reduction is called"):
        g.all.run(lambda me: me.all_reduce(1, "mean"))
    with pytest.raises(ov.UsageError, match="root"):
        g.all.run(lambda me: me.broadcast(1, me.size))
    with pytest.raises(ov.UsageError, match="root"):
        g.all.run(lambda me: me.reduce(np.zeros(2), "sum", -1))
    assert g.all.run(lambda me: me.all_reduce(1)) == [len(g)] * len(g)


def test_random_collectives_against_one_process(g: ov.Group[Part]) -> None:
    """So many in a row, each chosen by a seed that all have."""

    def work(me: ov.Member, seed: int) -> bool:
        choose = random.Random(seed)
        for _ in range(60):
            values = [choose.randrange(100) for _ in range(me.size)]
            mine, root = values[me.index], choose.randrange(me.size)
            what = choose.randrange(8)
            at_root = me.index == root
            right: Any
            if what == 0:
                got, right = me.broadcast(mine, root), values[root]
            elif what == 1:
                got, right = me.gather(mine, root), values if at_root else None
            elif what == 2:
                got, right = me.reduce(mine, "sum", root), sum(values) if at_root else None
            elif what == 3:
                got, right = me.all_reduce(mine, "max"), max(values)
            elif what == 4:
                got, right = me.scan(mine), sum(values[: me.index + 1])
            elif what == 5:
                got, right = me.all_to_all([(me.index, k) for k in range(me.size)]), [(k, me.index) for k in range(me.size)]
            elif what == 6:
                got, right = me.all_reduce(np.full(9, mine)).tolist(), [sum(values)] * 9
            else:
                me.barrier()
                got = right = None
            if got != right:
                return False
        return True

    for seed in range(5):
        assert g.all.run(work, seed) == [True] * len(g)


@pytest.mark.parametrize("elements", [10, 513, 40_000, 300_000])
def test_g13_scans_of_arrays_of_all_sizes(g: ov.Group[Part], elements: int) -> None:
    def work(me: ov.Member, elements: int) -> bool:
        ones = np.ones(elements)
        so_far, before = me.scan(ones), me.exclusive_scan([ones, "a"], [], "sum")
        right = [x for _ in range(me.index) for x in (ones, "a")]
        return bool(np.array_equal(so_far, ones * (me.index + 1))) and len(before) == len(right) and all(map(same, before, right))

    assert g.all.run(work, elements) == [True] * len(g)


def test_what_does_not_fit_is_refused_in_words(g: ov.Group[Part]) -> None:
    def work(me: ov.Member) -> list[str]:
        said = []
        for call in (
            lambda: me.all_reduce(np.ones(3) * 1.3, out=np.zeros(3, "i8")),
            lambda: me.all_reduce(np.ones(3, "f2"), out=np.zeros((2, 3))),
            lambda: me.reduce(np.ones(3), "sum", me.index, out=[0, 0, 0]),
            lambda: me.broadcast(1, -1),
            lambda: me.gather(1, me.size),
            lambda: me.reduce(1, "sum", 1.0),  # type: ignore[arg-type]
            lambda: me.split("a"),  # type: ignore[arg-type]
            lambda: me.split(0, 2**70),
        ):
            try:
                call()
                said.append("nothing")
            except ov.UsageError as error:
                said.append(str(error))
        return said

    for said in g.all.run(work):
        for text, wanted in zip(said, ["dtype int64", "the shape (2, 3)", "is a list", "root -1", "root ", "an int", "an int", "64 bits"], strict=True):
            assert wanted in text


def test_a_thread_of_a_member() -> None:
    """Where it belongs to the object it may call a collective; on octavo.thread it is the program's, and refused instead of waiting for ever."""

    def work(me: ov.Member) -> list[str]:
        said: list[str] = []

        def call() -> None:
            try:
                said.append(str(me.all_reduce(1)))
            except ov.UsageError as error:
                said.append(str(error))

        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        return said

    for place, wanted in ((ov.process, "2"), (ov.thread, "does not belong")):
        g = ov.make_group(Part, 2, place=place)
        for said in g.all.run(work):
            assert wanted in said[0]
        ov.destroy(g)
