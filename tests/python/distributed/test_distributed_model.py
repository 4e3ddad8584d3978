# SPDX-License-Identifier: Apache-2.0
"""Random shapes, splits, halos and operations on distributed arrays, against NumPy (DA-1 to DA-9)."""

from __future__ import annotations

from typing import Any

import numpy as np
import octavo as ov
import pytest
from distributed_classes import Holder
from hypothesis import given
from hypothesis import strategies as st
from octavo.distributed import DistributedArray, Split, from_array

pytestmark = pytest.mark.timeout(240)
GRIDS = {1: [(4,)], 2: [(4, 1), (2, 2), (1, 4)], 3: [(4, 1, 1), (1, 2, 2), (2, 1, 2), (1, 1, 4)]}
PADS = {"nearest": "edge", "reflect": "symmetric", "periodic": "wrap"}
Elements = np.ndarray[Any, Any]


@st.composite
def splits(draw: st.DrawFn, dims: int) -> Split:
    grid = draw(st.sampled_from(GRIDS[dims]))
    members = draw(st.none() | st.permutations(range(4)).map(tuple))
    if draw(st.booleans()):
        halo = tuple(draw(st.integers(0, 4)) for _ in grid)
        return Split(grid, halo=halo, members=members)
    return Split(grid, dist=tuple(draw(st.sampled_from(["block", "cyclic", 2, 3])) for _ in grid), members=members)


def axes(dims: int) -> st.SearchStrategy[Any]:
    several = st.lists(st.integers(0, dims - 1), min_size=1, max_size=dims, unique=True).map(tuple)
    return st.integers(-dims, dims - 1) | several


@st.composite
def programs(draw: st.DrawFn) -> tuple[tuple[int, ...], Split, list[tuple[str, Any]]]:
    dims = draw(st.integers(1, 3))
    shape = tuple(draw(st.integers(1, 9)) for _ in range(dims))
    steps = st.one_of(
        st.tuples(st.just("resplit"), splits(dims)),
        st.tuples(st.just("exchange_halo"), st.sampled_from([*PADS, "none", -3.0])),
        st.tuples(st.just("add"), st.integers(-3, 3)),
        st.tuples(st.just("square"), st.none()),
        st.tuples(st.just("set_local"), st.none()),
        st.tuples(st.just("reduce"), st.sampled_from(["sum", "min", "max", "mean"])),
        st.tuples(st.just("reduce_along"), st.tuples(st.sampled_from(["sum", "prod", "min", "max", "mean"]), axes(dims))),
        st.tuples(st.just("gather"), st.integers(0, 3)),
    )
    return shape, draw(splits(dims)), draw(st.lists(steps, min_size=1, max_size=6))


def set_local(holder: Holder, a: DistributedArray) -> None:
    """To what each element's indices say."""
    a.local[...] = sum(a.local_indices(axis).reshape([-1 if k == axis else 1 for k in range(a.ndim)]) * 10**axis for axis in range(a.ndim))


def take_step(a: DistributedArray, whole: Elements, g: ov.Group[Holder], step: str, argument: Any) -> tuple[DistributedArray, Elements]:
    if step == "resplit":
        return a.resplit(argument), whole
    if step == "add":
        return a + argument, whole + argument
    if step == "square":
        return np.multiply(a, a), whole * whole
    if step == "set_local":
        ov.call(g, set_local, a)
        return a, sum(each.astype("f8") * 10**axis for axis, each in enumerate(np.indices(whole.shape)))
    if step == "reduce":
        assert np.isclose(getattr(a, argument)(), getattr(whole, argument)())
    elif step == "reduce_along":
        along, expected = (getattr(each, argument[0])(axis=argument[1]) for each in (a, whole))
        got = along.gather() if isinstance(along, DistributedArray) else along
        assert got.shape == np.shape(expected)
        assert np.allclose(got, expected)
    elif step == "gather":
        gathered = a.gather(argument)
        assert gathered is not None
        assert gathered.tolist() == whole.tolist()
    else:
        exchange_halo(a, whole, g, argument)
    return a, whole


def exchange_halo(a: DistributedArray, whole: Elements, g: ov.Group[Holder], boundary: Any) -> None:
    halo = a.split.widths
    if boundary in ("reflect", "periodic") and any(width > extent for width, extent in zip(halo, whole.shape, strict=True)):
        with pytest.raises(ov.UsageError, match="smaller one"):
            a.exchange_halo(boundary)
        return
    a.exchange_halo(boundary)
    if boundary == "none":
        return
    keywords = {} if isinstance(boundary, str) else {"constant_values": boundary}
    around = np.pad(whole, [(width, width) for width in halo], PADS.get(boundary, "constant"), **keywords)  # type: ignore[call-overload]
    for indices, wide in zip(g.all.indices(a), g.all.with_halo(a), strict=True):
        if all(len(each) for each in indices):
            places = [np.concatenate([each, each[-1] + 1 + np.arange(2 * width)]) for each, width in zip(indices, halo, strict=True)]
            assert wide.tolist() == around[np.ix_(*places)].tolist()


@given(program=programs())
def test_random_programs_do_what_numpy_does(g: ov.Group[Holder], program: tuple[tuple[int, ...], Split, list[tuple[str, Any]]]) -> None:
    shape, split, steps = program
    whole = np.random.default_rng(sum(shape)).integers(-5, 5, shape).astype("f8")
    a = from_array(whole, group=g, split=split)
    for step, argument in steps:
        a, whole = take_step(a, whole, g, step, argument)
    assert a.gather().tolist() == whole.tolist()
