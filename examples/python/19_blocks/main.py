# SPDX-License-Identifier: Apache-2.0
"""Heat in a plate whose array is larger than the memory that is given: each step is a function over blocks and the neighbours of each, in several processes,
from one compressed array into the next; and the difference of the first and the last is one over the blocks of two arrays."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import octavo as ov

Floats = npt.NDArray[np.float32]


def spread(u: Floats) -> Floats:
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    after: Floats = np.float32(0.5) * u[1:-1, 1:-1] + np.float32(0.125) * around
    return after


def changed(a: Floats, b: Floats) -> Floats:
    difference: Floats = np.abs(a - b)
    return difference


def total(array: ov.Array) -> float:
    with array:
        return float(array[...].sum(dtype="f8"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        steps = [Path(folder) / f"u{number}.zarr" for number in range(4)]
        with ov.create_array(steps[0], (300, 200), "float32", chunks=(64, 64), compressor="zstd") as first:
            first[100:200, 50:150] = 64  # a hot square
        for u, w in itertools.pairwise(steps):
            with ov.create_array(w, (300, 200), "float32", chunks=(64, 64), compressor="zstd") as target:
                ov.map_blocks(spread, u, out=target, halo=1, boundary="nearest", workers=2, memory="4MiB")
        print(f"heat: {total(ov.open_array(steps[0])):g}, after 3 steps {total(ov.open_array(steps[3])):g}")
        print(f"changed: {total(ov.map_blocks(changed, steps[0], steps[3], out=Path(folder) / 'changed.npy')):g}")


if __name__ == "__main__":
    main()
