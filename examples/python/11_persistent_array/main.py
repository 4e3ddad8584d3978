# SPDX-License-Identifier: Apache-2.0
"""Sections 3.3 and 4.1 of the paper: an Array over persistent devices outlives the program that made it. Others open it by its symbolic address and
transform it where it is, also after its devices were killed."""

import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
import octavo as ov

N = 16


def wave() -> np.ndarray:
    """A plane wave: its transform is N^3 at (3, 5, 7) and 0 everywhere else."""
    j1, j2, j3 = np.ogrid[:N, :N, :N]
    return np.exp(2j * np.pi * (3 * j1 + 5 * j2 + 7 * j3) / N)


def all_of(a: ov.Array) -> np.ndarray:
    while True:
        try:
            return a[...]
        except ov.ProcessDied:  # the call that was on its way; the next activates the device
            pass


if __name__ == "__main__":
    devices = int(sys.argv[1]) if sys.argv[1:] else 3
    disk = Path(tempfile.gettempdir()) / "octavo_example_disks"
    with ov.Runtime():
        for name in ("turbulence", "spectrum"):
            ov.named(f"data/{name}").make_array((N, N, N), (4, 4, 4), "complex128", [disk / f"{name}{i}" for i in range(devices)])
        turbulence = ov.open_array("ov://data/turbulence", mode="r+")
        turbulence[...] = wave()
        turbulence.flush()
    # The first program ends here; the arrays do not.
    with ov.Runtime():
        turbulence = ov.open_array("ov://data/turbulence")
        print(f"a second program reads what was written: {np.array_equal(all_of(turbulence), wave()):d}")
        for each in ov.naming.names("data/turbulence/device"):
            os.kill(each.pid, signal.SIGKILL)
        print(f"the devices were killed, and are activated: {np.array_equal(all_of(turbulence), wave()):d}")
        values = ov.fft.fftn("ov://data/turbulence", out="ov://data/spectrum", memory="16MiB")[...]
        peak, values[3, 5, 7] = values[3, 5, 7], 0
        print(f"at (3, 5, 7): {peak.real:.0f} of {N**3}")
        print(f"elsewhere less than 1e-9: {abs(values).max() < 1e-9:d}")
        for name in ("data/turbulence", "data/spectrum"):
            ov.naming.destroy_array(name)
        print(f"names left: {len(ov.naming.names('data'))}")
    shutil.rmtree(disk)
