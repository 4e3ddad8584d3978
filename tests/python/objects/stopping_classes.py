# SPDX-License-Identifier: Apache-2.0
"""A class whose methods stop at a breakpoint()."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hosted_classes import Process


class Stops(Process):
    def __init__(self, pid_file: str = "") -> None:
        self.value = 3
        if pid_file:
            Path(pid_file).write_text(str(self.pid()))
            breakpoint()

    def stop(self, x: int) -> int:
        y = x + self.value
        breakpoint()
        y += 1
        return y

    async def stop_later(self) -> int:
        breakpoint()
        return self.value

    def lines(self) -> Iterator[int]:
        breakpoint()
        yield self.value

    def again(self) -> int:
        self.value = 4
        self.value = 5
        return self.value
