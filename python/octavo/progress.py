# SPDX-License-Identifier: Apache-2.0
"""A job's progress on the terminal: bytes, GB/s, time left."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from octavo import fft


class Bar:
    """Use as a context; hand ``show`` to a job's run. Prints to standard error, and only where that is a terminal."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[rate]:.2f} GB/s"),
            TimeRemainingColumn(),
            console=console,
            auto_refresh=False,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("planning", total=None, rate=0.0)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def show(self, now: fft.Progress) -> bool:
        """Draws the state of a job; never stops it."""
        rate = now.bytes_done / 1e9 / max(now.seconds, 1e-9)
        self._progress.update(self._task, description=f"pass {now.step} of {now.steps}", total=now.bytes_total, completed=now.bytes_done, rate=rate)
        self._progress.refresh()
        return True
