# SPDX-License-Identifier: Apache-2.0
"""./dev bench poccs [--memory 256MiB] [--plot FILE.png]: tables 1 and 2 of POCCS by the ratio of array to memory.

Both programs (benchmarks/programs/poccs.cpp) run over two arrays of int32 that are 0.125 to 8 times the memory together: by the buffers of a BufferedArray,
by mmap(2) of the same files ("VM" over a file), and in anonymous memory ("VM" as in the paper; without swap it is killed beyond the memory). Each run is
held to the memory and 32 MiB for the program, page cache included, where this machine can (benchmarks/kit/held.py), and begins with a cold cache.
Files lie in OCTAVO_BENCH_DIR, or build/bench.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import shutil
import sys
from pathlib import Path

import numpy as np
from kit.field import evict
from kit.held import ROOT, Gave, Holder, TooLong
from kit.report import Limit, Result, write_lines
from octavo._core import parse_bytes

RATIOS = (0.125, 0.25, 0.5, 1, 2, 4, 8)
PROGRAMS = {"inner": "table 1, vector inner product", "jacobi": "table 2, Jacobi iteration"}
KINDS = {"buffered": "buffered array", "mapped": "mmap", "memory": "anonymous memory"}
BESIDE = 32 << 20  # what the program takes itself
LONGEST = 600.0
PIECE = 16 << 20  # elements that are written at once
BINARY = ROOT / "build" / "release" / "bin" / "poccs"

Rows = dict[str, dict[float, dict[str, float | None]]]  # by program, ratio and kind: seconds; None: killed, or too long


def measured(holder: Holder, program: str, kind: str, size: int, memory: int, folder: Path) -> float | None:
    for name in ("x.raw", "y.raw"):
        evict(folder / name)
    with contextlib.suppress(Gave, TooLong):
        return float(holder.run([str(BINARY), program, kind, str(size), str(memory), str(folder)], memory + BESIDE, LONGEST).output)
    return None


def fill(path: Path, count: int) -> None:
    """Of what has been written each block is read from the disk; what only has its room is not."""
    with path.open("wb") as file:
        for lo in range(0, count, PIECE):
            np.arange(lo, min(lo + PIECE, count), dtype="int32").tofile(file)
        os.fsync(file.fileno())


def tables(memory: int, folder: Path) -> Rows:
    holder = Holder()
    print(f"poccs: {memory >> 20} MiB, {'held' if holder.holds else 'not held: mmap and anonymous memory may take more'}, in {folder}", flush=True)
    rows: Rows = {}
    for program, title in PROGRAMS.items():
        print(f"\n{title}\n  array : memory      " + "".join(f"{name:>18}" for name in KINDS.values()))
        for ratio in RATIOS:
            side = math.isqrt(int(ratio * memory) // 8)
            size = side * side * 8
            for name in ("x.raw", "y.raw"):
                fill(folder / name, side * side)
            found = {kind: measured(holder, program, kind, size, memory, folder) for kind in KINDS}
            rows.setdefault(program, {})[ratio] = found
            said = ["killed" if seconds is None else f"{seconds:.2f} s" for seconds in found.values()]
            print(f"  {ratio:5g} ({size >> 20:5d} MiB)  " + "".join(f"{each:>18}" for each in said), flush=True)
    return rows


def plot(rows: Rows, file: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    FigureCanvasAgg(figure)
    for place, (program, by_ratio) in enumerate(rows.items(), 1):
        axes = figure.add_subplot(1, len(rows), place)
        for kind, name in KINDS.items():
            known = [(ratio, found[kind]) for ratio, found in by_ratio.items() if found[kind] is not None]
            axes.plot([ratio for ratio, _ in known], [seconds for _, seconds in known], marker="o", label=name)
        axes.set(title=PROGRAMS[program], xlabel="array : memory", ylabel="seconds", xscale="log", yscale="log")
        axes.set_xticks(RATIOS, [f"{ratio:g}" for ratio in RATIOS])
        axes.minorticks_off()
        axes.legend()
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", type=parse_bytes, default=256 << 20, help="of each run (default 256MiB)")
    parser.add_argument("--plot", type=Path, help="a picture of both tables")
    parser.add_argument("--json", type=Path, help="a line for each figure")
    wanted = parser.parse_args()
    folder = Path(os.environ.get("OCTAVO_BENCH_DIR", ROOT / "build" / "bench")) / "poccs"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        rows = tables(wanted.memory, folder)
    finally:
        shutil.rmtree(folder)
    if wanted.plot:
        plot(rows, wanted.plot)
    if wanted.json:
        write_lines([result for program in rows for result in results(program, rows[program])], wanted.json)


def results(program: str, by_ratio: dict[float, dict[str, float | None]]) -> list[Result]:
    """Beside mmap, which has no bound of its own."""
    found = []
    for ratio, seconds in by_ratio.items():
        ours, mapped = seconds["buffered"], seconds["mapped"]
        if ours is not None and mapped is not None:
            found.append(Result(f"poccs {program} at {ratio:g}", [ours], "s", Limit("mmap", mapped), lower_is_better=True))
    return found


if __name__ == "__main__":
    sys.exit(main())
