# SPDX-License-Identifier: Apache-2.0
"""What octavo info says of a group: the tree of what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

from octavo import _core
from octavo._src.groups.nodes import GroupNode, group_at
from octavo._src.paths import is_array_name, shown
from octavo._src.stores.elements import strict_json
from octavo.errors import Error
from octavo.source import Source, info

MOST_LINES = 1000
MOST_DEPTH = 32


class Entry(NamedTuple):
    """One of a tree. ``found``: the group, the array, or why it cannot be opened."""

    depth: int
    name: str
    found: GroupNode | Source | Error
    note: str = ""


def group_or_none(path: str) -> GroupNode | None:
    """None for what is no group."""
    if is_array_name(path):
        return None
    try:
        return group_at(path)
    except Error:
        return None


def lines_of(group: GroupNode) -> Iterator[str]:
    """The group itself, then a line for each that it holds, those of a group below it."""
    yield f"{shown(group.path)}: {'an HDF5 group' if group.format == 'hdf5' else 'a Zarr group'}"
    for number, entry in enumerate(_entries(group)):
        if number == MOST_LINES:
            yield f"... and more: octavo info shows {MOST_LINES} at most. Name a group within it"
            return
        yield "  " * entry.depth + shown(entry.name) + _about(entry.found) + entry.note


def json_of(group: GroupNode) -> dict[str, Any]:
    """The same as JSON: ``members`` of what is a group, the fields of octavo.source.Source for an array, ``error`` for what cannot be opened."""
    whole: dict[str, Any] = _json_of_one(group)
    above = [whole]
    for number, entry in enumerate(_entries(group)):
        if number == MOST_LINES:
            whole["more"] = True
            break
        del above[entry.depth :]
        made = _json_of_one(entry.found)
        above[-1]["members"][entry.name.rstrip("/")] = made
        above.append(made)
    return whole


def _entries(group: GroupNode, above: tuple[object, ...] = ()) -> Iterator[Entry]:
    """``above``: which groups, from the first on, so that a link back is not followed."""
    above, depth = (*above, group.identity()), len(above) + 1
    for name in group.members():
        child = group.child(name)
        if child is None:  # removed meanwhile
            continue
        if isinstance(child, str):
            yield Entry(depth, name, _array(child))
            continue
        if child.identity() in above:
            yield Entry(depth, f"{name}/", child, ": a link back to a group that it lies in")
            continue
        yield Entry(depth, f"{name}/", child)
        if depth < MOST_DEPTH:
            yield from _entries(child, above)


def _array(path: str) -> Source | Error:
    try:
        return info(path)
    except Error as reason:
        return reason


def _about(found: GroupNode | Source | Error) -> str:
    if isinstance(found, Source):
        shaped = " x ".join(map(str, found.shape)) or "one"
        encoded = f", {', '.join(map(shown, found.codecs))}" if found.codecs else ""
        return f": {shaped} {found.dtype}, {_core.format_bytes(found.nbytes)}{encoded}"
    return f": cannot be opened: {shown(str(found))}" if isinstance(found, Error) else ""


def _json_of_one(found: GroupNode | Source | Error) -> dict[str, Any]:
    if isinstance(found, Source):
        return dict(strict_json(asdict(found)))
    if isinstance(found, Error):
        return {"error": str(found)}
    return {"path": found.path, "format": found.format, "attrs": strict_json(found.attributes()), "members": {}}
