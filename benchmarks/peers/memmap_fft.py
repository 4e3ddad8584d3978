# SPDX-License-Identifier: Apache-2.0
"""What a NumPy user writes for an array larger than memory: memmap_fft.py SOURCE.npy TARGET.npy BUDGET_BYTES.

Slabs along the first axis for the last two axes, then slabs along the second for the first. A slab is a quarter of the budget, copied
into memory before it is transformed (columns taken straight from the memmap were slower by far); its transform may take as much again, and the
page cache has the rest.
"""

import sys

import numpy as np
import scipy.fft


def main(source: str, target: str, budget: int) -> None:
    x = np.load(source, mmap_mode="r")
    y = np.lib.format.open_memmap(target, mode="w+", dtype=x.dtype, shape=x.shape)
    slab = budget // 4
    step = max(1, slab // (x.nbytes // x.shape[0]))
    for i in range(0, x.shape[0], step):
        y[i : i + step] = scipy.fft.fftn(np.array(x[i : i + step]), axes=(1, 2), workers=2, overwrite_x=True)
    step = max(1, slab // (x.nbytes // x.shape[1]))
    for j in range(0, x.shape[1], step):
        y[:, j : j + step] = scipy.fft.fft(np.array(y[:, j : j + step]), axis=0, workers=2, overwrite_x=True)
    y.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
