# SPDX-License-Identifier: Apache-2.0
"""A page device that outlives programs. It stands in a module, so that those which come later can import it."""

import os
import signal
from typing import NoReturn


class PageDevice:
    def __init__(self, filename: str, number_of_pages: int, page_size: int) -> None:
        self.filename, self.number_of_pages, self.page_size = filename, number_of_pages, page_size
        self.open()

    def open(self) -> None:
        self.file = os.open(self.filename, os.O_RDWR | os.O_CREAT, 0o600)

    def write(self, page: bytes, index: int) -> None:
        os.pwrite(self.file, page[: self.page_size], self.offset(index))

    def read(self, index: int) -> bytes:
        return os.pread(self.file, self.page_size, self.offset(index))

    def offset(self, index: int) -> int:
        if not 0 <= index < self.number_of_pages:
            raise IndexError(self.filename)
        return index * self.page_size

    def crash(self) -> NoReturn:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    def __getstate__(self) -> dict[str, object]:
        """What is stored: not the open file, which is this process's."""
        return {name: value for name, value in vars(self).items() if name != "file"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self.open()  # activated
