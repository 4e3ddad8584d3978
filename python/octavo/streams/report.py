# SPDX-License-Identifier: Apache-2.0
"""What became of a stream, stage by stage; the source and ``into=`` are not among them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class StageReport:
    """``left``: what came, and was not taken when the stream ended. Seconds are of all workers."""

    name: str
    place: str
    taken: int = 0
    given: int = 0
    left: int = 0
    busy: float = 0.0
    waited_for_input: float = 0.0
    waited_for_room: float = 0.0


@dataclass
class StreamReport:
    """``delivered``: to ``into=``, or to who read the stream. ``failed_stage``, ``failed_item``: where the error was raised, and at which item, from 0."""

    stages: list[StageReport] = field(default_factory=list)
    delivered: int = 0
    seconds: float = 0.0
    failed_stage: str = ""
    failed_item: int = 0
