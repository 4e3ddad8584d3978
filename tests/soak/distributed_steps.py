# SPDX-License-Identifier: Apache-2.0
"""Steps of objects_program.py: distributed arrays of random splits beside NumPy, used by the program and by their members, one of which may die."""

from __future__ import annotations

import os
import random
import signal
from typing import Any

import numpy as np
import numpy.typing as npt
import octavo as ov
from octavo.distributed import DistributedArray, Split

GRIDS = [(3, 1), (1, 3)]


class Part:
    """A member."""

    def pid(self) -> int:
        return os.getpid()

    def add(self, a: DistributedArray, number: int) -> float:
        a.local += number
        a.exchange_halo("periodic")
        return float(a.sum())


class DistributedSteps:
    def __init__(self, choices: random.Random) -> None:
        self._random = choices

    def _split(self) -> Split:
        grid = self._random.choice(GRIDS)
        if self._random.random() < 0.5:
            return Split(grid, halo=self._random.choice([0, 1]))
        return Split(grid, dist=self._random.choice(["cyclic", 2]))

    def _array(self, group: ov.Group[Any]) -> tuple[DistributedArray, npt.NDArray[Any]]:
        whole = np.random.default_rng(self._random.randrange(1000)).integers(-9, 9, (self._random.randrange(1, 40), self._random.randrange(1, 40))).astype("f8")
        return ov.distributed.from_array(whole, group=group, split=self._split()), whole

    def computes(self) -> None:
        group = ov.make_group(Part, 3, place=self._random.choice([ov.process, ov.thread]))
        a, whole = self._array(group)
        for _ in range(self._random.randrange(1, 6)):
            what = self._random.choice(["resplit", "members", "add", "along"])
            if what == "resplit":
                a = a.resplit(self._split())
            elif what == "members":
                whole = whole + 3
                assert group.all.add(a, 3) == [whole.sum()] * 3
            elif what == "add":
                a, whole = a + a, whole + whole
            else:
                axis = self._random.randrange(2)
                assert np.array_equal(a.max(axis=axis).gather(), whole.max(axis=axis))
        assert np.array_equal(a.gather(self._random.randrange(3)), whole)
        ov.destroy(group)

    def member_dies(self) -> None:
        """The others are told, and so is the program."""
        group = ov.make_group(Part, 3)
        a, _ = self._array(group)
        os.kill(group.all.pid()[self._random.randrange(3)], signal.SIGKILL)
        told = False
        while not told:
            try:
                a.resplit(self._split()).sum()
            except ov.ProcessDied:
                told = True
        ov.destroy(group)
