# SPDX-License-Identifier: Apache-2.0
"""Loops over arrays on disk that are larger than the memory for them, by NumPy's memmap and by other libraries: what ./dev bench buffered compares with.

    python_out_of_core.py inner|jacobi|indices|mask WAY MEMORY FOLDER     # prints seconds, without those of its imports

inner: x and y of int32 (.raw, .zarr). jacobi: u to w of float64 (.raw, .zarr). indices, mask: 10^5 elements of v of float64 (.zarr, .h5),
whose number is in `count`.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

POINTS = 100_000
SLAB = 8 << 20  # bytes that are worked on at once
Work = Callable[[Path, int], Any]


def indices(count: int) -> Any:
    return np.random.default_rng(36).integers(0, count, POINTS)


def mask(count: int) -> Any:
    chosen = np.zeros(count, bool)
    chosen[indices(count)] = True
    return chosen


def raw(path: Path, dtype: str, mode: str = "r") -> Any:
    return np.memmap(path, dtype=dtype, mode=mode)


def check(total: float, count: int) -> None:
    if total != 6 * count:
        raise SystemExit(f"the inner product is {total}")


def inner_memmap(folder: Path, _: int) -> None:
    x, y = raw(folder / "x.raw", "int32"), raw(folder / "y.raw", "int32")
    step = SLAB // 4
    check(sum(int(np.dot(x[lo : lo + step].astype("int64"), y[lo : lo + step])) for lo in range(0, x.size, step)), x.size)


def square(path: Path, mode: str) -> Any:
    flat = raw(path, "float64", mode)
    side = math.isqrt(flat.size)
    return flat.reshape(side, side)


def relaxed(u: Any) -> Any:
    return 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def slabs(n: int) -> list[tuple[int, int]]:
    rows = max(1, SLAB // (8 * n))
    return [(lo, min(lo + rows, n - 1)) for lo in range(1, n - 1, rows)]


def jacobi_memmap(folder: Path, _: int) -> None:
    u, w = square(folder / "u.raw", "r"), square(folder / "w.raw", "r+")
    for lo, hi in slabs(len(u)):
        w[lo:hi, 1:-1] = relaxed(u[lo - 1 : hi + 1])
    w.base.flush()


def store(path: Path, memory: int) -> Any:
    import tensorstore

    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}, "context": {"cache_pool": {"total_bytes_limit": memory // 4}}}
    return tensorstore.open(spec, open=True).result()


def inner_tensorstore(folder: Path, memory: int) -> None:
    x, y = store(folder / "x.zarr", memory), store(folder / "y.zarr", memory)
    step, total = SLAB // 4, 0
    for lo in range(0, x.size, step):
        of_x, of_y = x[lo : min(lo + step, x.size)].read(), y[lo : min(lo + step, x.size)].read()
        total += int(np.dot(of_x.result().astype("int64"), of_y.result()))
    check(total, x.size)


def jacobi_tensorstore(folder: Path, memory: int) -> None:
    u, w = store(folder / "u.zarr", memory), store(folder / "w.zarr", memory)
    pending = None
    for lo, hi in slabs(u.shape[0]):
        found = relaxed(u[lo - 1 : hi + 1].read().result())
        if pending is not None:
            pending.result()
        pending = w[lo:hi, 1 : u.shape[1] - 1].write(found)
    if pending is not None:
        pending.result()


def inner_dask(folder: Path, _: int) -> None:
    import dask.array as da

    x, y = (da.from_array(raw(folder / name, "int32"), chunks=SLAB // 4) for name in ("x.raw", "y.raw"))
    check(int((x.astype("int64") * y).sum().compute(num_workers=2)), x.size)


def jacobi_dask(folder: Path, _: int) -> None:
    import dask.array as da

    w, given = square(folder / "w.raw", "r+"), square(folder / "u.raw", "r")
    u = da.from_array(given, chunks=(max(1, SLAB // (8 * len(given))), -1))
    da.store(relaxed(u), w[1:-1, 1:-1], lock=False, num_workers=2)
    w.base.flush()


def points_octavo(select: Callable[[int], Any]) -> Work:
    def work(folder: Path, memory: int) -> Any:
        import octavo

        with octavo.buffered(folder / "v.zarr", memory=memory) as v:
            return v[select(v.size)]

    return work


def points_octavo_array(select: Callable[[int], Any]) -> Work:
    def work(folder: Path, memory: int) -> Any:
        import octavo

        with octavo.open_array(folder / "v.zarr", memory=memory) as v:
            return v[select(v.size)]

    return work


def points_zarr(select: Callable[[int], Any]) -> Work:
    def work(folder: Path, _: int) -> Any:
        import zarr

        v = zarr.open_array(folder / "v.zarr", mode="r")
        return v.vindex[select(v.size)]

    return work


def points_h5py(select: Callable[[int], Any]) -> Work:
    def work(folder: Path, _: int) -> Any:
        import h5py

        with h5py.File(folder / "v.h5", "r") as file:
            v, chosen = file["v"], select(file["v"].size)
            if chosen.dtype == bool:
                return v[chosen]
            each, back = np.unique(chosen, return_inverse=True)  # it takes increasing ones only
            return v[each][back]

    return work


def points_tensorstore(select: Callable[[int], Any]) -> Work:
    def work(folder: Path, memory: int) -> Any:
        v = store(folder / "v.zarr", memory)
        return v[select(v.size)].read().result()

    return work


POINT_WAYS = {"octavo": points_octavo, "octavo.Array": points_octavo_array, "zarr": points_zarr, "h5py": points_h5py, "tensorstore": points_tensorstore}
WAYS: dict[str, dict[str, Work]] = {
    "inner": {"memmap": inner_memmap, "tensorstore": inner_tensorstore, "dask": inner_dask},
    "jacobi": {"memmap": jacobi_memmap, "tensorstore": jacobi_tensorstore, "dask": jacobi_dask},
    "indices": {name: way(indices) for name, way in POINT_WAYS.items()},
    "mask": {name: way(mask) for name, way in POINT_WAYS.items()},
}
IMPORTS = {"octavo": "octavo", "octavo.Array": "octavo", "dask": "dask.array"}


def main() -> None:
    program, way, memory, folder = sys.argv[1:]
    work = WAYS[program][way]
    if way != "memmap":
        __import__(IMPORTS.get(way, way))
    begin = time.perf_counter()
    found = work(Path(folder), int(memory))
    seconds = time.perf_counter() - begin
    if program == "indices" and not np.array_equal(found, indices(int((Path(folder) / "count").read_text()))):  # v holds the numbers from 0 on
        raise SystemExit("what was read is wrong")
    print(f"{seconds:.6f}")


if __name__ == "__main__":
    main()
