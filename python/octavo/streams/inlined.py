# SPDX-License-Identifier: Apache-2.0
"""All stages of a stream in this thread, each called by the one before it."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from octavo.streams.items import Again, To
from octavo.streams.report import StageReport, StreamReport
from octavo.streams.stages import Stage
from octavo.streams.worker import call_of, outputs_of


async def gathered(result: Any) -> list[Any]:
    return [each async for each in result] if inspect.isasyncgen(result) else [await result]


def dealt(stage: Stage[Any, Any], item: Any) -> Sequence[Any]:
    """To workers, all of which are this thread."""
    if isinstance(item, To):
        return [item.item]
    if stage.dealing.kind == "all":
        return [item] * stage.worker_count()
    if stage.dealing.kind == "parts" and stage.dealing.function is not None:
        return list(stage.dealing.function(item, stage.worker_count()))
    return [item]


class Inlined:
    def __init__(self, items: Iterator[Any], stages: list[Stage[Any, Any]]) -> None:
        self._began, self._seconds, self._delivered = time.monotonic(), 0.0, 0
        self._reports = [StageReport(stage.name, "inline") for stage in stages]
        self._made = []
        results: Iterable[Any] = items
        for stage, report in zip(stages, self._reports, strict=True):
            made, call = call_of(stage.what, stage.arguments, stage.keywords)
            self._made.append(made)
            if hasattr(made, "svc_init"):
                made.svc_init()
            results = self._through(results, stage, call, report)
        self._results = iter(results)

    def _through(self, items: Iterable[Any], stage: Stage[Any, Any], call: Any, report: StageReport) -> Iterator[Any]:
        for item in items:
            outputs = (output for part in dealt(stage, item) for output in self._rounds(part, call, report))
            for output in [list(outputs)] if stage.dealing.gathers else outputs:
                report.given += 1
                yield output

    @staticmethod
    def _rounds(item: Any, call: Any, report: StageReport) -> Iterator[Any]:
        """Of an item, and of what it feeds back."""
        waiting = [item]
        while waiting:
            report.taken += 1
            begin = time.perf_counter()
            result = call(waiting.pop())
            outputs = asyncio.run(gathered(result)) if inspect.isawaitable(result) or inspect.isasyncgen(result) else outputs_of(result)
            report.busy += time.perf_counter() - begin
            for output in outputs:
                if isinstance(output, Again):
                    waiting.append(output.item)
                else:
                    yield output

    def take(self) -> tuple[bool, Any]:
        for item in self._results:
            self._delivered += 1
            return True, item
        made, self._made = self._made, []
        for each in made:
            if hasattr(each, "svc_end"):
                each.svc_end()
        self.end()
        return False, None

    def end(self) -> None:
        self._seconds = self._seconds or time.monotonic() - self._began

    def report(self) -> StreamReport:
        return StreamReport(self._reports, self._delivered, self._seconds)
