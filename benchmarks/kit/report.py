# SPDX-License-Identifier: Apache-2.0
"""What every benchmark says, in one form: a line of JSON for machines, a table for people."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Limit:
    """What nothing here can beat, measured in the same run, in the unit of the result."""

    name: str
    value: float


@dataclass(frozen=True)
class Result:
    """One figure. ``to_limit`` may be given where it is paired with its own measurements of the limit; both ratios are above 1 where we are better."""

    name: str
    values: Sequence[float]
    unit: str
    limit: Limit
    peers: Mapping[str, float] = field(default_factory=dict)
    conditions: Mapping[str, object] = field(default_factory=dict)
    lower_is_better: bool = False
    ratio_to_limit: float | None = None

    @property
    def value(self) -> float:
        return statistics.median(self.values)

    def _better(self, other: float) -> float:
        return other / self.value if self.lower_is_better else self.value / other

    @property
    def to_limit(self) -> float:
        return self._better(self.limit.value) if self.ratio_to_limit is None else self.ratio_to_limit

    @property
    def to_best_peer(self) -> float | None:
        return min((self._better(value) for value in self.peers.values()), default=None)

    def line(self) -> str:
        """The keys are those that all benchmarks share."""
        best = self.to_best_peer
        facts = {
            "name": self.name,
            "value": rounded(self.value),
            "spread": [rounded(min(self.values)), rounded(max(self.values))],
            "unit": self.unit,
            "limit": {"name": self.limit.name, "value": rounded(self.limit.value)},
            "peers": {name: rounded(value) for name, value in self.peers.items()},
            "to_limit": rounded(self.to_limit),
            "to_best_peer": None if best is None else rounded(best),
            "conditions": dict(self.conditions),
        }
        return json.dumps(facts, ensure_ascii=False)


def rounded(value: float) -> float:
    """Four digits: no measurement here has more."""
    return float(f"{value:.4g}")


def write_lines(results: Iterable[Result], file: Path) -> None:
    file.write_text("".join(result.line() + "\n" for result in results))


def text(line: Mapping[str, Any]) -> str:
    """A line of JSON for people, as report.hpp prints it."""
    conditions, limit = line["conditions"], line["limit"]
    low, high = line["spread"]
    found = [f"{line['name']:<24} {line['value']} {line['unit']} [{low}, {high}], limit {limit['value']} ({limit['name']}), to the limit {line['to_limit']}"]
    if "aim" in conditions:
        found.append(f"    aim: {conditions['aim']}")
    found += [f"    {peer} {value}" for peer, value in line["peers"].items()]
    found += [f"    {peer} {why}" for peer, why in conditions.get("without", {}).items()]
    return "\n".join(found)


def table(rows: Sequence[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
