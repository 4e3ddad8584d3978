# SPDX-License-Identifier: Apache-2.0
"""Section 2.2 of the paper: storage devices. 02_page_device has the first of them alone."""

import os

from pages import Page, new_page


class PageDevice:
    def __init__(self, filename: str, number_of_pages: int, page_size: int) -> None:
        self.filename, self.number_of_pages, self.page_size = filename, number_of_pages, page_size
        self.file_descriptor = os.open(filename, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self.file_descriptor, number_of_pages * page_size)

    def __del__(self) -> None:
        if hasattr(self, "file_descriptor"):
            os.close(self.file_descriptor)

    def write(self, page: Page, page_index: int) -> None:
        if page.nbytes != self.page_size:
            raise ValueError(f"{self.filename} has pages of {self.page_size} bytes")
        os.pwrite(self.file_descriptor, page.data, self._offset(page_index))

    def read(self, page_index: int) -> Page:
        """Straight into memory that who called can see."""
        page = new_page(self.page_size)
        os.preadv(self.file_descriptor, [page.data], self._offset(page_index))
        return page

    def _offset(self, page_index: int) -> int:
        if not 0 <= page_index < self.number_of_pages:
            raise IndexError(f"{self.filename} has no page {page_index}")
        return page_index * self.page_size
