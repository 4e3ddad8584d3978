# SPDX-License-Identifier: Apache-2.0
"""A buffered array given to what takes arrays on disk: it finds what was written, and not yet written back (BA-10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

pytestmark = pytest.mark.timeout(120)
SHAPE = (12, 10)
MODEL = np.arange(120.0).reshape(SHAPE)
QUIET = {"overwrite": True, "progress": False}


def written_by_name(u: octavo.BufferedArray, at: Path) -> Any:
    with octavo.create_array(at / "to.npy", SHAPE, "float64") as to:
        to[...] = u
        return to[...]


ENTRIES: dict[str, Callable[[octavo.BufferedArray, Path], Any]] = {
    "open_array": lambda u, _: octavo.open_array(u)[...],
    "buffered": lambda u, _: octavo.buffered(u)[...],
    "copy": lambda u, at: octavo.copy(u, at / "to.npy", **QUIET)[...],
    "fft": lambda u, at: np.fft.ifftn(octavo.fft.fftn(u, out=at / "to.npy", **QUIET)[...]).real.round(6),
    "ifft": lambda u, at: np.fft.fftn(octavo.fft.ifftn(u, out=at / "to.npy", **QUIET)[...]).real.round(6),
    "map_blocks": lambda u, _: octavo.map_blocks(np.positive, u, workers=2),
    "map_blocks of two": lambda u, _: octavo.map_blocks(np.maximum, np.zeros(SHAPE), u, workers=1),
    "assigned": written_by_name,
    "asarray": lambda u, _: np.asarray(u),
    "a view": lambda u, _: np.asarray(u.T).T,
    "a reduction": lambda u, _: u.sum(axis=1, keepdims=True) - MODEL.sum(axis=1, keepdims=True) + MODEL,
}


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[None]:
    with octavo.Runtime():
        yield


@pytest.fixture(params=["u.npy", "packed.zarr", "u.octavo", "scratch"])
def u(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[octavo.BufferedArray]:
    """With all of it in the buffers, and zeros on the disk."""
    if request.param == "scratch":
        made = octavo.buffered(None, shape=SHAPE, dtype="float64")
    else:
        options: dict[str, Any] = {} if request.param == "u.npy" else {"chunks": (5, 4)}
        options |= {"compressor": "zstd"} if request.param == "packed.zarr" else {}
        octavo.create_array(tmp_path / request.param, SHAPE, "float64", **options).close()
        made = octavo.buffered(tmp_path / request.param, mode="r+")
    with made:
        made[...] = MODEL
        assert made.dirty_elements == MODEL.size
        yield made


@pytest.mark.parametrize("entry", ENTRIES)
def test_ba10_what_takes_an_array_finds_what_was_written(u: octavo.BufferedArray, tmp_path: Path, entry: str) -> None:
    np.testing.assert_array_equal(ENTRIES[entry](u, tmp_path), MODEL)
    u[0] = 7  # it is as good as before
    assert u[0, 0] == 7 and u.dirty_elements >= 10


class Holder:
    """Has a part of a distributed array."""


def test_ba10_members_of_a_distributed_array_find_it(u: octavo.BufferedArray) -> None:
    group = octavo.make_group(Holder, 2)
    np.testing.assert_array_equal(octavo.distributed.from_array(u, group=group).gather(), MODEL)
    octavo.destroy(group)


def test_scratch_arrays_are_not_one() -> None:
    with octavo.buffered(None, shape=SHAPE, dtype="float64") as u, octavo.buffered(None, shape=SHAPE, dtype="float64") as v:
        u[...] = MODEL
        v[...] = u
        np.testing.assert_array_equal(v[...], MODEL)
        octavo.map_blocks(np.negative, v, out=u, workers=1)
        np.testing.assert_array_equal(u[...], -MODEL)
        with pytest.raises(octavo.UsageError, match="part of itself"):
            u[...] = u
        with pytest.raises(octavo.UsageError, match="in place with a halo"):
            octavo.map_blocks(np.negative, u, out=u, halo=1)


def test_in_place_by_map_blocks_each_element_is_done_once(u: octavo.BufferedArray) -> None:
    octavo.map_blocks(np.negative, u, out=u, workers=2)
    np.testing.assert_array_equal(u[...], -MODEL)
