# SPDX-License-Identifier: Apache-2.0
"""All stages of a stream in this thread, each called by the one before it."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Iterable, Iterator
from typing import Any

from octavo.streams.description import Stage
from octavo.streams.report import StageReport, StreamReport
from octavo.streams.worker import call_of, outputs_of


async def gathered(result: Any) -> list[Any]:
    return [each async for each in result] if inspect.isasyncgen(result) else [await result]


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
            results = self._through(results, call, report)
        self._results = iter(results)

    def _through(self, items: Iterable[Any], call: Any, report: StageReport) -> Iterator[Any]:
        for item in items:
            report.taken += 1
            begin = time.perf_counter()
            result = call(item)
            outputs = asyncio.run(gathered(result)) if inspect.isawaitable(result) or inspect.isasyncgen(result) else outputs_of(result)
            report.busy += time.perf_counter() - begin
            for output in outputs:
                report.given += 1
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
