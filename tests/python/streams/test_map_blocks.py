# SPDX-License-Identifier: Apache-2.0
"""A function over the blocks of arrays: ST-10."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo
import pytest

pytestmark = pytest.mark.timeout(120)

Floats = npt.NDArray[np.float64]


def numbers(*shape: int) -> Floats:
    return np.random.default_rng(3).random(shape)


def add_one(x: Floats) -> Floats:
    return x + 1


def sum_of(x: Floats, y: Floats) -> Floats:
    return x + 2 * y


def neighbours(x: Floats) -> Any:
    """The sum of the four, where there is a halo of 1."""
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]


def shifted(x: Floats) -> Floats:
    return np.roll(x, 1, axis=0)


@pytest.mark.parametrize("suffix", ["zarr", "npy", "raw"])
def test_st10_of_paths_into_a_path(tmp_path: Path, suffix: str) -> None:
    data = numbers(50, 37)
    with octavo.create_array(tmp_path / "a.zarr", data.shape, "f8", chunks=(16, 16)) as made:
        made[...] = data
    got = octavo.map_blocks(add_one, str(tmp_path / "a.zarr"), out=tmp_path / f"b.{suffix}", dtype="f4", workers=2)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got[...], (data + 1).astype("f4"))
    got.close()


def test_st10_an_array_that_is_there_is_replaced_if_it_is_said(tmp_path: Path) -> None:
    data, out = numbers(20, 20), tmp_path / "b.zarr"
    for add in (1, 2):
        with octavo.map_blocks(np.add, data, np.full_like(data, add), out=out, workers=1, overwrite=add == 2) as got:
            np.testing.assert_array_equal(got[...], data + add)
    with pytest.raises(octavo.UsageError, match="overwrite=True"):
        octavo.map_blocks(add_one, data, out=out, workers=1)
    with pytest.raises(octavo.UsageError, match="removed before it is read"):
        octavo.map_blocks(add_one, out, out=tmp_path / "." / "b.zarr", workers=1, overwrite=True)
    with octavo.open_array(out) as there:
        np.testing.assert_array_equal(there[...], data + 2)


def test_st10_several_inputs_of_several_kinds(tmp_path: Path) -> None:
    data, other = numbers(50, 37), numbers(50, 37)[::-1]
    with octavo.create_array(tmp_path / "a.zarr", data.shape, "f8", chunks=(16, 16)) as made:
        made[...] = data
        np.testing.assert_array_equal(octavo.map_blocks(sum_of, made, other, workers=2), data + 2 * other)
        np.testing.assert_array_equal(octavo.map_blocks(sum_of, other, made, workers=2, chunks=(50, 5)), other + 2 * data)
        into = np.empty_like(data)
        assert octavo.map_blocks(sum_of, data, other, out=into, workers=2) is into
        np.testing.assert_array_equal(into, data + 2 * other)


@pytest.mark.parametrize(("boundary", "mode"), [("nearest", "edge"), ("reflect", "symmetric"), ("periodic", "wrap")])
def test_st10_a_halo_is_what_lies_around_a_block(tmp_path: Path, boundary: Any, mode: Any) -> None:
    data = numbers(30, 21)
    wide = np.pad(data, 1, mode=mode)
    expected = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    np.testing.assert_allclose(octavo.map_blocks(neighbours, data, halo=1, boundary=boundary, chunks=(8, 8), workers=2), expected)
    np.testing.assert_allclose(octavo.map_blocks(shifted, data, halo=(1, 0), boundary="periodic", chunks=(8, 8), workers=2), np.roll(data, 1, axis=0))


def test_st10_without_a_boundary_the_halo_ends_at_the_edge() -> None:
    data = numbers(20, 9)
    np.testing.assert_array_equal(octavo.map_blocks(add_one, data, halo=2, boundary="none", chunks=(6, 4), workers=2), data + 1)


def test_st10_in_place(tmp_path: Path) -> None:
    data = numbers(20, 20)
    with octavo.create_array(tmp_path / "a.zarr", data.shape, "f8", chunks=(8, 8)) as made:
        made[...] = data
        made.flush()
        octavo.map_blocks(add_one, made, out=made, workers=2)
        np.testing.assert_array_equal(made[...], data + 1)
        with pytest.raises(octavo.UsageError, match="in place with a halo"):
            octavo.map_blocks(neighbours, made, out=made, halo=1)


def too_few(x: Floats) -> Floats:
    return x[1:]


def test_st10_what_does_not_fit_is_refused() -> None:
    data = numbers(20, 20)
    for wrong in (
        lambda: octavo.map_blocks(add_one),
        lambda: octavo.map_blocks(sum_of, data, data[:10]),
        lambda: octavo.map_blocks(add_one, data, out=data[:10]),
        lambda: octavo.map_blocks(add_one, data, chunks=(0, 4)),
        lambda: octavo.map_blocks(add_one, data, halo=1, boundary="far"),  # type: ignore[arg-type]
        lambda: octavo.map_blocks(too_few, data, chunks=(8, 8), workers=2),
    ):
        with pytest.raises(octavo.UsageError):
            wrong()
    with pytest.raises(octavo.Refused, match="memory"):
        octavo.map_blocks(add_one, numbers(1024, 1024), chunks=(1024, 1024), memory="4MiB", workers=2)


class Once(Exception):
    pass


def fails_at_the_end(u: Any) -> Any:
    if u[-1] == 11:
        raise Once
    return u


@pytest.mark.parametrize("name", ["v.zarr", "v.npy", "v.octavo", "v.h5", "v.raw"])
def test_st10_what_was_made_is_removed_where_it_fails(tmp_path: Path, name: str) -> None:
    there = np.zeros(12)
    for function, error in ((fails_at_the_end, Once), (lambda u: u[1:], octavo.UsageError)):
        with pytest.raises(error):
            octavo.map_blocks(function, np.arange(12.0), out=tmp_path / name, chunks=(4,), workers=2)
        with pytest.raises(error):
            octavo.map_blocks(function, np.arange(12.0), out=there, chunks=(4,), workers=2)
        assert list(tmp_path.iterdir()) == []
    with octavo.map_blocks(np.negative, np.arange(12.0), out=tmp_path / name, chunks=(4,), workers=2) as v:
        assert (v[...] == -np.arange(12.0)).all()


def test_st10_a_result_of_which_a_part_would_be_lost_is_refused() -> None:
    with pytest.raises(octavo.UsageError, match=r"the function gave float64 for an array of int64: a part would be lost. Say dtype='float64'"):
        octavo.map_blocks(lambda b: b / 2, np.arange(8), workers=1)
    with pytest.raises(octavo.UsageError, match=r"complex128 for an array of float64"):
        octavo.map_blocks(lambda b: b * 1j, np.arange(8.0), workers=1)
    assert (octavo.map_blocks(lambda b: b / 2, np.arange(8), workers=1, dtype="f8") == np.arange(8) / 2).all()
    assert (octavo.map_blocks(lambda b: b / 2, np.arange(8), workers=1, dtype="i8") == np.arange(8) // 2).all()
