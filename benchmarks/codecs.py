# SPDX-License-Identifier: Apache-2.0
"""./dev bench codecs [--mib N] [--rounds N]: compressed Zarr read and written with [], beside what else reads and writes it.

For zstd, Blosc (LZ4 with shuffle) and gzip, in chunks of 128^3 and 32^3, and zstd in shards: Octavo, zarr-python, zarrs and tensorstore in turn, round by
round. All of the array is read from the page cache into one memory, and written with what makes it durable. The limit is the codec itself, on all cores, in
memory: that of numcodecs. (Its gzip is zlib's, which is slower than libdeflate's: there the limit may be passed.)
Files lie in OCTAVO_BENCH_DIR, or build/bench, and are removed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import shutil
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import octavo
import zarr
from kit.held import ROOT
from kit.report import Limit, Result, table, write_lines

MIB = 1 << 20
SIDE = 256  # of the planes of the array
Timed = Callable[[], float]


@dataclass(frozen=True)
class Case:
    """``shard``: how many chunks along each axis of a shard; 1: a file a chunk."""

    codec: str
    chunk: int
    shard: int = 1

    @property
    def name(self) -> str:
        return f"{self.codec} {self.chunk}^3" + (f" in shards of {self.shard * self.chunk}^3" if self.shard > 1 else "")

    def options(self) -> dict[str, Any]:
        """Of zarr.create_array."""
        compressor = {
            "zstd": lambda: zarr.codecs.ZstdCodec(level=3, checksum=True),
            "blosc": lambda: zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle", typesize=4),
            "gzip": lambda: zarr.codecs.GzipCodec(level=5),
        }[self.codec]()
        return {"chunks": (self.chunk,) * 3, "compressors": compressor, **({"shards": (self.chunk * self.shard,) * 3} if self.shard > 1 else {})}

    def alone(self) -> Any:
        """The codec by itself."""
        if self.codec == "zstd":
            return numcodecs.Zstd(level=3, checksum=True)
        return numcodecs.GZip(level=5) if self.codec == "gzip" else numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE)


CASES = (Case("zstd", 128), Case("zstd", 32), Case("zstd", 32, 4), Case("blosc", 128), Case("blosc", 32), Case("gzip", 128), Case("gzip", 32))


def values(shape: tuple[int, int, int]) -> np.ndarray:
    """Of a smooth field with a little noise, as simulations store them: they compress to about a half."""
    x, y, z = (np.linspace(0, 6, extent, dtype="float32") for extent in shape)
    field = np.sin(x)[:, None, None] * np.cos(y)[None, :, None] + np.sin(2 * z)[None, None, :]
    return np.round(field + np.random.default_rng(0).normal(0, 1e-3, shape).astype("float32"), 3).astype("float32")


class Bench:
    """One case: the data, and each way over it as a function that gives its seconds."""

    def __init__(self, work: Path, case: Case, data: np.ndarray) -> None:
        self.case, self.data = case, data
        self.source, self.target = work / "codecs-source.zarr", work / "codecs-target.zarr"
        shutil.rmtree(self.source, ignore_errors=True)
        zarr.create_array(self.source, shape=data.shape, dtype="float32", **case.options())[...] = data

    def read(self, open_it: Callable[[], Any]) -> float:
        begin = time.perf_counter()
        got = np.asarray(open_it()[...])
        seconds = time.perf_counter() - begin
        if not np.array_equal(got[:: SIDE // 4], self.data[:: SIDE // 4]):
            raise SystemExit("bench: what was read is wrong")
        return seconds

    def write(self, write_it: Callable[[Path], None]) -> float:
        shutil.rmtree(self.target, ignore_errors=True)
        os.sync()
        begin = time.perf_counter()
        write_it(self.target)
        seconds = time.perf_counter() - begin
        shutil.rmtree(self.target)
        return seconds

    def by_octavo(self, path: Path) -> None:
        chunks = (self.case.chunk,) * 3
        shards = tuple(self.case.shard * chunk for chunk in chunks) if self.case.shard > 1 else None
        with octavo.create_array(path, self.data.shape, "float32", chunks=chunks, compressor=self.case.codec, shards=shards, memory="1GiB") as made:
            made[...] = self.data

    def by_zarr(self, path: Path) -> None:
        zarr.create_array(path, shape=self.data.shape, dtype="float32", **self.case.options())[...] = self.data
        os.sync()

    def by_tensorstore(self, path: Path) -> None:
        zarr.create_array(path, shape=self.data.shape, dtype="float32", **self.case.options())
        opened_by_tensorstore(path)[...].write(self.data).result()
        os.sync()

    def ways(self) -> dict[str, dict[str, Timed]]:
        """By the question, then by who answers it. zarrs is zarr-python with another pipeline."""
        reads: dict[str, Timed] = {
            "octavo": lambda: self.read(lambda: octavo.open_array(self.source, memory="1GiB")),
            "zarr-python": lambda: self.read(lambda: zarr.open_array(self.source, mode="r")),
        }
        writes: dict[str, Timed] = {"octavo": lambda: self.write(self.by_octavo), "zarr-python": lambda: self.write(self.by_zarr)}
        if has("zarrs"):
            reads["zarrs"] = lambda: with_zarrs(reads["zarr-python"])
            writes["zarrs"] = lambda: with_zarrs(writes["zarr-python"])
        if has("tensorstore"):
            reads["tensorstore"] = lambda: self.read(lambda: Read(opened_by_tensorstore(self.source)))
            writes["tensorstore"] = lambda: self.write(self.by_tensorstore)
        return {"read": reads, "write": writes}

    def limits(self) -> dict[str, float]:
        """Seconds of the codec alone, on all cores."""
        side, codec = self.case.chunk, self.case.alone()
        grid = [range(0, extent, side) for extent in self.data.shape]
        chunks = [np.ascontiguousarray(self.data[i : i + side, j : j + side, k : k + side]) for i in grid[0] for j in grid[1] for k in grid[2]]
        out = [np.empty_like(chunk) for chunk in chunks]
        numcodecs.blosc.use_threads = False
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            begin = time.perf_counter()
            encoded = list(pool.map(codec.encode, chunks))
            written = time.perf_counter() - begin
            list(pool.map(codec.decode, encoded, out))
            return {"write": written, "read": time.perf_counter() - begin - written}


class Read:
    """Of tensorstore, as an array of NumPy's kind."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def __getitem__(self, part: Any) -> Any:
        return self._opened[part].read().result()


