# SPDX-License-Identifier: Apache-2.0
"""Sections 4.1 and 4.3 of the paper: a complex array in pages on several servers. It is a small value of remote pointers and a map: each process
that computes with it has a copy of its own, and no other process stands between it and the servers.
"""

from dataclasses import dataclass

import numpy as np
import octavo as ov
from array_device import ArrayDevice
from page_map import Address, Domain, PageMap, Transpose, every_page
from pages import ArrayPage, Page, array_page, page_of


@dataclass
class Array:
    n: int  # points along each side of a page
    page_map: PageMap
    page_server: list[ArrayDevice]

    def read(self, domain: Domain, t: Transpose = Transpose.NONE) -> ArrayPage:
        pages = [self._start_read(address, t) for address, _ in every_page(domain, self.page_map, self.n, t)]  # all servers read at the same time
        values = np.empty([len(axis) * self.n for axis in domain], complex)
        for page, (_, block) in zip(pages, every_page(domain, self.page_map, self.n, t), strict=True):
            values[block] = array_page(self.n, self.n, self.n, page.result())
        return values

    def write(self, domain: Domain, values: ArrayPage, t: Transpose = Transpose.NONE) -> None:
        done = [self._start_write(page_of(values[block]), address, t) for address, block in every_page(domain, self.page_map, self.n, t)]
        for each in done:  # written: another process may read it next
            each.result()

    def read_into_server_cache(self, domain: Domain, t: Transpose = Transpose.NONE) -> None:
        """Returns at once; this caller's next reads come after."""
        for address, _ in every_page(domain, self.page_map, self.n, t):
            ov.start(self.page_server[address.server_id].read_into_cache, address.page_index)

    def _start_read(self, address: Address, t: Transpose) -> ov.Future[Page]:
        server = self.page_server[address.server_id]
        read = {Transpose.NONE: server.read, Transpose.T13: server.read_transpose13, Transpose.T23: server.read_transpose23}[t]
        return ov.start(read, address.page_index)

    def _start_write(self, page: Page, address: Address, t: Transpose) -> ov.Future[None]:
        server = self.page_server[address.server_id]
        write = {Transpose.NONE: server.write, Transpose.T13: server.write_transpose13, Transpose.T23: server.write_transpose23}[t]
        return ov.start(write, page, address.page_index)
