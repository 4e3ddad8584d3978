# SPDX-License-Identifier: Apache-2.0
"""Section 4 of the paper: the three-dimensional Fourier transform of an array that lies on several disks, by FFT3 processes."""

import sys
from pathlib import Path

import numpy as np
import octavo as ov

# Whose modules this uses, as do the processes: they get sys.path.
sys.path.append(str(Path(__file__).resolve().parents[1] / "06_array_page_device"))

from array_device import ArrayDevice
from fft3 import FFT3
from page_map import Domain, PageMap, Transpose
from paged_array import Array

if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["storage", "compute"])) as cluster:
        number_of_servers, pages, n = 3, 4, 4
        processes = int(sys.argv[1]) if sys.argv[1:] else 2
        N = pages * n
        number_of_pages, number_of_cache_pages = pages**3, 2 * pages

        storage, compute = cluster.machine("storage"), cluster.machine("compute")
        page_server = [storage.make(ArrayDevice, f"disk{i}", number_of_pages, n, n, n, number_of_cache_pages) for i in range(number_of_servers)]
        a = Array(n, PageMap(pages, number_of_servers), page_server)

        # A plane wave: its transform is N^3 at (3, 5, 7) and 0 everywhere else.
        whole = Domain(range(pages), range(pages), range(pages))
        j1, j2, j3 = np.ogrid[:N, :N, :N]
        a.write(whole, np.exp(2j * np.pi * (3 * j1 + 5 * j2 + 7 * j3) / N))

        fft = ov.make_group(FFT3, processes, -1, a, place=compute)
        for t in (Transpose.NONE, Transpose.T23, Transpose.T13):  # fft3, fft2, fft1: on all, in parallel
            fft.all.compute_transform(t)

        cached = sum(server.pages_from_cache for server in page_server)
        read = sum(server.pages_from_disk for server in page_server)
        values = a.read(whole)
        peak, values[3, 5, 7] = values[3, 5, 7], 0
        print(f"at (3, 5, 7): {peak.real:.0f} of {N**3}")
        print(f"elsewhere less than 1e-9: {abs(values).max() < 1e-9:d}")
        print(f"pages read from the servers' caches: {cached}, from their disks: {read}")
