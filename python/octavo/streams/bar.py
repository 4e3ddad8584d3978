# SPDX-License-Identifier: Apache-2.0
"""A stream's progress on the terminal or in a notebook: results, and how many a second."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

EVERY = 0.1  # seconds


class Bar:
    """``total``: items of the source, where that is known. wanted: True draws it anywhere; None where there is a terminal, or a notebook."""

    def __init__(self, wanted: bool | None, total: int | None) -> None:
        console = Console(stderr=True)
        shown = (console.is_terminal or console.is_jupyter) if wanted is None else wanted
        columns = (BarColumn(), TextColumn("{task.completed} results, {task.fields[rate]:.0f}/s"), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, auto_refresh=False, disable=not shown)
        self._task = self._progress.add_task("", total=total, rate=0.0)
        self._count, self._began, self._drawn = 0, time.monotonic(), 0.0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def count(self) -> None:
        self._count += 1
        now = time.monotonic()
        if now - self._drawn > EVERY:
            self._draw(now)

    def _draw(self, now: float) -> None:
        self._drawn = now
        self._progress.update(self._task, completed=self._count, rate=self._count / max(now - self._began, 1e-9))
        self._progress.refresh()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._draw(time.monotonic())
        self._progress.stop()
