# SPDX-License-Identifier: Apache-2.0
"""Zarr arrays whose chunks are compressed: made, written by planes, read by a part, by each codec; the device encodes and decodes on all cores."""

import tempfile
from pathlib import Path

import numpy as np
import octavo as ov


def stored_bytes(array: Path) -> int:
    """Of its chunks on the disk."""
    return sum(each.stat().st_size for each in (array / "c").rglob("*") if each.is_file())


def main() -> None:
    shape, chunks = (64, 100, 100), (16, 32, 32)
    plane = np.arange(100 * 100, dtype="int32").reshape(100, 100)
    with tempfile.TemporaryDirectory() as folder:
        for codec in ("zstd", "gzip", "blosc"):
            path = Path(folder) / f"{codec}.zarr"
            with ov.create_array(path, shape, "int32", chunks=chunks, compressor=codec) as array:
                for first in range(0, shape[0], chunks[0]):  # whole chunks: nothing has to be read before
                    array[first : first + chunks[0]] = plane
            with ov.open_array(path) as again:
                less = "less" if 2 * stored_bytes(path) < again.nbytes else "more"
                print(f"{codec}: {again[63, 99].sum()}, {less} than half the bytes")


if __name__ == "__main__":
    main()
