# SPDX-License-Identifier: Apache-2.0
"""Groups that arrays lie in: Zarr's are directories with metadata, HDF5's are within a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from octavo import _core
from octavo._src.stores.failures import told
from octavo._src.stores.hdf5.path import ENDINGS, split
from octavo.errors import IoError

# What the last part of a target's path says by itself; all other endings are parts of a name.
TOLD = {*(ending for each in _core.formats() for ending in each.endings), *ENDINGS}
MOST_METADATA = 64 << 20


@dataclass(frozen=True)
class Place:
    """An array's group, and its name there. ``file``: of HDF5, and ``group`` is then the path in it; else ``group`` is a directory."""

    group: str
    name: str
    file: str | None = None

    def path(self, name: str) -> str:
        """Of another array of the group."""
        return str(Path(self.group) / name) if self.file is None else "/".join(each for each in (self.file, self.group, name) if each)

    def holds(self, names: list[str]) -> dict[str, Place]:
        """Which of these are arrays of the group, in their order; of netCDF, whose groups see what is in those around them, also of such a group. A dimension
        of netCDF that has no variable is none."""
        if self.file is None:
            there = [each for each in names if any(Path(self.path(each), metadata).is_file() for metadata in ("zarr.json", ".zarray"))]
            return {each: replace(self, name=each) for each in there}
        import h5py

        from octavo._src.stores.hdf5.path import is_only_a_dimension, opened_to_look

        found: dict[str, Place] = {}
        with told(f"looking for coordinates in '{self.file}'", "Check that it is a whole HDF5 file"), opened_to_look(self.file) as opened:
            for name in names:
                for group in _and_around(self.group):
                    each = opened[group or "/"].get(name)
                    if each is not None:
                        if isinstance(each, h5py.Dataset) and not is_only_a_dimension(each):
                            found[name] = Place(group, name, self.file)
                        break
        return found


def _and_around(group: str) -> Iterator[str]:
    """The path of a group in its file, then those of the groups that it lies in; the last is "", the root."""
    parts = group.split("/") if group else []
    for count in range(len(parts), -1, -1):
        yield "/".join(parts[:count])


def zarr_place(path: str) -> Place | None:
    """Where a Zarr array lies or would lie, if the directory above is a Zarr group."""
    parent, name = os.path.split(os.path.abspath(path))  # noqa: PTH100  (a link is where its name is)
    return Place(parent, name) if name and version_of(parent) else None


def hdf5_place(path: str) -> Place:
    """Of a dataset that is there, by `file.h5/group/dataset`."""
    file, name = split(path) or (path, "")
    group, _, last = name.rpartition("/")
    return Place(group, last, file)


def version_of(directory: str) -> int | None:
    """Of the Zarr group that the directory is, or None."""
    try:
        metadata = Path(directory, "zarr.json")
        if metadata.is_file() and metadata.stat().st_size <= MOST_METADATA:
            found = json.loads(metadata.read_bytes())
            return 3 if isinstance(found, dict) and found.get("node_type") == "group" else None
        return 2 if Path(directory, ".zgroup").is_file() else None
    except (OSError, ValueError, RecursionError):
        return None


def is_member(path: str) -> bool:
    """Whether a target with this path is an array of a Zarr group though its name does not end in .zarr: `climate.zarr/temperature`."""
    return PurePath(path).suffix.lower() not in TOLD and zarr_place(path) is not None


def check_group(path: str) -> None:
    """IoError for a target in a Zarr group that is not there: `climate.zarr/temperature` without climate.zarr."""
    parent = PurePath(path).parent
    if PurePath(path).suffix.lower() not in TOLD and parent.suffix.lower() == ".zarr" and not Path(parent).exists():
        raise IoError(f"the Zarr group of '{path}', '{parent}', does not exist. Make it first: zarr.open_group('{parent}')")


def place_of_target(path: str) -> Place | None:
    """Of one that is made as Zarr, if it lies in a Zarr group."""
    return zarr_place(path) if PurePath(path).suffix.lower() not in TOLD - {".zarr"} else None


def version_for(path: str) -> int:
    """Of a target for which nobody says it: as its group, else 3."""
    place = place_of_target(path)
    return (place and version_of(place.group)) or 3
