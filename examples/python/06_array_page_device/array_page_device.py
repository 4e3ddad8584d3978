# SPDX-License-Identifier: Apache-2.0
"""Sections 2.2 and 4.1 of the paper: a device that computes with its pages, by inheritance or alongside a device that is there."""

from __future__ import annotations

from page_device import PageDevice
from pages import ArrayPage, Page, array_page, page_of, transpose13, transpose23


class ArrayPageDevice(PageDevice):
    storage: PageDevice | None = None  # that keeps the pages instead

    def __init__(self, filename: str, number_of_pages: int, n1: int, n2: int, n3: int) -> None:
        super().__init__(filename, number_of_pages, 16 * n1 * n2 * n3)
        self.n1, self.n2, self.n3 = n1, n2, n3

    @classmethod
    def alongside(cls, existing: PageDevice, n1: int, n2: int, n3: int) -> ArrayPageDevice:
        """ "A constructor that takes a pointer to an existing PageDevice process"."""
        self = cls.__new__(cls)
        self.storage, self.n1, self.n2, self.n3 = existing, n1, n2, n3
        return self

    def write(self, page: Page, page_index: int) -> None:
        self.storage.write(page, page_index) if self.storage else super().write(page, page_index)

    def read(self, page_index: int) -> Page:
        return self.storage.read(page_index) if self.storage else super().read(page_index)

    def read_transpose13(self, page_index: int) -> Page:
        return page_of(transpose13(self._numbers(page_index)))

    def read_transpose23(self, page_index: int) -> Page:
        return page_of(transpose23(self._numbers(page_index)))

    def write_transpose13(self, page: Page, page_index: int) -> None:
        self.write(page_of(transpose13(array_page(self.n3, self.n2, self.n1, page))), page_index)

    def write_transpose23(self, page: Page, page_index: int) -> None:
        self.write(page_of(transpose23(array_page(self.n1, self.n3, self.n2, page))), page_index)

    def sum(self, page_index: int) -> complex:
        """A computation close to the data: one number travels."""
        return complex(self._numbers(page_index).sum())

    def _numbers(self, page_index: int) -> ArrayPage:
        return array_page(self.n1, self.n2, self.n3, self.read(page_index))
