# SPDX-License-Identifier: Apache-2.0
"""Section 4.3 of the paper: an ArrayPageDevice with a cache, filled by read_into_cache while the client computes."""

from array_page_device import ArrayPageDevice
from pages import Page


class ArrayDevice(ArrayPageDevice):
    def __init__(self, filename: str, number_of_pages: int, n1: int, n2: int, n3: int, number_of_cache_pages: int) -> None:
        super().__init__(filename, number_of_pages, n1, n2, n3)
        self.number_of_cache_pages = number_of_cache_pages
        self.cache: dict[int, Page] = {}
        self.pages_from_cache = self.pages_from_disk = 0

    def read_into_cache(self, page_index: int) -> None:
        if len(self.cache) < self.number_of_cache_pages:
            self.cache[page_index] = super().read(page_index)

    def read(self, page_index: int) -> Page:  # the transposed reads come here too
        if page_index in self.cache:
            self.pages_from_cache += 1
            return self.cache.pop(page_index)
        self.pages_from_disk += 1
        return super().read(page_index)

    def write(self, page: Page, page_index: int) -> None:
        self.cache.pop(page_index, None)
        super().write(page, page_index)
