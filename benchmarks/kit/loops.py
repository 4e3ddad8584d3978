# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench buffered measures beyond [] in memory: loops over arrays on disk, each way in a program of its own, held to the same memory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from kit.disk import Raw
from kit.field import evict
from kit.held import ROOT, Gave, Holder, TooLong
from kit.python_programs import has, interpreters

BIN = ROOT / "build" / "release" / "bin"
PEERS = ROOT / "benchmarks" / "peers" / "python" / "python_out_of_core.py"
PIECE = 64 << 20
LONGEST = 60.0  # seconds of one program; --full: ten times that
BESIDE = {"program": 32 << 20, "python": 384 << 20}  # what the program takes itself
POINTS = 100_000


@dataclass(frozen=True)
class Sizes:
    """Bytes: of a vector, of the memory for two; the side of a field; of the array that is indexed."""

    vector: int
    memory: int
    side: int
    indexed: int

    def at_the_disk(self, program: str, raw: Raw) -> float:
        """Seconds of inner or jacobi if nothing but the disk takes any."""
        if program == "inner":
            return 2 * self.vector / 1e9 / raw.read
        return raw.seconds(8 * self.side**2, 1)


LOOK = Sizes(512 << 20, 256 << 20, 8192, 1 << 30)
QUICK = Sizes(16 << 20, 16 << 20, 1024, 16 << 20)
FULL = Sizes(4 << 30, 2 << 30, 32768, 8 << 30)


@dataclass
class Ways:
    """Each way through a program that can be had here, and why the others cannot. A way gives its seconds."""

    found: dict[str, Callable[[], float]] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)


