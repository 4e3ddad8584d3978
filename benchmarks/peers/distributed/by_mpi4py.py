# SPDX-License-Identifier: Apache-2.0
"""The same by hand with mpi4py for ./dev bench distributed, by mpiexec -n MEMBERS: buffers, Sendrecv, Alltoall, Gather."""

from __future__ import annotations

import sys

import numpy as np
from distributed_timing import ROWS, print_figures, side_of, timed
from mpi4py import MPI


def main(size: int, seconds: float) -> None:
    comm = MPI.COMM_WORLD
    me, members = comm.rank, comm.size
    n = side_of(size)
    rows = n // members
    a, b, c = (np.full((rows + 2, n), value) for value in (0.0, 2.0, 0.5))
    x, y, z = a[1:-1], b[1:-1], c[1:-1]
    full = np.zeros((n, n)) if me == 0 else None
    above, below = (me - 1 if me > 0 else MPI.PROC_NULL), (me + 1 if me + 1 < members else MPI.PROC_NULL)
    packed, came, columns = np.empty((members, rows, rows)), np.empty((members, rows, rows)), np.empty((n, rows))

    def triad() -> None:
        np.multiply(z, 3.0, out=x)
        np.add(x, y, out=x)

    def halo() -> None:
        comm.Sendrecv(a[1], above, recvbuf=a[-1], source=below)
        comm.Sendrecv(a[-2], below, recvbuf=a[0], source=above)

    def resplit() -> None:
        packed[...] = x.reshape(rows, members, rows).swapaxes(0, 1)
        comm.Alltoall(packed, came)
        columns[...] = came.reshape(n, rows)

    def gather() -> None:
        comm.Gather(x, full, 0)

    work = {"triad": triad, "halo": halo, "resplit": resplit, "gather": gather}
    found = {row: timed(work[row], comm.Barrier, lambda took: comm.allreduce(took, MPI.MAX), seconds) for row in ROWS}
    if me == 0:
        print_figures(found)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
