# SPDX-License-Identifier: Apache-2.0
"""The blocks of a buffered array, with what lies around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest


@pytest.mark.parametrize("boundary", ["nearest", "reflect", "periodic", "none", 7.0])
@pytest.mark.parametrize("halo", [1, (0, 2)])
def test_blocks_have_what_lies_around_them(tmp_path: Path, boundary: Any, halo: Any) -> None:
    model = np.random.default_rng(1).random((20, 23))
    np.save(tmp_path / "u.npy", model)
    widths = (halo, halo) if isinstance(halo, int) else halo
    kind = {"nearest": "edge", "reflect": "symmetric", "periodic": "wrap"}.get(boundary)
    padding = [(width, width) for width in widths]
    around = np.pad(model, padding, mode=kind) if kind else np.pad(model, padding, constant_values=0 if boundary == "none" else boundary)  # type: ignore[call-overload]
    with octavo.buffered(tmp_path / "u.npy", mode="r+", block=(6, 10)) as u:
        for block in u.blocks(halo=halo, boundary=boundary):
            rows, columns = block.box
            wanted = around[rows.start : rows.stop + 2 * widths[0], columns.start : columns.stop + 2 * widths[1]]
            if boundary == "none":
                for axis, (width, box) in enumerate(zip(widths, block.box, strict=True)):
                    first, last = width * (box.start == 0), width * (box.stop == model.shape[axis])
                    wanted = wanted.take(range(first, wanted.shape[axis] - last), axis)
            np.testing.assert_array_equal(block.data, wanted)
            block.out[...] = -model[block.box]  # is not seen by the blocks that come
        np.testing.assert_array_equal(u[...], -model)


def test_blocks_write_into_another_array_and_where_the_loop_is_left(tmp_path: Path) -> None:
    with octavo.buffered(None, shape=(10, 10), dtype="int32", block=(5, 5)) as u, octavo.buffered(None, shape=(10, 10), dtype="int32") as w:
        u[...] = np.arange(100).reshape(10, 10)
        for block in u.blocks(halo=1, boundary="periodic", out=w):
            block.out[...] = block.data[1:-1, 1:-1] - block.data[:-2, 1:-1]
            if block.box[0].start == 5:
                break
        np.testing.assert_array_equal(w[:5], np.roll(u[...], -0, 0)[:5] - np.roll(u[...], 1, 0)[:5])
        np.testing.assert_array_equal(w[5:, :5], 10)
        np.testing.assert_array_equal(w[5:, 5:], 0)


def test_blocks_with_a_halo_that_are_left_write_nothing_and_data_is_only_read() -> None:
    with octavo.buffered(None, shape=(10, 10), dtype="int32", block=(5, 10)) as u:
        for halo, left in ((1, 0), (0, 50)):
            for block in u.blocks(halo=halo):
                with pytest.raises(ValueError, match="read-only"):
                    block.data[...] = 1
                block.out[...] = 1
                break
            assert u.sum() == left
