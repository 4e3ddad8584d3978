# SPDX-License-Identifier: Apache-2.0
"""Rows made columns by the pencils of mpi4py-fft for ./dev bench distributed, by mpiexec -n MEMBERS: its only row."""

from __future__ import annotations

import sys

import numpy as np
from distributed_timing import print_figures, side_of, timed
from mpi4py import MPI
from mpi4py_fft.pencil import Pencil, Subcomm


def main(size: int, seconds: float) -> None:
    comm = MPI.COMM_WORLD
    n = side_of(size)
    rows = Pencil(Subcomm(comm, [0, 1]), (n, n), axis=1)
    columns = rows.pencil(0)
    transfer = rows.transfer(columns, np.float64)
    source, target = np.full(rows.subshape, 2.0), np.empty(columns.subshape)
    found = {"resplit": timed(lambda: transfer.forward(source, target), comm.Barrier, lambda took: comm.allreduce(took, MPI.MAX), seconds)}
    if comm.rank == 0:
        print_figures(found)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
