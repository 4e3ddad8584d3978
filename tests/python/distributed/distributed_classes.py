# SPDX-License-Identifier: Apache-2.0
"""The members of the tests of distributed arrays: imported by name where they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import octavo as ov
from octavo.distributed import DistributedArray


class Holder:
    def __init__(self) -> None:
        self.kept: DistributedArray | None = None

    def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """``work(me, *arguments)``, as a member."""
        return work(ov.self(), *arguments)

    def local(self, a: DistributedArray) -> np.ndarray[Any, Any]:
        return a.local.copy()

    def with_halo(self, a: DistributedArray) -> np.ndarray[Any, Any]:
        return a.with_halo.copy()

    def indices(self, a: DistributedArray) -> list[np.ndarray[Any, Any]]:
        return [a.local_indices(axis) for axis in range(a.ndim)]

    def add_one(self, a: DistributedArray) -> None:
        a.local += 1

    def keep(self, a: DistributedArray) -> None:
        self.kept = a

    def kept_sum(self) -> float:
        assert self.kept is not None
        return float(self.kept.sum())

    def give(self) -> DistributedArray:
        return ov.distributed.full(6, 2.0, group=ov.self().group)
