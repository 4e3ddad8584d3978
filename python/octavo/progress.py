# SPDX-License-Identifier: Apache-2.0
"""A job's progress on the terminal or in a notebook: bytes, GB/s, time left."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from octavo import job


class Bar:
    """Use as a context; hand ``show`` to a job's run. Draws on standard error where that is a terminal, and in notebooks.

    wanted: True draws it anywhere, False nowhere.
    """

    def __init__(self, wanted: bool | None = None) -> None:
        console = Console(stderr=True)
        shown = (console.is_terminal or console.is_jupyter) if wanted is None else wanted
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[rate]:.2f} GB/s"),
            TimeRemainingColumn(),
            console=console,
            auto_refresh=False,
            disable=not shown,
        )
        self._task = self._progress.add_task("planning", total=None, rate=0.0)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def show(self, now: job.Progress) -> bool:
        """Draws the state of a job; never stops it."""
        self.draw(f"pass {now.step} of {now.steps}", now.bytes_done, now.bytes_total, now.seconds)
        return True

    def draw(self, what: str, done: int, total: int, seconds: float) -> None:
        """Bytes of what is done."""
        self._progress.update(self._task, description=what, total=total, completed=done, rate=done / 1e9 / max(seconds, 1e-9))
        self._progress.refresh()
