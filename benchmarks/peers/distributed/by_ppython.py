# SPDX-License-Identifier: Apache-2.0
"""The same by pPython's message functions for ./dev bench distributed: SIZE, MEMBERS, SECONDS and the folder src/pPython of its sources.

MPI_Send and MPI_Recv alone, as its agg() and its assignments between maps use them: a message is a file of a pickle, and a lock file beside it. Members are
forked, and the barrier between two times is multiprocessing's, so that no message of pPython's is spent on measuring.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from distributed_timing import ROWS, print_figures, side_of, timed

sys.path.insert(0, str(Path(__file__).parents[1]))
from ppython_member import Member


def gathered(me: Member, mine: np.ndarray) -> np.ndarray | None:
    """As its agg(): a binary tree, in which the higher half of each pair sends what it has."""
    step, parts = 1, mine
    while step < me.members:
        if me.rank % (2 * step):
            me.send(me.rank - step, parts)
            return None
        if me.rank + step < me.members:
            parts = np.concatenate([parts, me.receive(me.rank + step)])
        step *= 2
    return parts


def measure(rank: int, members: int, size: int, seconds: float, shared: Any) -> None:
    folder, barrier, slowest = shared
    me = Member(rank, members, folder)
    n = side_of(size)
    rows = n // members
    a, b, c = (np.full((rows + 2, n), value) for value in (0.0, 2.0, 0.5))
    x, y, z = a[1:-1], b[1:-1], c[1:-1]
    columns = np.empty((n, rows))

    def triad() -> None:
        np.multiply(z, 3.0, out=x)
        np.add(x, y, out=x)

    def halo() -> None:
        me.begin()
        beside = [(rank - 1, a[1], a[0]), (rank + 1, a[-2], a[-1])]
        there = [each for each in beside if 0 <= each[0] < members]
        for other, edge, _ in there:
            me.send(other, edge)
        for other, _, border in there:
            border[...] = me.receive(other)

    def resplit() -> None:
        me.begin()
        for other in range(members):
            if other != rank:
                me.send(other, np.ascontiguousarray(x[:, other * rows : (other + 1) * rows]))
        for other in range(members):
            part = x[:, rank * rows : (rank + 1) * rows] if other == rank else me.receive(other)
            columns[other * rows : (other + 1) * rows] = part

    def gather() -> None:
        me.begin()
        gathered(me, x)

    def slowest_of(took: float) -> float:
        barrier.wait()
        slowest[rank] = took
        barrier.wait()
        return max(slowest)

    work = {"triad": triad, "halo": halo, "resplit": resplit, "gather": gather}
    found = {row: timed(work[row], barrier.wait, slowest_of, seconds) for row in ROWS}
    if rank == 0:
        print_figures(found)
        sys.stdout.flush()


def main(size: int, members: int, seconds: float, sources: Path) -> None:
    sys.path[:0] = [str(sources / part) for part in ("PythonMPI/src", "sched", "src")]
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:  # where octavo has its files, too
        shared = folder, fork.Barrier(members), fork.Array("d", members)
        others = [fork.Process(target=measure, args=(rank, members, size, seconds, shared)) for rank in range(members)]
        for each in others:
            each.start()
        for each in others:
            each.join()
        if any(each.exitcode for each in others):
            sys.exit("a member failed")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
