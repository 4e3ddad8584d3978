# SPDX-License-Identifier: Apache-2.0
"""Stages that one worker runs one in the other: a farm of a pipeline."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from octavo.errors import UsageError
from octavo.streams.fitting import feeds_back
from octavo.streams.items import Again, To
from octavo.streams.worker import call_of, outputs_of

if TYPE_CHECKING:
    from octavo.streams.stages import Stage


class Joined:
    """What octavo.streams.Pipeline is: stages, which one worker may run."""

    def stages(self) -> list[Stage[Any, Any]]:
        raise NotImplementedError


def is_pipeline(what: Any) -> bool:
    return isinstance(what, Joined)


class Together:
    """As a class with svc; what its stages say of workers, places and bounds is passed over."""

    def __init__(self, stages: list[Stage[Any, Any]]) -> None:
        for stage in stages:
            if stage.several and stage.dealing.kind != "free":
                raise UsageError(f"stage '{stage.name}' within a farm of a pipeline has one worker, so that nothing is dealt there. Deal to the farm")
            if inspect.iscoroutinefunction(stage.what) or inspect.isasyncgenfunction(stage.what):
                raise UsageError(f"stage '{stage.name}' within a farm of a pipeline is async. Give a function, or make it a stage of its own")
            if feeds_back(stage):
                raise UsageError(f"stage '{stage.name}' within a farm of a pipeline feeds back. Make it a farm of its own")
        self.parts = [(stage.name, stage.what, stage.arguments, stage.keywords) for stage in stages]
        self.__name__ = ", ".join(stage.name for stage in stages)
        self._made: list[Any] = []
        self._calls: list[Any] = []

    def svc_init(self) -> None:
        made = [call_of(what, arguments, keywords) for _, what, arguments, keywords in self.parts]
        self._made, self._calls = [each for each, _ in made], [call for _, call in made]
        for each in self._made:
            if hasattr(each, "svc_init"):
                each.svc_init()

    def svc_end(self) -> None:
        for each in self._made:
            if hasattr(each, "svc_end"):
                each.svc_end()

    def svc(self, item: Any) -> Iterator[Any]:
        yield from self._through(item, 0)

    def _through(self, item: Any, stage: int) -> Iterator[Any]:
        if stage == len(self._calls):
            yield item
            return
        for output in outputs_of(self._calls[stage](item)):
            if isinstance(output, Again) or (isinstance(output, To) and stage + 1 < len(self._calls)):
                raise UsageError(f"octavo.{type(output).__name__} of stage '{self.parts[stage][0]}' within a farm of a pipeline. Make it a farm of its own")
            yield from self._through(output, stage + 1)
