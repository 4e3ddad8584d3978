# SPDX-License-Identifier: Apache-2.0
"""octavo.distributed, clause by clause (DA-1 to DA-9), from outside and in members."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
import pytest
from distributed_classes import Holder
from octavo.distributed import DistributedArray, Split, from_array, full, zeros

pytestmark = pytest.mark.timeout(120)
SPLITS = [Split(grid=(4, 1), halo=1), Split(grid=(2, 2)), Split(grid=(4, 1), dist="cyclic"), Split(grid=(1, 4), dist=(1, 2))]


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(shape), dtype="f8").reshape(shape)


def test_da1_each_member_has_its_part(g: ov.Group[Holder]) -> None:
    a = from_array(numbers(6, 3), group=g)
    assert (a.shape, a.dtype, a.split.grid, len(a), a.size) == ((6, 3), np.dtype("f8"), (4, 1), 6, 18)
    assert [each.tolist() for each in g.all.local(a)] == [each.tolist() for each in np.array_split(numbers(6, 3), 4)]
    assert [each[0].tolist() for each in g.all.indices(a)] == [[0, 1], [2, 3], [4], [5]]
    assert a.gather().tolist() == numbers(6, 3).tolist()
    assert zeros((2, 2), group=g).sum() == 0


def test_da2_local_is_the_memory_itself(g: ov.Group[Holder]) -> None:
    a = full((5, 2), 3, group=g, axis=1, halo=1)
    g.all.add_one(a)
    assert a.gather().tolist() == np.full((5, 2), 4.0).tolist()
    assert [each.shape for each in g.all.with_halo(a)] == [(5, 3), (5, 3), (5, 2), (5, 2)]
    with pytest.raises(ov.UsageError, match="no elements in this process"):
        _ = a.local
    assert repr(a).startswith("<octavo.distributed array of (5, 2) float64, split (1, 4), halo (0, 1), on ")


def test_da3_members_make_and_use_it_together(g: ov.Group[Holder]) -> None:
    def work(me: ov.Member) -> tuple[float, tuple[int, ...], Any]:
        a = ov.distributed.zeros((8, 8), axis=0, halo=1, group=me.group)
        a.local[...] = a.local_indices(0)[:, None]
        a.exchange_halo("periodic")
        assert a.with_halo[0, 0] == (a.local_indices(0)[0] - 1) % 8
        b = a.resplit(axis=1)
        assert b.local_slices == (slice(0, 8), slice(2 * me.index, 2 * me.index + 2))
        return float(b.sum()), b.local.shape, b.gather(root=1)

    results = g.all.run(work)
    assert [each[:2] for each in results] == [(224.0, (8, 2))] * 4
    assert [each[2] is None for each in results] == [True, False, True, True]
    assert results[1][2].tolist() == np.repeat(np.arange(8.0), 8).reshape(8, 8).tolist()


def test_da3_members_that_differ_are_named(g: ov.Group[Holder]) -> None:
    def work(me: ov.Member, a: DistributedArray) -> None:
        if me.index == 2:
            a.sum()
        else:
            a.exchange_halo()
        me.barrier()

    a = full(8, 1, group=g, halo=1)
    with pytest.raises(ov.UsageError, match=r"exchange_halo \(nearest\) of distributed array"):
        g.all.run(work, a)
    assert a.sum() == 8


@pytest.mark.parametrize("what", ["halo", "resplit", "gather", "sum", "add"])
def test_da3_a_member_that_is_killed_in_the_middle(runtime: ov.Runtime, what: str) -> None:
    def work(me: ov.Member, a: DistributedArray, what: str) -> None:
        if me.index == 1:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
        steps = {"halo": a.exchange_halo, "resplit": lambda: a.resplit(axis=1), "gather": a.gather, "sum": a.sum, "add": lambda: (a + a).sum()}
        while True:
            steps[what]()

    g = ov.make_group(Holder, 3, place=[ov.process, runtime.machine("box")])
    a = full((300, 300), 1, group=g, halo=1)
    for each in [ov.start(each.run, work, a, what) for each in g]:
        with pytest.raises(ov.ProcessDied, match="SIGKILL"):
            each.result(timeout=30)
    with pytest.raises(ov.ProcessDied):
        a.sum()


@pytest.mark.parametrize(("boundary", "mode"), [("nearest", "edge"), ("reflect", "symmetric"), ("periodic", "wrap"), (7, "constant")])
def test_da4_borders_are_numpys_pad(g: ov.Group[Holder], boundary: Any, mode: str) -> None:
    whole = numbers(7, 5)
    a = from_array(whole, group=g, split=Split(grid=(2, 2), halo=2))
    a.exchange_halo(boundary)
    around = np.pad(whole, 2, mode, **({"constant_values": boundary} if mode == "constant" else {}))  # type: ignore[call-overload]
    for (rows, columns), wide in zip(g.all.indices(a), g.all.with_halo(a), strict=True):
        assert wide.tolist() == around[rows[0] : rows[-1] + 5, columns[0] : columns[-1] + 5].tolist()


@pytest.mark.parametrize("halo", [3, 5, 9])
@pytest.mark.parametrize(("boundary", "mode"), [("nearest", "edge"), ("periodic", "wrap"), (7, "constant")])
def test_da4_borders_wider_than_the_parts_before_them(g: ov.Group[Holder], boundary: Any, mode: str, halo: int) -> None:
    whole = numbers(9, 2)
    a = from_array(whole, group=g, split=Split(grid=(4, 1), halo=(halo, 0)))
    a.exchange_halo(boundary)
    around = np.pad(whole, ((halo, halo), (0, 0)), mode, **({"constant_values": boundary} if mode == "constant" else {}))  # type: ignore[call-overload]
    for (rows, _), wide in zip(g.all.indices(a), g.all.with_halo(a), strict=True):
        assert wide.tolist() == around[rows[0] : rows[-1] + 2 * halo + 1].tolist()


def test_da4_none_leaves_what_lies_beyond(g: ov.Group[Holder]) -> None:
    a = full(4, 5, group=g, halo=1)
    a.exchange_halo(3.0)
    g.all.add_one(a)
    a.exchange_halo("none")
    assert [each.tolist() for each in g.all.with_halo(a)] == [[3, 6, 6], [6, 6, 6], [6, 6, 6], [6, 6, 3]]
    with pytest.raises(ov.UsageError, match="boundary 'edge'"):
        a.exchange_halo("edge")  # type: ignore[arg-type]


def test_da5_cyclic_and_block_cyclic(g: ov.Group[Holder]) -> None:
    whole = numbers(9, 4)
    a = from_array(whole, group=g, split=Split(grid=(4, 1), dist="cyclic"))
    assert [each.tolist() for each in g.all.local(a)] == [whole[i::4].tolist() for i in range(4)]
    b = a.resplit(Split(grid=(2, 2), dist=(2, "block")))
    assert g.all.indices(b)[0][0].tolist() == [0, 1, 4, 5, 8]
    assert b.gather().tolist() == whole.tolist()
    with pytest.raises(ov.UsageError, match="dealt out in turns"):
        Split(grid=(4, 1), dist="cyclic", halo=1)
    with pytest.raises(ov.UsageError, match="no box"):
        ov.call(g, lambda _, a: a.local_slices, b)


def test_da5_members_are_chosen(g: ov.Group[Holder]) -> None:
    a = from_array(numbers(6), group=g, split=Split(grid=(2,), members=(3, 1)))
    assert [each.tolist() for each in g.all.local(a)] == [[], [3, 4, 5], [], [0, 1, 2]]
    assert a.sum() == 15
    with pytest.raises(ov.UsageError, match="for a group of 4 members"):
        zeros(6, group=g, split=Split(grid=(3,)))
    with pytest.raises(ov.UsageError, match="a split, and an axis"):
        zeros(6, group=g, split=Split(grid=(4,)), halo=1)


def test_da6_gather_into_what_is_there(g: ov.Group[Holder]) -> None:
    a, there = from_array(numbers(6, 2), group=g), np.zeros((6, 2))
    assert a.gather(2, out=there) is there
    assert there.tolist() == numbers(6, 2).tolist()
    for wrong in (np.zeros((2, 6)), np.zeros((6, 2), "f4"), np.zeros((2, 6)).T):
        with pytest.raises(ov.UsageError, match="in C order"):
            a.gather(out=wrong)
    with pytest.raises(ov.UsageError, match="root 4"):
        a.gather(4)


def test_da7_reductions(g: ov.Group[Holder]) -> None:
    whole = np.random.default_rng(2).normal(size=(13, 7))
    a = from_array(whole, group=g, halo=2)
    assert (a.min(), a.max(), np.max(a)) == (whole.min(), whole.max(), whole.max())
    assert np.allclose([a.sum(), a.prod(), a.mean()], [whole.sum(), whole.prod(), whole.mean()])
    assert full(1000, 100, "i1", group=g).sum() == 100_000
    assert full(10, 0.5, "f4", group=g).mean() == np.float32(0.5)
    assert full(10, 2j, "c16", group=g).sum() == 20j
    with_nan = np.array([1.0, np.nan, 3, 4, 5, 6])
    assert np.isnan(from_array(with_nan, group=g).min())
    with pytest.raises(ov.UsageError, match="no elements"):
        zeros(0, group=g).max()
    with pytest.raises(ov.NotSupported, match="in another type"):
        a.sum(dtype="f4")  # type: ignore[arg-type]


@pytest.mark.parametrize("split", SPLITS, ids=["rows", "tiles", "cyclic", "pairs"])
def test_da7_reductions_along_an_axis(g: ov.Group[Holder], split: Split) -> None:
    whole = np.random.default_rng(3).normal(size=(6, 9))
    a = from_array(whole, group=g, split=split)
    for axis in (0, 1, -1):
        for name in ("sum", "prod", "min", "max", "mean"):
            along = getattr(a, name)(axis=axis)
            assert (along.shape, along.dtype) == ((9 if axis == 0 else 6,), "f8")
            assert np.allclose(along.gather(), getattr(whole, name)(axis=axis))
    assert np.isclose(a.sum(axis=(0, 1)), whole.sum())
    assert np.allclose(np.max(a, axis=0).gather(), whole.max(axis=0))


def test_da7_along_an_axis_that_is_not_split_it_stays_where_it_is(g: ov.Group[Holder]) -> None:
    a = full((8, 3), 1, "i1", group=g, halo=1)
    assert [each.tolist() for each in g.all.local(a.sum(axis=1))] == [[3, 3]] * 4
    assert a.sum(axis=1).dtype == "i8"
    assert [each.tolist() for each in g.all.local(a.sum(axis=0))] == [[8, 8, 8], [], [], []]
    assert from_array(np.array([[1, np.nan], [0, 1]]), group=g).min(axis=1).gather()[1] == 0
    assert zeros((0, 4), group=g).sum(axis=0).gather().tolist() == [0.0] * 4
    assert zeros((0, 4), group=g).max(axis=1).gather().tolist() == []
    with pytest.raises(ov.UsageError, match="no elements there"):
        zeros((0, 4), group=g).max(axis=0)
    with pytest.raises(ov.UsageError, match="axis 2"):
        a.sum(axis=2)


def test_da7_members_reduce_along_an_axis_together(g: ov.Group[Holder]) -> None:
    def columns(me: Any) -> Any:
        a = zeros((8, 4), group=me.group)
        a.local[...] = a.local_indices(0)[:, None]
        return a.mean(axis=0).gather(root=2)

    assert [None if each is None else each.tolist() for each in g.all.run(columns)] == [None, None, [3.5] * 4, None]


@pytest.mark.parametrize("name", ["y.npy", "y.zarr", "y.octavo", "y.h5"])
@pytest.mark.parametrize("split", SPLITS, ids=["rows", "tiles", "cyclic", "pairs"])
def test_da8_to_disk_and_back(g: ov.Group[Holder], tmp_path: Path, name: str, split: Split) -> None:
    whole = numbers(21, 18)
    from_array(whole, group=g, split=split).to_disk(tmp_path / name)
    with ov.open_array(tmp_path / name) as array:
        assert array[...].tolist() == whole.tolist()
    b = from_array(tmp_path / name, group=g, split=split)
    assert b.gather().tolist() == whole.tolist()


def test_da8_what_cannot_be_written_is_told(g: ov.Group[Holder], tmp_path: Path) -> None:
    a = full((4, 4), 1, group=g)
    (tmp_path / "y.npy").write_bytes(b"something else")
    with pytest.raises(ov.Error, match=r"y\.npy"):
        a.to_disk(tmp_path / "y.npy")
    assert a.sum() == 16


def test_da9_elements_of_one_split(g: ov.Group[Holder]) -> None:
    x, y = numbers(7, 3), numbers(7, 3) + 0.5
    a, b = from_array(x, group=g, halo=1), from_array(y, group=g)
    assert np.allclose((np.sqrt(a) + 2 * b).gather(), np.sqrt(x) + 2 * y)
    a += b
    a -= 1
    assert np.allclose(a.gather(), x + y - 1)
    assert np.add(a, b, out=b) is b
    assert np.allclose(b.gather(), x + 2 * y - 1)
    whole, fraction = [each.gather() for each in np.divmod(a, 2)]
    assert np.allclose(whole * 2 + fraction, x + y - 1)
    assert np.multiply(full(4, 3, "i4", group=g), 2).dtype == np.dtype("i4")


def test_da9_members_compute_together(g: ov.Group[Holder]) -> None:
    def work(me: ov.Member) -> float:
        a = ov.distributed.full((8, 2), 3, group=me.group)
        a *= 2
        b = np.maximum(a, 7) - a
        return float(b.sum())

    assert g.all.run(work) == [16.0] * 4


def test_da9_nothing_is_moved_without_a_word(g: ov.Group[Holder]) -> None:
    a, b = zeros((8, 8), group=g), zeros((8, 8), axis=1, group=g)
    with pytest.raises(ov.UsageError, match=r"b.resplit\(a.split\)"):
        _ = a + b
    assert (a + b.resplit(a.split)).sum() == 0
    with pytest.raises(ov.UsageError, match="from_array"):
        _ = a + np.ones((8, 8))
    with pytest.raises(ov.UsageError, match="another shape or group"):
        _ = a + zeros((8, 4), group=g)
    with pytest.raises(ov.UsageError, match=r"a.gather\(\)"):
        np.asarray(a)
    with pytest.raises(ov.NotSupported, match=r"a.sum\(\)"):
        np.add.reduce(a)
    with pytest.raises(ov.NotSupported, match="bool"):
        _ = a > 0


@pytest.mark.parametrize(
    "split", [None, Split(grid=(1, 4, 1), halo=1), Split(grid=(2, 1, 2)), Split(grid=(2, 2, 1), dist="cyclic"), Split(grid=(2, 1, 1), members=(3, 1))]
)
@pytest.mark.parametrize("axes", [None, (0,), (1, 2), ()])
def test_da9_fftn_is_numpys(g: ov.Group[Holder], split: Split | None, axes: tuple[int, ...] | None) -> None:
    whole = np.random.default_rng(1).normal(size=(5, 6, 7))
    a = from_array(whole, group=g, split=split)
    spectrum = ov.fft.fftn(a, axes=axes, norm="ortho")
    assert (spectrum.split, spectrum.dtype) == (a.split, np.dtype("c16"))
    assert np.allclose(spectrum.gather(), np.fft.fftn(whole, axes=axes, norm="ortho"))  # type: ignore[arg-type]
    assert np.allclose(ov.fft.ifftn(spectrum, axes=axes, norm="ortho").gather(), whole)  # type: ignore[arg-type]
    assert ov.fft.fftn(from_array(whole.astype("f4"), group=g), axes=axes).dtype == np.dtype("c8")


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u1"])
def test_da7_a_mean_of_integers_does_not_wrap(g: ov.Group[Holder], dtype: str) -> None:
    whole = np.full((4, 3), np.iinfo(dtype).max // 2, dtype)
    a = from_array(whole, group=g)
    assert a.mean() == whole.mean()
    assert a.mean(axis=0).gather().tolist() == whole.mean(axis=0).tolist()


def test_da9_a_transform_that_cannot_be_is_refused(g: ov.Group[Holder]) -> None:
    with pytest.raises(ov.NotSupported, match="which has one axis"):
        ov.fft.fftn(zeros(8, group=g))
    with pytest.raises(ov.UsageError, match="Name each once"):
        ov.fft.fftn(zeros((8, 8), group=g), axes=(0, -2))


def test_da1_parts_live_as_long_as_they_are_held(g: ov.Group[Holder]) -> None:
    a = full(4, 2, group=g)
    g.all.keep(a)
    assert g.all.kept_sum() == [8.0] * 4
    del a
    assert g.all.kept_sum() == [8.0] * 4
    assert [each.sum() for each in g.all.give()] == [12.0] * 4


def test_da1_the_pool_has_room_again(g: ov.Group[Holder]) -> None:
    for _ in range(12):
        a = full(2_500_000, 1, group=g)  # 20 MB of 128 MiB
        assert (a + a).max() == 2
    with pytest.raises(ov.Refused, match="no room"):
        zeros(100_000_000, group=g)
    assert a.sum() == 2_500_000


def test_da1_no_room_for_some_is_told_to_all(runtime: ov.Runtime) -> None:
    """On one machine there is room for the new part, on the other there is none."""
    g = ov.make_group(Holder, 4, place=[ov.process, runtime.machine("box")])
    others = ov.make_group(Holder, 1)
    a = full((8, 1_000_000), 1, group=g)  # 32 of 128 MB on each machine
    kept = full(7_500_000, 2, group=others)
    with pytest.raises(ov.Refused, match="no room"):
        [a.resplit(axis=1), a.resplit(axis=1), a.resplit(axis=1)]
    assert (a.sum(), kept.min()) == (8_000_000, 2)
    del kept
    assert a.resplit(axis=1).sum() == 8_000_000
