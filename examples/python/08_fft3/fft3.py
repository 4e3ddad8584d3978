# SPDX-License-Identifier: Apache-2.0
"""Sections 4.2 and 4.3 of the paper: a process that transforms its slab of the array, a page line at a time."""

import itertools

import numpy as np
import octavo as ov
from page_map import Domain, Transpose
from paged_array import Array


class FFT3:
    def __init__(self, sign: int, array: Array) -> None:
        self.sign, self.a = sign, array

    def compute_transform(self, t: Transpose) -> None:  # fft3; with a transpose fft1 or fft2
        me = ov.self()
        slab: list[Domain | None] = [*self._page_lines(me.index, me.size)]
        pages = self.a.page_map.pages
        most = -(-pages // me.size) * pages  # of any slab: who has fewer lines waits with the others
        slab += [None] * (most - len(slab))
        for page_line, next_line in itertools.zip_longest(slab, slab[1:]):
            if page_line:
                values = self.a.read(page_line, t)
                if next_line:
                    self.a.read_into_server_cache(next_line, t)  # is started, and goes on beside the transform
                transformed = np.fft.fft(values) if self.sign < 0 else np.fft.ifft(values, norm="forward")  # along the last axis; neither divides by N
                self.a.write(page_line, transformed, t)
            me.barrier()

    def _page_lines(self, number: int, processes: int) -> list[Domain]:
        """Of slab ``number``: the array is divided along its first dimension."""
        pages = self.a.page_map.pages
        mine = range(number * pages // processes, (number + 1) * pages // processes)
        return [Domain(range(i1, i1 + 1), range(i2, i2 + 1), range(pages)) for i1 in mine for i2 in range(pages)]
