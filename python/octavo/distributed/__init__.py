# SPDX-License-Identifier: Apache-2.0
"""Arrays spread over the members of a group: each has a part of it in its own process, as a NumPy array.

>>> a = octavo.distributed.zeros((n, n), axis=0, halo=1, group=me.group)     # in a method of all members; or in the program, of its group
>>> a.local[...] = f(a.local_indices(0)[:, None])
>>> a.exchange_halo(); b = a.resplit(axis=1); s = b.sum(); full = b.gather(root=0); b.to_disk("y.zarr")

What is promised is DA-1 to DA-9 of docs/contract.md.
"""

from octavo.distributed.array import DistributedArray
from octavo.distributed.making import from_array, full, zeros
from octavo.distributed.split import Split

__all__ = ["DistributedArray", "Split", "from_array", "full", "zeros"]
