# SPDX-License-Identifier: Apache-2.0
"""The main job: `octavo fft` and `octavo copy` of arrays larger than the memory given, so that several boxes are in flight."""

import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy.fft
import zarr
from kinds import Kind, Run
from numpy.typing import NDArray

OCTAVO = Path(sys.prefix) / "bin" / "octavo"
SOURCES = {"zarr": ".zarr", "zstd": ".zstd.zarr", "npy": ".npy", "raw": ".raw"}
TARGETS = {"zarr": (".zarr", []), "zstd": (".zarr", ["--compress", "zstd"]), "npy": (".npy", []), "raw": (".raw", [])}


@dataclass(frozen=True)
class Case:
    source: str
    target: str
    verb: str
    edge: int  # of the cube
    memory: tuple[str, ...]  # one of them
    chunk: int = 64  # of a Zarr source along each axis, and of a target that is not compressed

    @property
    def name(self) -> str:
        return f"job/{self.verb}-{self.source}-{self.target}-{self.edge}"


# With these budgets two processes transform, and most have 2 or 3 boxes in flight each (--plan says so). The small chunks make many boxes, and of
# each so many parts that the lane to a device is full again and again.
CASES = (
    Case("zarr", "zarr", "fft", 128, ("7MiB", "8MiB", "16MiB"), 16),
    Case("zarr", "npy", "fft", 128, ("10MiB", "16MiB"), 16),
    Case("npy", "zarr", "fft", 128, ("8MiB", "16MiB"), 16),
    Case("raw", "raw", "fft", 128, ("16MiB",)),
    Case("zarr", "zarr", "fft", 256, ("28MiB", "56MiB"), 16),
    Case("raw", "npy", "copy", 256, ("16MiB", "32MiB")),
    Case("zarr", "npy", "copy", 128, ("8MiB", "16MiB"), 16),
    Case("zstd", "zarr", "fft", 128, ("512MiB",)),
    Case("npy", "zstd", "fft", 128, ("512MiB",)),
    Case("zstd", "zstd", "copy", 128, ("512MiB",)),
)


class Arrays:
    """Sources and the results known for them: each made once, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.source = cache(self._source)
        self.expected = cache(self._expected)

    def _values(self, edge: int) -> NDArray[np.float32]:
        return np.random.default_rng(edge).standard_normal((edge,) * 3, np.float32)

    def _source(self, kind: str, edge: int, chunk: int) -> Path:
        path = self._folder / f"source-{edge}-{chunk}{SOURCES[kind]}"
        values = self._values(edge)
        if kind == "npy":
            np.save(path, values)
        elif kind == "raw":
            values.tofile(path)
        else:
            compressors = "auto" if kind == "zstd" else None
            zarr.create_array(store=str(path), shape=values.shape, chunks=(chunk,) * 3, dtype="f4", compressors=compressors)[...] = values
        return path

    def _expected(self, verb: str, edge: int) -> Path:
        path = self._folder / f"{verb}-{edge}.npy"
        values = self._values(edge)
        np.save(path, scipy.fft.fftn(values) if verb == "fft" else values)
        return path


def read(path: Path, kind: str, like: NDArray[np.generic]) -> NDArray[np.generic]:
    """By other means than Octavo's."""
    if kind == "npy":
        return np.load(path, mmap_mode="r")
    if kind == "raw":
        return np.memmap(path, like.dtype, "r", shape=like.shape)
    return zarr.open_array(store=str(path), mode="r")[...]


def difference(found: NDArray[np.generic], expected: NDArray[np.generic], exact: bool) -> str:
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"the result is {found.dtype} {found.shape}, not {expected.dtype} {expected.shape}"
    if exact:
        wrong = int(np.count_nonzero(found != expected))
        return f"{wrong} of {found.size} elements differ" if wrong else ""
    worst = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    return "" if worst < 1e-5 else f"the result differs by {worst:.3g} of the largest element"  # NaN is wrong, too


def jobs(arrays: Arrays) -> list[Kind]:
    return [Kind(case.name, _preparer(case, arrays)) for case in CASES]


def _preparer(case: Case, arrays: Arrays) -> Callable[[Path, int], Run]:
    def prepare(folder: Path, seed: int) -> Run:
        ending, options = TARGETS[case.target]
        target = folder / f"result{ending}"
        memory = random.Random(seed).choice(case.memory)
        if case.source == "raw":
            options = [*options, "--shape", ",".join([str(case.edge)] * 3), "--dtype", "float32"]
        if case.target == "zarr":
            options = [*options, "--chunks", ",".join([str(case.chunk)] * 3)]
        command = [str(OCTAVO), case.verb, str(arrays.source(case.source, case.edge, case.chunk)), str(target), "--memory", memory, *options]
        command += ["--timeline", str(folder / "run.json")]

        def check() -> str:
            if not any(event["ph"] == "X" for event in json.loads((folder / "run.json").read_text())["traceEvents"]):
                return "the timeline has no spans"
            expected = np.load(arrays.expected(case.verb, case.edge), mmap_mode="r")
            return difference(read(target, case.target, expected), expected, exact=case.verb == "copy")

        return Run(command, check)

    return prepare
