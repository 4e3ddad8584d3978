# SPDX-License-Identifier: Apache-2.0
"""./dev bench buffered [--full | --quick] [--only WORD]: what a buffered array costs, beside what else goes over arrays on disk, all held to the same memory.

[]              128 MiB that lie in the buffers: read, written, at random, by blocks; the limit is the same loop over memory (programs/buffered_elements.cpp)
inner product   of two vectors of int32; the limit is the disk (kit/disk.py: O_DIRECT, 4 MiB, 8 at once)
Jacobi          an iteration of float64 from one array to another; the limit is the disk, reading and writing; also by two ranks of MPI
indices, mask   10^5 elements of one array in unsorted order; the limit is as many reads of 4 KiB

Two vectors of 512 MiB, and fields of 512 MiB, in 256 MiB; 1 GiB that is indexed. --full: 4 GiB and 8 GiB, in 2 GiB; 8 GiB. --quick: sizes that mean nothing.
Every run is held to its memory and what the program itself takes, page cache included, where this machine can (kit/held.py), and begins with a cold cache.
Rounds, each way in turn; the medians. Peers in other interpreters: OCTAVO_PEERS_PYTHON=/path/bin/python[:...]. Files lie in OCTAVO_BENCH_DIR, or build/bench.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kit import disk
from kit.held import ROOT
from kit.loops import FULL, LONGEST, LOOK, QUICK, Loops, Ways, elements, in_turn
from kit.report import Limit, Result, text

DISK = "disk: O_DIRECT, 4 MiB, 8 at once"
AIMS = {"blocks": "0.9 of the disk", "elements": "ahead of mmap and STXXL"}
TITLES = {"inner": "inner product", "jacobi": "Jacobi"}
OURS = ("blocks", "elements", "octavo", "octavo.Array")


def result(name: str, who: str, seconds: dict[str, list[float]], limit: Limit, ways: Ways, aim: str) -> Iterator[Result]:
    """One row; none where what is measured failed, which its neighbours say."""
    if who in seconds:
        peers = {peer: statistics.median(values) for peer, values in seconds.items() if peer not in OURS and peer != limit.name}
        conditions = {"aim": aim, "without": ways.without}
        yield Result(name, seconds[who], "s", limit, peers, conditions, lower_is_better=True)
    else:
        print(f"failed: {name}: {ways.without.get(who, 'it gave no figure')}", flush=True)


def on_disk(loops: Loops, program: str, rounds: int) -> Iterator[Result]:
    ways, raw = loops.ways(program), disk.measure(loops.folder / "raw", loops.sizes.vector)
    seconds = in_turn(ways, rounds)
    limit = Limit(DISK, loops.sizes.at_the_disk(program, disk.mean(raw, disk.measure(loops.folder / "raw", loops.sizes.vector))))
    for who, aim in AIMS.items():
        yield from result(f"{TITLES[program]}, {'[]' if who == 'elements' else who}", who, seconds, limit, ways, aim)


def by_two(loops: Loops, rounds: int) -> Iterator[Result]:
    ways, raw = loops.two_ranks(), disk.measure(loops.folder / "raw", loops.sizes.vector)
    seconds = in_turn(ways, rounds)
    limit = Limit(DISK, loops.sizes.at_the_disk("jacobi", raw))
    yield from result("Jacobi, two processes", "octavo", seconds, limit, ways, "0.9 of MPI by hand")


def of_points(loops: Loops, program: str, rounds: int) -> Iterator[Result]:
    ways = loops.points(program)
    seconds = in_turn(ways, rounds)
    limit = Limit("random reads", statistics.median(seconds["random reads"]))
    for who in ("octavo", "octavo.Array"):
        yield from result(f"{program}{'' if who == 'octavo' else ' of octavo.Array'}", who, seconds, limit, ways, "ahead of each")


def rows(loops: Loops, rounds: int, only: str) -> Iterator[dict[str, Any]]:
    parts: dict[str, tuple[Callable[[], None], list[Callable[[], Iterator[Result]]]]] = {
        "inner product": (loops.make_vectors, [lambda: on_disk(loops, "inner", rounds)]),
        "Jacobi": (loops.make_fields, [lambda: on_disk(loops, "jacobi", rounds), lambda: by_two(loops, rounds)]),
        "indices, mask": (loops.make_indexed, [lambda: of_points(loops, "indices", rounds), lambda: of_points(loops, "mask", rounds)]),
    }
    if only in "[] blocks":
        yield from elements(loops.folder / "report.json", loops.folder)
    for name, (make, those) in parts.items():
        if only not in name:
            continue
        make()
        for part in those:
            for each in part():
                yield json.loads(each.line())
        for path in loops.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench buffered", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the sizes of the issue: minutes")
    parser.add_argument("--quick", action="store_true", help="some MiB: whether it runs")
    parser.add_argument("--only", default="", help="the parts whose name has this: [], inner product, Jacobi, indices, mask")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write one JSON object a line there")
    given = parser.parse_args()
    folder = Path(os.environ.get("OCTAVO_BENCH_DIR", ROOT / "build" / "bench")) / "buffered"
    sizes = FULL if given.full else QUICK if given.quick else LOOK
    loops = Loops(folder, sizes, LONGEST * (10 if given.full else 1))
    print(f"buffered: {loops.sizes}, {'held' if loops.holder.holds else 'not held: who uses the page cache may take more'}, in {folder}", flush=True)
    found = []
    try:
        for line in rows(loops, given.rounds, given.only):
            print(text(line), flush=True)
            found.append(line)
    finally:
        shutil.rmtree(folder)
    if given.json:
        given.json.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found))
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
