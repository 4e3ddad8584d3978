# SPDX-License-Identifier: Apache-2.0
"""./dev bench distributed [--quick] [--size 1MiB,1GiB] [--members 2,4] [--rounds 3]: distributed arrays beside mpi4py by hand.

Rows: the triad of STREAM on each member's own elements, an exchange of borders of one row, rows made columns (resplit), and all of it gathered at one member.
In each round every program is started anew, so none polls beside another, and the rounds begin with another one each time. octavo's members are processes of
one machine (shm), or of two played ones (tls); mpi4py's are joined by shared memory. A gather goes into memory that is there, on both sides.

mpi4py is that of the interpreter that OCTAVO_PEERS_PYTHON names (the first that has it), or of the one that runs this; it is left out where there is none.
The limit is one copy of the array's bytes by one process.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from kit.held import ROOT
from kit.report import Limit, Result, rounded, table, write_lines
from octavo import _core

PEERS = ROOT / "benchmarks" / "peers" / "distributed"
LONGEST = 600.0
Figures = dict[tuple[str, int, int], dict[str, list[float]]]  # row, size, members: seconds by who


def interpreter_with_mpi4py() -> str | None:
    for python in os.environ.get("OCTAVO_PEERS_PYTHON", sys.executable).split(":"):
        if subprocess.run([python, "-c", "from mpi4py import MPI"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def commands(size: int, members: int, seconds: float, python: str | None) -> dict[str, list[str]]:
    ours = [sys.executable, str(PEERS / "by_octavo.py"), str(size), str(members)]
    found = {link: [*ours, link, str(seconds)] for link in ("shm", "tls")}
    mpiexec = shutil.which("mpiexec")
    if python is not None and mpiexec is not None:
        found["mpi4py"] = [mpiexec, "--oversubscribe", "-n", str(members), python, str(PEERS / "by_mpi4py.py"), str(size), str(seconds)]
    return found


def run(command: list[str]) -> dict[str, float]:
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PEERS)}
    done = subprocess.run(command, env={**os.environ, **allowed}, capture_output=True, text=True, timeout=LONGEST, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return {row: figure["median"] for row, figure in json.loads(done.stdout.splitlines()[-1]).items()}


def copy_of(size: int) -> float:
    """Seconds of one copy into memory that is there."""
    source, target = np.ones(size // 8), np.ones(size // 8)
    took = []
    for _ in range(5):
        begin = time.perf_counter()
        target[:] = source
        took.append(time.perf_counter() - begin)
    return min(took)


def results_of(figures: Figures, copies: dict[int, float]) -> list[Result]:
    found = []
    for (row, size, members), by_who in figures.items():
        peers = {"mpi4py": statistics.median(by_who["mpi4py"])} if "mpi4py" in by_who else {}
        for link in ("shm", "tls"):
            name = f"{row} of {_core.format_bytes(size)} on {members}, {link}"
            conditions = {"size": size, "members": members, "link": link}
            beside = {key: value * 1000 for key, value in peers.items()} if link == "shm" else {}
            found.append(
                Result(name, [each * 1000 for each in by_who[link]], "ms", Limit("a copy", copies[size] * 1000), beside, conditions, lower_is_better=True)
            )
    return found


def measured(sizes: list[int], members: list[int], rounds: int, seconds: float) -> Figures:
    figures: Figures = {}
    python = interpreter_with_mpi4py()
    if python is None:
        print("mpi4py is left out: no interpreter of OCTAVO_PEERS_PYTHON has it")
    for size in sizes:
        for count in members:
            programs = list(commands(size, count, seconds, python).items())
            for number in range(rounds):
                for who, command in [*programs[number % len(programs) :], *programs[: number % len(programs)]]:
                    for row, took in run(command).items():
                        figures.setdefault((row, size, count), {}).setdefault(who, []).append(took)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1 MiB and 64 MiB, one round")
    parser.add_argument("--size", default="1MiB,1GiB")
    parser.add_argument("--members", default="2,4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    sizes = [_core.parse_bytes(each) for each in ("1MiB,64MiB" if chosen.quick else chosen.size).split(",")]
    members = [int(each) for each in chosen.members.split(",")]
    figures = measured(sizes, members, 1 if chosen.quick else chosen.rounds, 0.2 if chosen.quick else 2.0)
    results = results_of(figures, {size: copy_of(size) for size in sizes})
    rows = []
    for each in results:
        beside = "" if each.to_best_peer is None else f", {rounded(each.to_best_peer)} of mpi4py's {rounded(each.peers['mpi4py'])} ms"
        rows.append((each.name, f"{rounded(each.value)} ms, {rounded(each.to_limit)} of a copy{beside}"))
    print(table(rows))
    if chosen.json:
        write_lines(results, chosen.json)


if __name__ == "__main__":
    main()
