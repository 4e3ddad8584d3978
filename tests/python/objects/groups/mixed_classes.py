# SPDX-License-Identifier: Apache-2.0
"""Python members of groups in which there are C++ objects: the same methods as in tests/system/programs/part.cpp."""

from __future__ import annotations

import operator
import os
import signal
from typing import Any

import numpy as np
import octavo as ov


class Model:
    def place(self) -> int:
        me = ov.self()
        return me.index * 10 + me.size

    def meet(self) -> None:
        ov.self().barrier()

    def total(self, x: Any) -> Any:
        return ov.self().all_reduce(x)

    def greatest(self, x: int) -> int:
        return ov.self().all_reduce(x, "max")

    def joined(self, x: str) -> str:
        return ov.self().all_reduce(x, operator.add)

    def sum(self, x: Any) -> Any:
        return ov.self().all_reduce(x, np.add)

    sum_field = sum

    def total_there(self, x: float, root: int) -> float:
        total = ov.self().reduce(x, "sum", root)
        return -1.0 if total is None else total

    def sum_there(self, x: Any, root: int) -> Any:
        total = ov.self().reduce(x, "sum", root)
        return np.empty(0, x.dtype) if total is None else total

    def told(self, x: Any, root: int) -> Any:
        return ov.self().broadcast(x, root)

    told_field = told

    def dealt(self, x: Any, root: int) -> Any:
        return ov.self().scatter(x, root)

    def gathered(self, x: float, root: int) -> Any:
        return ov.self().gather(x, root) or []

    def all_gathered(self, x: Any) -> Any:
        return ov.self().all_gather(x)

    def up_to(self, x: Any) -> Any:
        return ov.self().scan(x)

    fields_up_to = up_to

    def before(self, x: int, init: int) -> int:
        return ov.self().exclusive_scan(x, init)

    def exchanged(self, x: Any) -> Any:
        return ov.self().all_to_all(x)

    def total_of_part(self, x: float, color: int) -> float:
        return ov.self().split(color).all_reduce(x)

    def plainly(self, x: float) -> float:
        return ov.self().all_reduce(x)

    def fails(self, x: float) -> float:
        if x < 0:
            raise ValueError("no negative numbers")
        return ov.self().all_reduce(x)

    def crash(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def twice(self, x: float) -> float:
        return 2 * x

    def ask(self, other: Any, x: float) -> float:
        return other.later(x)
