# SPDX-License-Identifier: Apache-2.0
"""./dev bench indexing [--quick]: a pass over an array on disk with [], beside what else reads and writes the same Zarr.

Round by round, each in turn: the disk itself, Octavo, zarr-python and tensorstore read a cold uncompressed array of 128^3 chunks by slabs, and
write one with its fsync. Another round reads a zstd-compressed array, and copies (rechunks) one within a sixteenth of its size.
Files lie in OCTAVO_BENCH_DIR, or build/bench; the array is kept there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import octavo
import tensorstore
import zarr
from kit import disk
from kit.field import CHUNK, Field, evict, shape_of
from kit.held import ROOT
from kit.report import Limit, Result, table, write_lines

MIB = 1 << 20
Timed = Callable[[], float]


class Bench:
    """The arrays, and each way over them as a function that gives its seconds."""

    def __init__(self, work: Path, size: int) -> None:
        self.work, self.size = work, size
        self.field = Field(shape_of(size))
        self.source, self.packed = work / f"field-{size >> 20}.zarr", work / f"packed-{size >> 20}.zarr"
        self.field.make_zarr(self.source)
        if not self.packed.exists():  # of values that compress to about a half
            made = work / "packed.unfinished"
            shutil.rmtree(made, ignore_errors=True)
            array = zarr.create_array(made, shape=self.field.shape, chunks=(CHUNK // 2,) * 3, dtype="complex128")
            for lo in range(0, self.field.shape[0], CHUNK):
                array[lo : lo + CHUNK] = np.round(zarr.open_array(self.source, mode="r")[lo : lo + CHUNK], 1)
            made.rename(self.packed)
        os.sync()

    def slabs(self) -> list[slice]:
        return [slice(lo, lo + CHUNK) for lo in range(0, self.field.shape[0], CHUNK)]

    def read(self, open_it: Callable[[], object], source: Path) -> float:
        """All of it, cold, into one slab's memory after the other."""
        evict(source)
        begin = time.perf_counter()
        array = open_it()
        total = 0.0
        for part in self.slabs():
            block = np.asarray(array[part])  # type: ignore[index]
            total += float(block[0, 0, 0].real)
        seconds = time.perf_counter() - begin
        if not np.isfinite(total):
            raise SystemExit("bench: what was read is wrong")
        return seconds

    def write(self, make: Callable[[Path], object], block: np.ndarray) -> float:
        target = self.work / "written.zarr"
        shutil.rmtree(target, ignore_errors=True)
        begin = time.perf_counter()
        array = make(target)
        for part in self.slabs():
            array[part] = block  # type: ignore[index]
        if hasattr(array, "flush"):
            array.flush()
        else:
            os.sync()
        seconds = time.perf_counter() - begin
        shutil.rmtree(target)
        return seconds

    def copy(self) -> float:
        target = self.work / "copied.zarr"
        evict(self.source)
        begin = time.perf_counter()
        octavo.copy(self.source, target, chunks=(CHUNK, CHUNK // 8, 8 * CHUNK), memory=self.size // 16, progress=False, overwrite=True).close()
        seconds = time.perf_counter() - begin
        shutil.rmtree(target)
        return seconds


def tensor(path: Path) -> object:
    """Reads when it is asked for a part."""
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}}
    opened = tensorstore.open(spec, open=True, read=True).result()

    class Reader:
        def __getitem__(self, part: slice) -> np.ndarray:
            return opened[part].read().result()

    return Reader()


def ways(bench: Bench) -> dict[str, dict[str, Timed]]:
    """What is measured: for each question, who answers it and how."""
    block = np.ascontiguousarray(zarr.open_array(bench.source, mode="r")[:CHUNK])
    shape, chunks = bench.field.shape, (CHUNK,) * 3

    def made(path: Path) -> object:
        return octavo.create_array(path, shape, "complex128", chunks=chunks)

    def made_by_zarr(path: Path) -> object:
        return zarr.create_array(path, shape=shape, chunks=chunks, dtype="complex128", compressors=None)

    def reads(path: Path) -> dict[str, Timed]:
        return {
            "octavo": lambda: bench.read(lambda: octavo.open_array(path), path),
            "zarr-python": lambda: bench.read(lambda: zarr.open_array(path, mode="r"), path),
            "tensorstore": lambda: bench.read(lambda: tensor(path), path),
        }

    return {
        "read": reads(bench.source),
        "write": {"octavo": lambda: bench.write(made, block), "zarr-python": lambda: bench.write(made_by_zarr, block)},
        "read zstd": reads(bench.packed),
        "copy to other chunks": {"octavo": bench.copy},
    }


def measure(bench: Bench, rounds: int) -> list[Result]:
    """Everybody in turn, so that a slow minute of the disk is everybody's."""
    asked = ways(bench)
    seconds: dict[str, dict[str, list[float]]] = {name: {who: [] for who in each} for name, each in asked.items()}
    raws = []
    for number in range(rounds + 1):
        raw = disk.measure(bench.work / "raw", bench.size)
        # In a virtual machine memory that no program has used yet is very dear: nobody is to pay for the others. So the first round is for nothing,
        # and each round another one begins.
        for name, each in asked.items():
            turn = list(each)[number % len(each) :] + list(each)[: number % len(each)]
            for who in turn:
                taken = each[who]()
                if number > 0:
                    seconds[name][who].append(taken)
        if number > 0:
            raws.append(raw)
            print(f"  round {number} of {rounds}: disk {raw.read:.2f}/{raw.write:.2f} GB/s read/write", flush=True)
    (bench.work / "raw.0").unlink(missing_ok=True)
    read, write = statistics.median(raw.read for raw in raws), statistics.median(raw.write for raw in raws)
    limits = {"read": read, "write": write, "read zstd": read, "copy to other chunks": 2 / (1 / read + 1 / write)}
    found = []
    for name, each in seconds.items():
        moved = bench.size / 1e9 * (2 if name.startswith("copy") else 1)
        rates = {who: [moved / each_time for each_time in times] for who, times in each.items()}
        peers = {who: statistics.median(values) for who, values in rates.items() if who != "octavo"}
        conditions = {
            "bytes": bench.size,
            "rounds": rounds,
            "cores": os.cpu_count(),
            "all": {who: [round(v, 3) for v in values] for who, values in rates.items()},
        }
        limit = Limit("disk: O_DIRECT io_uring, 4 MiB x 8", limits[name])
        found.append(Result(f"indexing {name}", rates["octavo"], "GB/s", limit, peers, conditions))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench indexing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="512 MiB, three rounds: a look, no measurement")
    parser.add_argument("--rounds", type=int, help="(default 5)")
    parser.add_argument("--json", type=Path, help="write one JSON object a line there")
    given = parser.parse_args()
    work = Path(os.environ.get("OCTAVO_BENCH_DIR", ROOT / "build" / "bench"))
    work.mkdir(parents=True, exist_ok=True)
    found = measure(Bench(work, (512 if given.quick else 2048) * MIB), given.rounds or (3 if given.quick else 5))
    rows = []
    for each in found:
        peers = "".join(f", {who} {value:.2f}" for who, value in each.peers.items())
        spread = f"[{min(each.values):.2f}, {max(each.values):.2f}]"
        rows.append((each.name, f"{each.value:.2f} {spread} GB/s, {each.to_limit:.2f} of the disk's {each.limit.value:.2f}{peers}"))
    print(table(rows))
    if given.json:
        write_lines(found, given.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