class Loops:
    """Makes the arrays in a folder, and runs the programs over them."""

    def __init__(self, folder: Path, sizes: Sizes, longest: float) -> None:
        self.folder, self.sizes, self.longest = folder, sizes, longest
        self.holder = Holder()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def make_vectors(self) -> None:
        for name, value in (("x", 2), ("y", 3)):
            self._fill(name, (self.sizes.vector // 4,), "int32", lambda lo, count, value=value: np.full(count, value, "int32"), zarr_too=True)

    def make_fields(self) -> None:
        for name in ("u", "w"):
            self._fill(name, (self.sizes.side,) * 2, "float64", lambda lo, count: np.arange(lo, lo + count, dtype="float64") % 1000, zarr_too=True)

    def make_indexed(self) -> None:
        count = self.sizes.indexed // 8
        (self.folder / "count").write_text(str(count))
        self._fill("v", (count,), "float64", lambda lo, many: np.arange(lo, lo + many, dtype="float64"), zarr_too=True, hdf5_too=True)

    def _fill(
        self, name: str, shape: tuple[int, ...], dtype: str, values: Callable[[int, int], np.ndarray], *, zarr_too: bool = False, hdf5_too: bool = False
    ) -> None:
        """As .raw, in chunks of 1 MiB as .zarr and .h5, all of them on the disk afterwards."""
        rows = PIECE // np.dtype(dtype).itemsize // int(np.prod(shape[1:], dtype=int))
        chunks = (max(1, (1 << 20) // np.dtype(dtype).itemsize // int(np.prod(shape[1:], dtype=int))), *shape[1:])
        also = []
        if zarr_too:
            import zarr

            also.append(zarr.create_array(self.folder / f"{name}.zarr", shape=shape, chunks=chunks, dtype=dtype, compressors=None))
        if hdf5_too:
            import h5py

            also.append(h5py.File(self.folder / f"{name}.h5", "w").create_dataset(name, shape, dtype, chunks=chunks))
        with (self.folder / f"{name}.raw").open("wb") as raw:
            for lo in range(0, shape[0], rows):
                part = (min(rows, shape[0] - lo), *shape[1:])
                piece = values(lo * int(np.prod(shape[1:], dtype=int)), int(np.prod(part))).reshape(part)
                piece.tofile(raw)
                for each in also:
                    each[lo : lo + part[0]] = piece
        for each in also:
            if hasattr(each, "file"):
                each.file.close()
        os.sync()

    def run(self, command: list[str], beside: int) -> float:
        """Cold: nothing of the arrays is in the page cache."""
        for each in self.folder.iterdir():
            evict(each)
        return float(self.holder.run(command, self.sizes.memory + beside, self.longest).output.split()[-1])

    def _program(self, *words: object) -> Callable[[], float]:
        return lambda: self.run([str(BIN / str(words[0])), *map(str, words[1:])], BESIDE["program"])

    def _python(self, python: str, program: str, way: str) -> Callable[[], float]:
        beside = BESIDE["python"] + (3 * self.sizes.indexed // 8 if program == "mask" else 0)  # the mask, and what NumPy makes of it
        return lambda: self.run([python, str(PEERS), program, way, str(self.sizes.memory), str(self.folder)], beside)

    def ways(self, program: str) -> Ways:
        """Of inner or jacobi: by Octavo ("blocks", "elements"), by hand, and by others."""
        size = self.sizes.vector if program == "inner" else self.sizes.side
        told = (size, self.sizes.memory, self.folder)
        ways = Ways({way: self._program("out_of_core", program, way, *told) for way in ("blocks", "elements", "hand", "mmap")})
        if (BIN / "peer_stxxl").exists():
            ways.found["STXXL"] = self._program("peer_stxxl", program, *told)
        else:
            ways.without["STXXL"] = "not installed: apt install libstxxl-dev, then build again"
        ways.found["memmap"] = self._python(sys.executable, program, "memmap")
        self._add_python(ways, program, {"tensorstore": "tensorstore", "dask": "dask.array"})
        return ways

    def points(self, program: str) -> Ways:
        """Of indices or mask."""
        ways = Ways({way: self._python(sys.executable, program, way) for way in ("octavo", "octavo.Array")})
        self._add_python(ways, program, {"zarr": "zarr", "h5py": "h5py", "tensorstore": "tensorstore"})
        ways.found["random reads"] = self._program("out_of_core", "random", POINTS, self.sizes.indexed, self.folder / "v.raw")
        return ways

    def _add_python(self, ways: Ways, program: str, modules: dict[str, str]) -> None:
        for way, module in modules.items():
            having = [python for python in (sys.executable, *interpreters()) if has(python, module.partition(".")[0])]
            if having:
                ways.found[way] = self._python(having[0], program, way)
            else:
                ways.without[way] = f"no module {module} in {', '.join(interpreters())} (see OCTAVO_PEERS_PYTHON in benchmarks/python.py)"

    def two_ranks(self) -> Ways:
        """Of jacobi, by MPI: seconds for an iteration of two."""
        mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        if mpirun is None or not (BIN / "mpi_jacobi").exists():
            return Ways(without={"MPI by hand": "not installed: apt install openmpi-bin libopenmpi-dev, then build again"})
        allowed = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", mpirun, "--bind-to", "none", "-np", "2"]

        def by(way: str) -> Callable[[], float]:
            command = [*allowed, str(BIN / "mpi_jacobi"), way, str(self.sizes.side), str(self.sizes.memory // 2), "2", str(self.folder)]
            return lambda: self.run(command, 4 * BESIDE["program"])

        return Ways({"octavo": by("octavo"), "MPI by hand": by("hand")})


def why(failure: str) -> str:
    """What the program said last; within-memory's line says of what it died."""
    *said, last = failure.splitlines()
    if not last.startswith("{"):
        return last
    return "killed: it took more than its memory" if json.loads(last)["oom_kills"] else (said or [last])[-1]


def in_turn(ways: Ways, rounds: int) -> dict[str, list[float]]:
    """Each way once a round, so that a slow minute of the disk is everybody's. One that fails goes to those that are not to be had."""
    seconds: dict[str, list[float]] = {name: [] for name in ways.found}
    for _ in range(rounds):
        for name, way in ways.found.items():
            if name in ways.without:
                continue
            try:
                seconds[name].append(way())
            except (Gave, TooLong) as failure:
                ways.without[name] = why(str(failure))
    return {name: values for name, values in seconds.items() if values and name not in ways.without}


def elements(report: Path, folder: Path) -> list[dict[str, object]]:
    """The rows of [] in memory, by a program of their own, and STXXL's beside them."""
    subprocess.run([str(BIN / "buffered_elements"), "--json", str(report)], check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    asked = {"[] read": "read", "[] written": "written", **{f"[] at random over 2^{bits}": f"random:{bits}" for bits in (16, 20, 25)}}
    if (BIN / "peer_stxxl").exists():
        for line in lines:
            if line["name"] in asked:
                done = subprocess.run([str(BIN / "peer_stxxl"), "elements", asked[line["name"]], str(folder)], check=True, stdout=subprocess.PIPE, text=True)
                line["peers"]["STXXL"] = float(done.stdout.split()[-1])
                line["to_best_peer"] = round(line["peers"]["STXXL"] / line["value"], 3)
    return lines
