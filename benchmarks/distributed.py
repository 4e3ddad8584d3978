# SPDX-License-Identifier: Apache-2.0
"""./dev bench distributed [--quick] [--size 1MiB,1GiB] [--members 2,4] [--rounds 3] [--figure FILE.png]: distributed arrays beside MPI and pPython.

Rows: the triad of STREAM on each member's own elements, an exchange of borders of one row, rows made columns (resplit), and all of it gathered at one member.
In each round every program is started anew, so none polls beside another, and the rounds begin with another one each time. octavo's members are processes of
one machine (shm), of this one and a played one (tls), or of this one and one that a command begins: by its pipes (ssh; without its cipher) or by files.
mpi4py by hand and mpi4py-fft (resplit) are joined by shared memory, pPython's message functions by files. A gather goes into memory that is
there, but pPython's.

mpi4py is that of the interpreter that OCTAVO_PEERS_PYTHON names (the first that has it), or of the one that runs this; pPython is the checkout that
OCTAVO_PEERS_PPYTHON names (github.com/Accla/pPython). What is not there is left out. The limit is one copy of the array's bytes by one process.

--figure draws figure 10 of the paper of file-based messages: gathers of 1 MiB and 1 GiB on 2 to 8 members, and up to 2,048 simulated (kit/aggregation.py).
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
from kit.aggregation import figure_10
from kit.held import ROOT
from kit.report import Limit, Result, rounded, table, write_lines
from octavo import _core

PEERS = ROOT / "benchmarks" / "peers" / "distributed"
LONGEST = 600.0
LINKS = ("shm", "tls", "ssh", "files")
BESIDE = {"shm": ("mpi4py", "mpi4py-fft"), "files": ("pPython",)}  # the peers of a link
Figures = dict[tuple[str, int, int], dict[str, list[float]]]  # row, size, members: seconds by who


def interpreter_with(module: str) -> str | None:
    for python in os.environ.get("OCTAVO_PEERS_PYTHON", sys.executable).split(":"):
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def commands(size: int, members: int, seconds: float) -> dict[str, list[str]]:
    """By who answers."""
    ours = [sys.executable, str(PEERS / "by_octavo.py"), str(size), str(members)]
    found = {link: [*ours, link, str(seconds)] for link in LINKS}
    mpiexec = shutil.which("mpiexec")
    for name, module in (("mpi4py", "mpi4py.MPI"), ("mpi4py-fft", "mpi4py_fft")):
        if mpiexec is not None and (python := interpreter_with(module)) is not None:
            program = str(PEERS / f"by_{name.replace('-', '_')}.py")
            found[name] = [mpiexec, "--oversubscribe", "-n", str(members), python, program, str(size), str(seconds)]
    if sources := os.environ.get("OCTAVO_PEERS_PPYTHON"):
        found["pPython"] = [sys.executable, str(PEERS / "by_ppython.py"), str(size), str(members), str(seconds), str(Path(sources) / "src" / "pPython")]
    return found


def run(command: list[str], rows: str | None = None) -> dict[str, float]:
    """Seconds by row."""
    allowed = {
        **({} if rows is None else {"OCTAVO_BENCH_ROWS": rows}),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(PEERS),
    }
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
        for link in LINKS:
            name = f"{row} of {_core.format_bytes(size)} on {members}, {link}"
            conditions = {"size": size, "members": members, "link": link}
            beside = {peer: statistics.median(by_who[peer]) * 1000 for peer in BESIDE.get(link, ()) if peer in by_who}
            found.append(
                Result(name, [each * 1000 for each in by_who[link]], "ms", Limit("a copy", copies[size] * 1000), beside, conditions, lower_is_better=True)
            )
    return found


def measured(sizes: list[int], members: list[int], rounds: int, seconds: float) -> Figures:
    figures: Figures = {}
    if missing := {"mpi4py", "mpi4py-fft", "pPython"} - commands(0, 1, 0).keys():
        print(f"left out, as it is not there: {', '.join(sorted(missing))}")
    for size in sizes:
        for count in members:
            programs = list(commands(size, count, seconds).items())
            for number in range(rounds):
                for who, command in [*programs[number % len(programs) :], *programs[: number % len(programs)]]:
                    for row, took in run(command).items():
                        figures.setdefault((row, size, count), {}).setdefault(who, []).append(took)
    return figures


def gather_of(who: str, size: int, members: int) -> float | None:
    """Seconds of a gather; None: it is not there."""
    command = commands(size, members, 0.5).get(who)
    return None if command is None else run(command, "gather")["gather"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1 MiB and 64 MiB, one round")
    parser.add_argument("--size", default="1MiB,1GiB")
    parser.add_argument("--members", default="2,4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--figure", type=Path, help="draws figure 10 of the paper, and does nothing else")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    sizes = [_core.parse_bytes(each) for each in ("1MiB,64MiB" if chosen.quick else chosen.size).split(",")]
    members = [int(each) for each in chosen.members.split(",")]
    if chosen.figure:
        figure_10(gather_of, sizes, chosen.figure)
        return
    figures = measured(sizes, members, 1 if chosen.quick else chosen.rounds, 0.2 if chosen.quick else 2.0)
    results = results_of(figures, {size: copy_of(size) for size in sizes})
    rows = []
    for each in results:
        beside = "".join(f"; {peer} {rounded(took)} ms" for peer, took in each.peers.items())
        rows.append((each.name, f"{rounded(each.value)} ms, {rounded(each.to_limit)} of a copy{beside}"))
    print(table(rows))
    if chosen.json:
        write_lines(results, chosen.json)


if __name__ == "__main__":
    main()