def opened_by_tensorstore(path: Path) -> Any:
    tensorstore = importlib.import_module("tensorstore")
    return tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}}, open=True).result()


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def with_zarrs(timed: Timed) -> float:
    importlib.import_module("zarrs")
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
        return timed()


def measure(bench: Bench, rounds: int) -> list[Result]:
    """Everybody in turn; the first round is for nothing."""
    found = []
    limits = [bench.limits() for _ in range(rounds)]
    for question, each in bench.ways().items():
        rates: dict[str, list[float]] = {who: [] for who in each}
        for number in range(rounds + 1):
            for who in [*list(each)[number % len(each) :], *list(each)[: number % len(each)]]:
                seconds = each[who]()
                if number > 0:
                    rates[who].append(bench.data.nbytes / 1e9 / seconds)
        peers = {who: statistics.median(rate) for who, rate in rates.items() if who != "octavo"}
        limit = Limit("the codec on all cores, by numcodecs", bench.data.nbytes / 1e9 / statistics.median(each[question] for each in limits))
        without = {peer: "is not installed" for peer in ("zarrs", "tensorstore") if not has(peer)}
        conditions = {"bytes": bench.data.nbytes, "rounds": rounds, "cores": len(os.sched_getaffinity(0)), "without": without}
        found.append(Result(f"codecs {question} {bench.case.name}", rates["octavo"], "GB/s", limit, peers, conditions))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench codecs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=2048, help="of the array (default 2048); a quarter of it for gzip")
    parser.add_argument("--rounds", type=int, default=3, help="(default 3)")
    parser.add_argument("--json", type=Path, help="write one JSON object a line there")
    given = parser.parse_args()
    work = Path(os.environ.get("OCTAVO_BENCH_DIR", ROOT / "build" / "bench"))
    work.mkdir(parents=True, exist_ok=True)
    found = []
    for case in CASES:
        mib = given.mib // 4 if case.codec == "gzip" else given.mib
        bench = Bench(work, case, values((max(SIDE, mib * MIB // (4 * SIDE * SIDE)), SIDE, SIDE)))
        for each in measure(bench, given.rounds):
            found.append(each)
            peers = "".join(f", {who} {value:.2f}" for who, value in each.peers.items())
            print(table([(each.name, f"{each.value:.2f} GB/s, {each.to_limit:.2f} of the codec's {each.limit.value:.2f}{peers}")]), flush=True)
        shutil.rmtree(bench.source)
    if given.json:
        write_lines(found, given.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
