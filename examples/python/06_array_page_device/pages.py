# SPDX-License-Identifier: Apache-2.0
"""Section 2.1 of the paper: pages, and pages that are blocks of an array."""

import numpy as np
import numpy.typing as npt
import octavo as ov

Page = npt.NDArray[np.uint8]  # n bytes
ArrayPage = npt.NDArray[np.complex128]  # n1 * n2 * n3 numbers


def new_page(page_size: int) -> Page:
    """In memory that all processes of a machine share: a Page that is passed to one of them is not copied."""
    return ov.empty(page_size, np.uint8)


def new_array_page(n1: int, n2: int, n3: int) -> ArrayPage:
    return ov.empty((n1, n2, n3), np.complex128)


def array_page(n1: int, n2: int, n3: int, page: Page) -> ArrayPage:
    """The numbers of a page: the same memory."""
    return page.view(np.complex128).reshape(n1, n2, n3)


def page_of(array: ArrayPage) -> Page:
    """The bytes of a block that lies in one piece: the same memory. Of another, such as a transposed one, a page of its own."""
    if not array.flags.c_contiguous:
        own = new_array_page(*array.shape)
        own[:] = array
        array = own
    return array.reshape(-1).view(np.uint8)


def transpose13(array: ArrayPage) -> ArrayPage:
    return array.transpose(2, 1, 0)


def transpose23(array: ArrayPage) -> ArrayPage:
    return array.transpose(0, 2, 1)
