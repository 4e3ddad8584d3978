# SPDX-License-Identifier: Apache-2.0
"""SciPy with everything in memory: in_memory_fft.py N0 N1 N2 prints the seconds of fftn alone, two workers, on pages touched before."""

import sys
import time

import numpy as np
import scipy.fft


def main(shape: tuple[int, ...]) -> None:
    a, b, c = (np.exp(1j * np.arange(n)) for n in shape)
    x = a[:, None, None] * (b[:, None] * c)
    begin = time.perf_counter()
    scipy.fft.fftn(x, workers=2, overwrite_x=True)
    print(time.perf_counter() - begin)


if __name__ == "__main__":
    main(tuple(int(n) for n in sys.argv[1:]))
