# SPDX-License-Identifier: Apache-2.0
"""A program: reads or writes one store as a server does, and prints what memory that took. For test_stores_memory.py.

python stores_footprint.py '{"kind": ..., "path": ...}' read|write|part
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from octavo._src.stores import open_store, prepare_server


def status(key: str) -> int:
    """Bytes, from /proc/self/status."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key + ":"))
    return int(line.split()[1]) << 10


def random_bits(shape: tuple[int, ...]) -> np.ndarray:
    """Elements that nothing compresses."""
    return np.random.default_rng(1).integers(0, 2**64, shape, np.uint64).view(np.float64)


def main(spec: str, mode: str) -> None:
    prepare_server()
    store = open_store(json.loads(spec), writable=mode != "read")
    opened = status("RssAnon")
    box = tuple(slice(0, extent) for extent in store.shape)
    if mode == "part":
        box = tuple(slice(1, extent - 1) for extent in store.shape)
    lo = tuple(each.start for each in box)
    shape = tuple(each.stop - each.start for each in box)
    block = np.ones(shape) if mode == "read" else random_bits(shape)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before = status("VmRSS")
    (store.read if mode == "read" else store.write)(lo, block)
    peak, after = status("VmHWM"), status("VmRSS")
    bound = store.read_bytes if mode == "read" else store.write_bytes
    print(json.dumps({"opened": opened, "took": peak - before, "kept": after - before, "bound": bound}))


if __name__ == "__main__":
    main(*sys.argv[1:])
