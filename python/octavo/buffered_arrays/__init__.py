# SPDX-License-Identifier: Apache-2.0
"""What octavo.buffered gives: arrays on disk used as if they were in memory: a bounded number of buffers hold blocks of them.

>>> with octavo.buffered("u.zarr", mode="r+", memory="1GiB") as u:
...     u[0, :] = 1
...     for block in u.blocks(halo=1, boundary="periodic"):  # a BufferedBlock
...         block.out[...] = smooth(block.data)
...     u *= 2
...     print(u.sum(), u.counters())

What is promised is BA-1 to BA-7 of docs/contract.md.
"""

from octavo.buffered_arrays.blocks import BufferedBlock

__all__ = ["BufferedBlock"]
