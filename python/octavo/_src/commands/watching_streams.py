# SPDX-License-Identifier: Apache-2.0
"""The streams that octavo ps shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from octavo._src.commands.tables import duration, table
from octavo.watching import StageStatus, StreamStatus

HEAD = ("PID", "PROGRAM", "STREAM", "CLASS", "STAGE", "PLACE", "WORKERS", "TAKEN", "GIVEN", "LEFT", "BUSY", "INPUT", "ROOM", "DOING")
RIGHT = ("PID", "PROGRAM", "STREAM", "WORKERS", "TAKEN", "GIVEN", "LEFT", "BUSY", "INPUT", "ROOM")


def doing(stages: Sequence[StageStatus], at: int) -> str:
    """What its workers do: for whom they wait, and for how long the longest of them."""
    stage = stages[at]
    before = stages[at - 1].name if at > 0 else "the source"
    behind = stages[at + 1].name if at + 1 < len(stages) else "who takes the results"
    works = max(0, stage.workers - stage.waiting_for_input - stage.waiting_for_room)
    waits = [(stage.waiting_for_input, f"for input of {before}"), (stage.waiting_for_room, f"for room before {behind}")]
    if not any(count for count, _ in waits):
        return "works"
    texts = [f"waits {what}" if stage.workers == 1 else f"{count} wait {what}" for count, what in waits if count]
    return ", ".join(([f"{works} work"] if works else []) + [*texts[:-1], f"{texts[-1]}, {duration(stage.waits_seconds)}"])


def rows(streams: Sequence[StreamStatus]) -> Iterator[list[str]]:
    """A line of each stage; the streams of a process are counted from 1."""
    for _, here in itertools.groupby(streams, lambda each: each.pid):
        for number, stream in enumerate(here, 1):
            for at, stage in enumerate(stream.stages):
                seconds = (stage.busy, stage.waited_for_input, stage.waited_for_room)
                yield [
                    str(stream.pid),
                    str(stream.agent_pid),
                    str(number),
                    stream.class_name or "-",
                    stage.name,
                    stage.place,
                    str(stage.workers),
                    str(stage.taken),
                    str(stage.given),
                    str(stage.left),
                    *(f"{each:.1f} s" for each in seconds),
                    doing(stream.stages, at),
                ]


def streams_table(streams: Sequence[StreamStatus]) -> str:
    """Of octavo ps."""
    return table(HEAD, list(rows(streams)), RIGHT)
