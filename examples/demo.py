# SPDX-License-Identifier: Apache-2.0
"""The main job on an array several times larger than its memory budget: ./dev demo [--memory SIZE] [--folder DIR]

Writes a random field as a Zarr array, chunk by chunk, transforms it, and compares every element of the result with the
known answer: the field is a(i) b(j) c(k) with random a, b and c, so its transform is the product of three 1-D transforms.
Needs 1 GiB of disk for a moment; removes what it wrote.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import octavo
from octavo.progress import Bar

SHAPE = (512, 256, 256)  # complex128: 512 MiB
CHUNK = (64, 64, 64)  # 4 MiB
ROOT = Path(__file__).resolve().parent.parent

Factors = list[np.ndarray]


def random_factors(seed: int) -> Factors:
    """One random complex vector for each axis."""
    random = np.random.default_rng(seed)
    return [random.normal(size=n) + 1j * random.normal(size=n) for n in SHAPE]


def blocks(chunk: tuple[int, ...]) -> Iterator[tuple[str, list[slice]]]:
    """The key of each chunk, and the part of each axis that it covers."""
    grid = [range(-(-n // c)) for n, c in zip(SHAPE, chunk, strict=True)]
    for index in product(*grid):
        yield "/".join(map(str, ("c", *index))), [slice(i * c, (i + 1) * c) for i, c in zip(index, chunk, strict=True)]


def values(factors: Factors, part: list[slice]) -> np.ndarray:
    """The outer product of the factors, in one block."""
    a, b, c = (factor[where] for factor, where in zip(factors, part, strict=True))
    return a[:, None, None] * b[None, :, None] * c[None, None, :]


def write_field(path: Path, factors: Factors) -> None:
    """An uncompressed Zarr v3 array, one chunk in memory at a time."""
    path.mkdir()
    meta = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": SHAPE,
        "data_type": "complex128",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": CHUNK}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "fill_value": [0.0, 0.0],
        "attributes": {},
    }
    (path / "zarr.json").write_text(json.dumps(meta))
    for key, part in blocks(CHUNK):
        file = path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        values(factors, part).tofile(file)


def worst_error(path: Path, factors: Factors) -> float:
    """The largest error of any element, relative to the largest element."""
    spectra = [np.fft.fft(factor) for factor in factors]
    largest = float(np.prod([np.abs(spectrum).max() for spectrum in spectra]))
    chunk = octavo.info(path).chunk
    worst = 0.0
    for key, part in blocks(chunk):
        found = np.fromfile(path / key, dtype=np.complex128).reshape(chunk)
        want = values(spectra, part)
        found = found[tuple(slice(n) for n in want.shape)]  # chunks at the edge are stored whole
        worst = max(worst, float(np.abs(found - want).max()))
    return worst / largest


def mib(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"


def demonstrate(folder: Path, memory: str) -> bool:
    """Writes, transforms, checks; whether the result is right."""
    source, target = folder / "field.zarr", folder / "spectrum.zarr"
    factors = random_factors(seed=1)
    begin = time.perf_counter()
    write_field(source, factors)
    print(f"wrote {source}: {' x '.join(map(str, SHAPE))} complex128, {mib(octavo.info(source).nbytes)}, in {time.perf_counter() - begin:.1f} s\n")

    print(f"$ octavo fft field.zarr spectrum.zarr --memory {memory}")
    job = octavo.fft.Job(source, target, memory=memory)
    print(job.plan)
    with Bar() as bar:
        report = job.run(bar.show)
    print(f"done in {report.seconds:.1f} s: {mib(report.bytes_moved)} read and written in {job.passes} passes, {report.gb_per_second:.2f} GB/s")
    peak, bound = mib(report.memory_peak - report.program_peak), f"{mib(report.memory_budget)} and 2 MiB for each process"
    print(f"memory: peak {peak} in {report.processes} processes; the bound is {bound}")

    error = worst_error(target, factors)
    print(f"all {np.prod(SHAPE):,} elements compared with the known answer: largest error {error:.1e} of the largest element")
    return error <= 1e-12


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", default="96MiB", help="the budget (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=os.environ.get("TMPDIR", ROOT / "build"), help="where to write (default: $TMPDIR, else build/)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="octavo-demo-", dir=options.folder) as folder:
        if not demonstrate(Path(folder), options.memory):
            raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
