# SPDX-License-Identifier: Apache-2.0
"""Sections 2.2 and 4.1 of the paper: ArrayPageDevice instead of a PageDevice, by inheritance; and launched alongside one."""

import numpy as np
import octavo as ov
from array_page_device import ArrayPageDevice
from page_device import PageDevice
from pages import array_page, new_array_page, page_of


def bytes_sent(p: object) -> int:
    """By the process of an object, in its messages."""
    return next(each.bytes_sent for each in ov.watching.processes() if each.address == ov.watching.address(p))


if __name__ == "__main__":
    with ov.Runtime(engine=ov.played(["machine1"])) as cluster:
        machine1 = cluster.machine("machine1")
        n1, n2, n3 = 32, 32, 32
        number_of_pages = 16

        array = new_array_page(n1, n2, n3)
        array[:] = np.arange(n1)[:, None, None] + 0.01 * np.arange(n3)
        page = page_of(array)

        # Instead of a PageDevice: its methods come along, and those that it defines anew are its own.
        device = machine1.make(ArrayPageDevice, "arrayfile", number_of_pages, n1, n2, n3)
        device.write(page, 3)
        turned = array_page(n3, n2, n1, device.read_transpose13(3))
        print(f"by inheritance: (1,2,3) is {array[1, 2, 3].real:g}; transposed on machine1, (3,2,1) is {turned[3, 2, 1].real:g}")

        # Alongside one that is there, with pages in it.
        storage = machine1.make(PageDevice, "pagefile", number_of_pages, page.size)
        storage.write(page, 7)
        alongside = ov.beside(storage).make(ArrayPageDevice.alongside, storage, n1, n2, n3)
        before = bytes_sent(storage)
        total = alongside.sum(7)
        sent = bytes_sent(storage) - before
        print(f"alongside: the sum of page 7 is {total.real:g}")
        print(f"the page has {page.size} bytes; storage sent fewer than 1000 for it: {sent < 1000:d}")

        # Whoever expects a PageDevice takes any.
        for each in (device, storage, alongside):
            print("as a PageDevice:", each.read(3 if each == device else 7).nbytes, "bytes")
