# SPDX-License-Identifier: Apache-2.0
"""A plain MPI program, without a Runtime: sync() with MPI's barrier (BA-2, BA-3)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import octavo
import pytest

# By ctypes, so that no package for Python is needed: what sync() takes has a barrier().
PROGRAM = """
import ctypes, sys
import octavo

mpi = ctypes.CDLL("libmpi.so.40", ctypes.RTLD_GLOBAL)
mpi.MPI_Init(None, None)
world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
rank = ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))


class World:
    def barrier(self):
        assert mpi.MPI_Barrier(world) == 0


me = rank.value
with octavo.buffered(sys.argv[1], mode="r+", memory="64KiB") as u:
    for number in range(1, 21):
        u[me::2] = number * 10 + me
        u.sync(World())
        assert (u[1 - me :: 2] == number * 10 + 1 - me).all(), number
        World().barrier()
mpi.MPI_Finalize()
"""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", ["u.npy", "u.zarr"])
def test_ba2_ba3_two_ranks_see_what_both_wrote(tmp_path: Path, name: str) -> None:
    mpirun = shutil.which("mpirun.openmpi")
    if mpirun is None:
        pytest.skip("no Open MPI: apt install openmpi-bin")
    octavo.create_array(tmp_path / name, (40, 500), "int64", **({"chunks": (7, 100)} if name == "u.zarr" else {})).close()
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [mpirun, "--oversubscribe", "-np", "2", sys.executable, "-c", PROGRAM, str(tmp_path / name)]
    done = subprocess.run(command, env={**os.environ, **allowed}, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    with octavo.open_array(tmp_path / name) as u:
        np.testing.assert_array_equal(u[:, 0], 200 + np.arange(40) % 2)
