# SPDX-License-Identifier: Apache-2.0
"""Sections 2.1, 2.2 and 3.1 of the paper: a PageDevice in a process on machine1 keeps pages in one large file of its disk."""

import os

import octavo as ov

Page = bytes  # 2.1: n bytes of unstructured data


class PageDevice:  # 2.2
    def __init__(self, filename: str, number_of_pages: int, page_size: int) -> None:
        self.filename, self.number_of_pages, self.page_size = filename, number_of_pages, page_size
        self.file_descriptor = os.open(filename, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self.file_descriptor, number_of_pages * page_size)

    def __del__(self) -> None:
        os.close(self.file_descriptor)

    def write(self, page: Page, page_index: int) -> None:
        os.pwrite(self.file_descriptor, page[: self.page_size], self._offset(page_index))

    def read(self, page_index: int) -> Page:
        return os.pread(self.file_descriptor, self.page_size, self._offset(page_index))

    def _offset(self, page_index: int) -> int:
        if not 0 <= page_index < self.number_of_pages:
            raise IndexError(f"{self.filename} has no page {page_index}")
        return page_index * self.page_size


if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["machine1"])) as cluster:  # a machine played by this one
        remote_machine = cluster.machine("machine1")
        number_of_pages, page_size = 1024, 32 * 1024
        storage = remote_machine.make(PageDevice, "pagefile", number_of_pages, page_size)  # new(remote_machine)

        page = Page([42]) * page_size
        page_address = 17
        storage.write(page, page_address)  # returns when it is written
        copy = storage.read(page_address)
        print(f"page 17: {len(copy)} bytes of {copy[0]}, equal: {copy == page:d}")
        ov.start(storage.write, page, 18).result()  # 3.2: start returns a future at once
        try:
            storage.write(page, 1024)
        except IndexError as error:
            where = ov.errors.origin(error)
            print(f"{error}, says {where.object} on {where.machine}")
        ov.destroy(storage)  # runs __del__, and the process ends
