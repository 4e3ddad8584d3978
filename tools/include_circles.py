# SPDX-License-Identifier: Apache-2.0
"""Circles in who includes whom: of files, which are errors, and of folders, which tools/folder_circles.txt counts until there are none.

A folder is one of src or of include/octavo. The two halves of a layer are apart, since a public header never includes a private one; but what
is in a public folder detail belongs to the folder around it, which it is there for.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RECORD = Path("tools/folder_circles.txt")
LINE = re.compile(r"(\w+): (\d+(?: \d+)*)")


@dataclass(frozen=True)
class Include:
    by: Path  # both below the root
    line: int
    of: Path
    layer: str | None  # which both belong to; None: to two


def components(graph: dict[Path, set[Path]]) -> list[list[Path]]:
    """The largest sets in which each reaches each other, of more than one (Tarjan); the largest first."""
    order: dict[Path, int] = {}
    lowest: dict[Path, int] = {}
    open_ones: list[Path] = []
    found: list[list[Path]] = []

    def visit(here: Path) -> None:
        order[here] = lowest[here] = len(order)
        open_ones.append(here)
        for there in sorted(graph.get(here, ())):
            if there not in order:
                visit(there)
                lowest[here] = min(lowest[here], lowest[there])
            elif there in open_ones:
                lowest[here] = min(lowest[here], order[there])
        if lowest[here] == order[here]:
            first = open_ones.index(here)
            if len(open_ones) > first + 1:
                found.append(sorted(open_ones[first:]))
            del open_ones[first:]

    for start in sorted(graph):
        if start not in order:
            visit(start)
    return sorted(found, key=lambda each: (-len(each), each))


def file_circles(includes: list[Include]) -> Iterator[str]:
    graph: dict[Path, set[Path]] = defaultdict(set)
    for each in includes:
        if each.by == each.of:
            yield f"{each.by}:{each.line}: includes itself"
        else:
            graph[each.by].add(each.of)
    for circle in components(graph):
        way = shortest_way(graph, circle[0])
        (line, *_) = (each.line for each in includes if (each.by, each.of) == (way[0], way[1]))
        yield f"{way[0]}:{line}: files include each other in a circle: {' -> '.join(map(str, way))}"


def shortest_way(graph: dict[Path, set[Path]], start: Path) -> list[Path]:
    """From a file in a circle back to itself."""
    ways = [[start]]
    seen: set[Path] = set()
    for way in ways:  # which grows meanwhile
        for there in sorted(graph.get(way[-1], set()) - seen):
            if there == start:
                return [*way, start]
            seen.add(there)
            ways.append([*way, there])
    raise ValueError(f"{start} is in no circle")


def folder_of(path: Path) -> Path:
    parts = path.parent.parts
    return Path(*(part for part in parts if part != "detail")) if parts[0] == "include" else path.parent


def folder_circles(includes: list[Include], layers: list[str]) -> dict[str, list[list[Path]]]:
    """By layer, those there are."""
    graphs: dict[str, dict[Path, set[Path]]] = {layer: defaultdict(set) for layer in layers}
    for each in includes:
        if each.layer in graphs:
            graphs[each.layer][folder_of(each.by)].add(folder_of(each.of))
    return {layer: found for layer, graph in graphs.items() if (found := components(graph))}


def recorded(root: Path) -> tuple[dict[str, tuple[int, list[int]]], list[str]]:
    """By layer, the line and the sizes of its circles; and what is wrong with the file."""
    sizes, wrong = {}, []
    path = root / RECORD
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
        if match := LINE.fullmatch(line):
            sizes[match[1]] = (number, [int(size) for size in match[2].split()])
        elif line and not line.startswith("#"):
            wrong.append(f"{RECORD}:{number}: not of the form 'LAYER: SIZE...'")
    return sizes, wrong


def changes(root: Path, circles: dict[str, list[list[Path]]]) -> Iterator[str]:
    """What differs from the record: more is an error in the code, less is one in the record."""
    record, wrong = recorded(root)
    yield from wrong
    for layer in sorted({*circles, *record}):
        line, allowed = record.get(layer, (1, []))
        found = [len(circle) for circle in circles.get(layer, [])]
        if sum(found) > sum(allowed) or max(found, default=0) > max(allowed, default=0):
            folders = "; ".join(", ".join(map(str, circle)) for circle in circles[layer])
            yield (
                f"{RECORD}:{line}: layer {layer}: {shown(found)} folders include each other in a circle, where there were {shown(allowed)}: {folders}"
                " (tools/check_layers.py --circles lists by which includes)"
            )
        elif found != allowed:
            cure = f"write '{layer}: {' '.join(map(str, found))}'" if found else "take its line out"
            yield f"{RECORD}:{line}: layer {layer}: {shown(found)} folders in a circle, where there were {shown(allowed)}: {cure}, so that it stays so"


def shown(sizes: list[int]) -> str:
    return " and ".join(map(str, sizes)) or "no"


def listing(includes: list[Include], circles: dict[str, list[list[Path]]]) -> Iterator[str]:
    """Each circle, with the includes that make it."""
    for layer, found in circles.items():
        for circle in found:
            yield f"layer {layer}: a circle of {len(circle)} folders"
            edges: dict[tuple[Path, Path], list[Include]] = defaultdict(list)
            for each in includes:
                edge = (folder_of(each.by), folder_of(each.of))
                if edge[0] != edge[1] and {*edge} <= {*circle}:
                    edges[edge].append(each)
            for (by, of), made in sorted(edges.items()):
                yield f"  {by} -> {of}: {len(made)} (first {made[0].by}:{made[0].line} {made[0].of.name})"
