# SPDX-License-Identifier: Apache-2.0
"""Groups of arrays: of Zarr, and HDF5 files.

>>> g = octavo.open_group("climate.zarr")       # or "run.h5", "run.h5/gas"
>>> list(g), g.attrs["title"], "t" in g
>>> mean = g["ocean/t"].mean(axis=0)            # g["ocean/t"] is an octavo.Array, g["ocean"] another group
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from octavo._src.groups.nodes import GroupNode, group_at
from octavo._src.html_table import facts_html
from octavo._src.paths import AnyPath, shown
from octavo.array import Array, open_array
from octavo.errors import UsageError

Default = TypeVar("Default")
MOST_NAMED = 10  # in a message


class ArrayGroup:
    """A group of arrays, from open_group: a mapping of their names. ``g["a/t"]`` opens an array, or is a group.

    It holds nothing open, and shows what is there now; each array that it opened is closed by itself. Of HDF5 there are the datasets and groups that its
    links lead to; what Octavo does not open as an array is named all the same.
    """

    def __init__(self, node: GroupNode, opening: Mapping[str, Any]) -> None:
        """For open_group. ``opening``: how its arrays are opened."""
        self._node, self._opening = node, opening

    @property
    def path(self) -> str:
        """Where it lies."""
        return self._node.path

    @property
    def format(self) -> str:
        """zarr or hdf5."""
        return self._node.format

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes stored with it, as they are now; read-only."""
        return MappingProxyType(self._node.attributes())

    def __getitem__(self, name: str) -> Array | ArrayGroup:
        """KeyError for what is not there; what open_array raises for an array that Octavo does not open."""
        found = self._child(name)
        if found is None:
            raise KeyError(f"'{shown(self.path)}' holds no {name!r}, but {_named(list(self))}")
        return open_array(found, **self._opening) if isinstance(found, str) else ArrayGroup(found, self._opening)

    def get(self, name: str, default: Default | None = None) -> Array | ArrayGroup | Default | None:
        """``g[name]``, or ``default`` if it is not there."""
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._child(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._node.members())

    def __len__(self) -> int:
        return len(self._node.members())

    def keys(self) -> list[str]:
        """The names of what it holds itself."""
        return list(self)

    def values(self) -> Iterator[Array | ArrayGroup]:
        """What it holds, each opened when it is its turn."""
        return (self[name] for name in self)

    def items(self) -> Iterator[tuple[str, Array | ArrayGroup]]:
        """Names and what they name, each opened when it is its turn."""
        return ((name, self[name]) for name in self)

    def __repr__(self) -> str:
        return f"<octavo.ArrayGroup '{shown(self.path)}', {self.format}: {_named(self._marked())}>"

    def _repr_html_(self) -> str:
        return facts_html("octavo.ArrayGroup", {"holds": ", ".join(self._marked()) or "nothing", "format": self.format, "path": shown(self.path)})

    def _marked(self) -> list[str]:
        """Groups end in a slash."""
        return [shown(name) + "/" * is_group for name, is_group in self._node.members().items()]

    def _child(self, name: str) -> GroupNode | str | None:
        if not isinstance(name, str):
            raise TypeError(f"{name!r} as the name of what '{shown(self.path)}' holds. Give a str")
        parts = name.strip("/").split("/")
        return None if any(part in ("", ".", "..") or "\0" in part for part in parts) else self._node.child("/".join(parts))


def open_group(path: AnyPath, *, mode: Literal["r", "r+"] = "r", memory: int | str = "256MiB", unpack: bool | None = None) -> ArrayGroup:
    """Opens a group of Zarr (a directory), or of HDF5: a file, or ``file.h5/group``. ``g["a/t"]`` is an array, opened as by open_array with this
    ``mode``, ``memory`` (of each) and ``unpack``, or a group; ``g.attrs`` its attributes; ``for name in g``, ``len(g)``, ``name in g``, ``g.items()``.

    UsageError for what is an array; IoError and NotSupported name what else is wrong.
    """
    if mode not in ("r", "r+"):
        raise UsageError(f"mode {mode!r}. It is 'r' to read, or 'r+' to read and write; octavo.create_array makes a new array in a group")
    return ArrayGroup(group_at(path), {"mode": mode, "memory": memory, "unpack": unpack})


def _named(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "") or "nothing"
