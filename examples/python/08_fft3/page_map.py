# SPDX-License-Identifier: Apache-2.0
"""Sections 2.3 and 4.1 of the paper: domains, and the map that says where a page of the array is kept."""

import enum
import itertools
from collections.abc import Iterator
from typing import NamedTuple

Block = tuple[slice, ...]  # where a page lies in the numbers of a domain


class Transpose(enum.Enum):
    """Which axis a domain and its numbers have in the place of the third."""

    NONE, T13, T23 = range(3)


class Domain(NamedTuple):
    """In pages, along each axis."""

    first: range
    second: range
    third: range


class Address(NamedTuple):
    server_id: int
    page_index: int


class PageMap(NamedTuple):
    pages: int  # along each side of the array
    number_of_servers: int

    def page_address(self, i1: int, i2: int, i3: int) -> Address:
        """The circulant map; the file may have gaps, which take no room."""
        return Address((i1 + i2 + i3) % self.number_of_servers, (i1 * self.pages + i2) * self.pages + i3)


def every_page(domain: Domain, page_map: PageMap, n: int, t: Transpose) -> Iterator[tuple[Address, Block]]:
    """Every page of a domain: where it is kept, and where its n * n * n numbers lie in those of the domain."""
    for i1, i2, i3 in itertools.product(*domain):
        page = {Transpose.NONE: (i1, i2, i3), Transpose.T13: (i3, i2, i1), Transpose.T23: (i1, i3, i2)}[t]
        begin = ((i - axis.start) * n for i, axis in zip((i1, i2, i3), domain, strict=True))
        yield page_map.page_address(*page), tuple(slice(j, j + n) for j in begin)
