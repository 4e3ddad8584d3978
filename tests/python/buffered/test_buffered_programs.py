# SPDX-License-Identifier: Apache-2.0
"""Jacobi iterations of several processes over arrays on several files (BA-2, BA-3): the same result whatever their number."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest

N, PAGE, ITERATIONS = 128, 32, 6


class Member:
    def __init__(self, barrier: Any) -> None:
        self.barrier = lambda: barrier.wait(60)


def solve(folder: Path, index: int, size: int, barrier: Any) -> None:
    me = Member(barrier)
    lo, hi = max(1, N * index // size), min(N - 1, N * (index + 1) // size)
    with octavo.buffered(folder / "u.octavo", mode="r+", memory="64KiB") as u, octavo.buffered(folder / "w.octavo", mode="r+", memory="64KiB") as w:
        for _ in range(ITERATIONS):
            for i in range(lo, hi):
                w[i, 1:-1] = (u[i - 1, 1:-1] + u[i + 1, 1:-1] + u[i, :-2] + u[i, 2:]) // 4
            w.sync(me)
            u, w = w, u


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("processes", "files"), [(1, 1), (2, 1), (2, 4), (4, 2)])
def test_ba2_ba3_jacobi_is_numpys_by_any_number_of_processes(tmp_path: Path, processes: int, files: int) -> None:
    start = np.zeros((N, N), "int32")
    start[0] = 10**6
    for name in ("u", "w"):
        disks = [tmp_path / f"{name}{number}" for number in range(files)]
        for each in disks:
            each.mkdir()
        with octavo.create_array(tmp_path / f"{name}.octavo", (N, N), "int32", chunks=(PAGE, PAGE), devices=disks) as made:
            made[...] = start
    spawned = multiprocessing.get_context("spawn")
    barrier = spawned.Barrier(processes)
    workers = [spawned.Process(target=solve, args=(tmp_path, index, processes, barrier)) for index in range(processes)]
    for each in workers:
        each.start()
    for each in workers:
        each.join(200)
    assert [each.exitcode for each in workers] == [0] * processes
    wanted, other = start.copy(), start.copy()
    for _ in range(ITERATIONS):
        other[1:-1, 1:-1] = (wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]) // 4
        wanted, other = other, wanted
    with octavo.open_array(tmp_path / "u.octavo") as u:  # after an even number of iterations
        np.testing.assert_array_equal(u[...], wanted)
