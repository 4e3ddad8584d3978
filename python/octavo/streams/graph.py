# SPDX-License-Identifier: Apache-2.0
"""A stream as text of Graphviz: its stages, where they work, and how items go from one to the next."""

from __future__ import annotations

from typing import Any

from octavo.streams.fitting import feeds_back
from octavo.streams.report import StageReport, StreamReport
from octavo.streams.running.crew import text_of
from octavo.streams.stages import Stage

DEALINGS = {"free": "", "turn": "in turn", "key": "by key", "all": "to all", "parts": "in parts"}


def graph_of(stages: list[Stage[Any, Any]], report: StreamReport) -> str:
    """The same text as in C++ (src/stream/graph.cpp)."""
    nodes, edges, before, results = "", "", "source", ""
    for number, stage in enumerate(stages, 1):
        here = f"stage{number}"
        done = report.stages[number - 1] if number <= len(report.stages) else None
        nodes += f"  {here} [label={_quoted(_label(stage, done))}];\n"
        edges += _edge(before, here, ", ".join(each for each in (results, DEALINGS[stage.dealing.kind]) if each))
        if feeds_back(stage):
            edges += _edge(here, here, "again")
        before = here
        results = "gathered" if stage.dealing.gathers else "" if stage.in_order else "unordered"
    return f"digraph stream {{\n  rankdir=LR;\n  node [shape=box];\n  source [shape=plain];\n{nodes}{edges}}}\n"


def _label(stage: Stage[Any, Any], done: StageReport | None) -> str:
    count = stage.worker_count()
    lines = [stage.name]
    if stage.several:
        lines.append(f"{count} worker{'' if count == 1 else 's'}")
    lines.append(", ".join(text_of(place) for place in stage.places[:count]))
    if done is not None:
        lines.append(f"{done.taken} -> {done.given}, busy {done.busy:.3g} s")
        if done.left:
            lines.append(f"{done.left} left")
        lines.append(f"waited {done.waited_for_input:.3g} s for input, {done.waited_for_room:.3g} s for room")
    return "\n".join(lines)


def _edge(before: str, behind: str, label: str) -> str:
    return f"  {before} -> {behind}{f' [label={_quoted(label)}]' if label else ''};\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
