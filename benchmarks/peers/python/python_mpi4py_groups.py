# SPDX-License-Identifier: Apache-2.0
"""mpi4py's collectives for ./dev bench python, by mpiexec -n 2 and -n 4: Barrier, allreduce of a float (pickled, beside), Allreduce of buffers."""

import numpy as np
from mpi4py import MPI
from python_answering import say
from python_group_timing import SMALL, Array, batches, measured


def main() -> None:
    world = MPI.COMM_WORLD
    one, all_of_one = np.zeros(1), np.zeros(1)

    def small(value: float) -> float:
        one[0] = value
        world.Allreduce(one, all_of_one)
        return float(all_of_one[0])

    def large(mine: Array, both: Array) -> None:
        world.Allreduce(mine, both)

    rows = measured(world.rank, world.size, world.Barrier, small, large)
    pickled = 1e6 * batches(lambda: world.allreduce(1.0), SMALL)
    if world.rank == 0:
        who = f"mpi4py, {'Open MPI' if 'Open MPI' in MPI.Get_library_version() else 'MPICH'}"
        say({row: {who: value} for row, value in rows.items()}, {f"all_reduce of 8 B on {world.size}": {f"{who}, allreduce of a float": pickled}})


if __name__ == "__main__":
    main()
