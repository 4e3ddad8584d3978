# SPDX-License-Identifier: Apache-2.0
"""Who imports whom in python/octavo, for check_layers.py: the rules are in tools/python_layers.txt. The package's own __init__.py stands above all layers."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from include_circles import components, shortest_way

PACKAGE = Path("python/octavo")
RECORD = Path("tools/python_layers.txt")
LINE = re.compile(r"([\w/]+)(?: (\d+))?")


@dataclass(frozen=True)
class Import:
    by: Path  # both below the root
    line: int
    of: Path
    is_late: bool  # within a function


@dataclass(frozen=True)
class Layer:
    line: int
    place: int
    in_circles: int  # files that may be


def layers_of(root: Path) -> tuple[dict[str, Layer], list[str]]:
    """By name; and what is wrong with the list. A tree without one has no Python to check."""
    found: dict[str, Layer] = {}
    wrong = []
    path = root / RECORD
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
        if match := LINE.fullmatch(line):
            found[match[1]] = Layer(number, len(found), int(match[2] or 0))
        elif line and not line.startswith("#"):
            wrong.append(f"{RECORD}:{number}: not of the form 'LAYER' or 'LAYER FILES'")
    return found, wrong


def layer_of(path: Path, layers: dict[str, Layer]) -> str | None:
    """The longest of these that the file is, or lies in."""
    inner = path.relative_to(PACKAGE).with_suffix("")
    fitting = [name for name in layers if inner.is_relative_to(name)]
    return max(fitting, key=len, default=None)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported(node: ast.AST, *, is_late: bool = False) -> Iterator[tuple[int, str, bool]]:
    """Line, dotted name (of a module, or of something in one), whether it is within a function."""
    for each in ast.iter_child_nodes(node):
        if is_for_types(each):
            continue
        if isinstance(each, ast.Import):
            yield from ((each.lineno, name.name, is_late) for name in each.names)
        elif isinstance(each, ast.ImportFrom) and each.module and each.level == 0:
            yield from ((each.lineno, f"{each.module}.{name.name}", is_late) for name in each.names)
        yield from imported(each, is_late=is_late or isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def file_of(root: Path, name: str) -> Path | None:
    """The file of the package that a dotted name is, or is in; None: another's, the extension, or what the package itself gives."""
    parts = name.split(".")
    if parts[0] != PACKAGE.name:
        return None
    for count in range(len(parts), 1, -1):
        path = root / PACKAGE.parent / Path(*parts[:count])
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate.relative_to(root)
    return None


def imports_of(root: Path) -> list[Import]:
    """Those of our own files by each other, but by the package's own __init__.py."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        if path != root / PACKAGE / "__init__.py":
            by = path.relative_to(root)
            names = imported(ast.parse(path.read_text()))
            found += [Import(by, line, of, is_late) for line, name, is_late in names if (of := file_of(root, name)) is not None and of != by]
    return found


def violations(root: Path) -> Iterator[str]:
    layers, wrong = layers_of(root)
    yield from wrong
    if not layers:
        return
    imports = imports_of(root)
    without = sorted(path for path in {file for each in imports for file in (each.by, each.of)} if layer_of(path, layers) is None)
    yield from (f"{path}:1: the file is in no layer: add it to {RECORD} in its place" for path in without)
    for each in imports:
        by, of = layer_of(each.by, layers), layer_of(each.of, layers)
        if by and of and layers[of].place > layers[by].place:
            yield f'{each.by}:{each.line}: layer {by} imports "{each.of.relative_to(PACKAGE)}": {of} comes after {by} in {RECORD}'
    yield from circles(imports, layers)


def circles(imports: list[Import], layers: dict[str, Layer]) -> Iterator[str]:
    """Of files that import each other as they are loaded, each; of those that do so late, where there are more of a layer than is recorded, or fewer."""
    early, late = graph_of(each for each in imports if not each.is_late), graph_of(imports)
    for circle in components(early):
        yield f"{circle[0]}:1: files import each other in a circle: {' -> '.join(map(str, shortest_way(early, circle[0])))}"
    counts: dict[str | None, int] = defaultdict(int)
    for circle in components(late):
        counts[layer_of(circle[0], layers)] += len(circle)
    for name, layer in layers.items():
        if counts[name] > layer.in_circles:
            ways = [" -> ".join(map(str, shortest_way(late, circle[0]))) for circle in components(late) if layer_of(circle[0], layers) == name]
            yield f"{RECORD}:{layer.line}: {counts[name]} files of {name} import each other in a circle, where there were {layer.in_circles}: {'; '.join(ways)}"
        elif counts[name] < layer.in_circles:
            cure = f"write '{name} {counts[name]}'" if counts[name] else f"write '{name}'"
            yield f"{RECORD}:{layer.line}: {counts[name]} files of {name} import each other in a circle, where there were {layer.in_circles}: {cure}"


def graph_of(imports: Iterator[Import] | list[Import]) -> dict[Path, set[Path]]:
    graph: dict[Path, set[Path]] = defaultdict(set)
    for each in imports:
        graph[each.by].add(each.of)
    return graph
