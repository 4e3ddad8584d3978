# SPDX-License-Identifier: Apache-2.0
"""What a group of arrays holds: Zarr's by the directories in it, HDF5's by its file. Nothing stays open."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from octavo._src.groups.membership import MOST_METADATA, version_of
from octavo._src.paths import AnyPath, absolute
from octavo.errors import IoError, NotSupported, UsageError


class GroupNode(Protocol):
    """A group that is there. ``path`` as users name it, ``format`` zarr or hdf5."""

    @property
    def path(self) -> str: ...
    @property
    def format(self) -> str: ...
    def members(self) -> dict[str, bool]:
        """The names of what it holds, and of each whether it is a group."""

    def child(self, name: str) -> GroupNode | str | None:
        """What ``name`` leads to, ``a/t`` say: a group, or the path of an array; None if it leads to nothing."""

    def attributes(self) -> dict[str, Any]:
        """As JSON has them."""

    def identity(self) -> object:
        """Equal for one group, by whichever links it was reached."""


@dataclass(frozen=True)
class ZarrGroup:
    """A directory with the metadata of a group. Consolidated metadata are a copy of what lies below it, and are not looked at."""

    path: str
    format: str = "zarr"

    def members(self) -> dict[str, bool]:
        try:
            inside = sorted(each.name for each in Path(self.path).iterdir() if each.is_dir())
        except OSError as failure:
            raise IoError(f"looking at the Zarr group '{self.path}': {failure.strerror}. Check the path, and its rights") from failure
        kinds = {name: _is_group(Path(self.path, name)) for name in inside}
        return {name: kind for name, kind in kinds.items() if kind is not None}

    def child(self, name: str) -> ZarrGroup | str | None:
        where = Path(self.path, *name.split("/"))
        kind = _is_group(where)
        return None if kind is None else ZarrGroup(str(where)) if kind else str(where)

    def attributes(self) -> dict[str, Any]:
        whole = _metadata(Path(self.path, "zarr.json"))
        found = _metadata(Path(self.path, ".zattrs")) if whole is None else whole.get("attributes", {})
        if found is not None and not isinstance(found, dict):
            raise IoError(f"the attributes of '{self.path}' are no JSON object. Mend them with the tool that wrote them")
        return found or {}

    def identity(self) -> object:
        return Path(self.path).resolve()


@dataclass(frozen=True)
class Hdf5Group:
    """``name`` within the file; "" is all of it."""

    file: str
    name: str
    format: str = "hdf5"

    @property
    def path(self) -> str:
        return f"{self.file}/{self.name}" if self.name else self.file

    def members(self) -> dict[str, bool]:
        found: dict[str, bool] = self._looked_at(lambda group: {name: kind for name in group if (kind := _is_group_of_hdf5(group, name)) is not None})
        return found

    def child(self, name: str) -> Hdf5Group | str | None:
        kind = self._looked_at(lambda group: _is_group_of_hdf5(group, name))
        inside = f"{self.name}/{name}" if self.name else name
        return None if kind is None else Hdf5Group(self.file, inside) if kind else f"{self.file}/{inside}"

    def attributes(self) -> dict[str, Any]:
        from octavo._src.stores.elements import attributes_json
        from octavo._src.stores.hdf5.annotate import as_read, attributes_of

        found: dict[str, Any] = self._looked_at(lambda group: attributes_json((key, as_read(value)) for key, value in attributes_of(group).items()))
        return found

    def identity(self) -> object:
        def look(group: Any) -> object:
            import h5py

            found = h5py.h5o.get_info(group.id)
            return group.file.filename, found.addr  # the number of a file is another one each time it is opened

        return self._looked_at(look)

    def _looked_at(self, look: Any) -> Any:
        from octavo._src.stores.failures import told
        from octavo._src.stores.hdf5.path import opened_to_look

        with told(f"looking at the HDF5 group '{self.path}'", "Check that it is a whole HDF5 file"), opened_to_look(self.file) as opened:
            return look(opened[self.name] if self.name else opened)


def group_at(path: AnyPath) -> GroupNode:
    """UsageError for an array; IoError for what is not there; NotSupported for what is neither."""
    from octavo._src.stores.hdf5.path import split

    name = absolute(path, "the path of a group")
    if (parts := split(name)) is not None:
        return _hdf5_group(*parts)
    kind = _is_group(Path(name))
    if kind:
        return ZarrGroup(name)
    if kind is False:
        raise UsageError(f"'{name}' is a Zarr array, not a group. Open it: octavo.open_array('{name}')")
    if not Path(name).exists():
        raise IoError(f"opening the group '{name}': there is no such file or directory. Check the path")
    raise NotSupported(f"'{name}' is no group of Zarr or HDF5. Open what is in it by octavo.open_array")


def _hdf5_group(file: str, name: str) -> Hdf5Group:
    from octavo._src.stores import library
    from octavo._src.stores.hdf5.path import check_kind

    library("hdf5", "hdf5.store")
    if not Path(file).exists():
        raise IoError(f"opening the group '{file}': there is no such file. Check the path")
    check_kind(file)
    found = Hdf5Group(file, "") if not name else Hdf5Group(file, "").child(name)
    if isinstance(found, str):
        raise UsageError(f"'{found}' is an HDF5 dataset, not a group. Open it: octavo.open_array('{found}')")
    if found is None:
        held = ", ".join(Hdf5Group(file, "").members())
        raise IoError(f"there is no group '{name}' in '{file}', which holds {held or 'nothing'}. Check the path")
    return found


def _is_group(directory: Path) -> bool | None:
    """None: it is no Zarr at all."""
    if version_of(str(directory)) is not None:
        return True
    return False if (directory / "zarr.json").is_file() or (directory / ".zarray").is_file() else None


def _is_group_of_hdf5(group: Any, name: str) -> bool | None:
    """None: it is neither group nor dataset, or its link leads nowhere."""
    import h5py

    from octavo._src.stores.hdf5.path import is_only_a_dimension

    try:
        found = group.get(name)
    except (KeyError, OSError, RuntimeError):
        return None
    if isinstance(found, h5py.Group):
        return True
    return False if isinstance(found, h5py.Dataset) and not is_only_a_dimension(found) else None


def _metadata(file: Path) -> dict[str, Any] | None:
    """None if there is no such file."""
    try:
        if file.stat().st_size > MOST_METADATA:
            raise IoError(f"'{file}' is longer than metadata are. Check what it is")
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as failure:
        raise IoError(f"reading '{file}': {failure}. Mend it with the tool that wrote it") from failure
    if not isinstance(found, dict):
        raise IoError(f"'{file}' holds no JSON object. Mend it with the tool that wrote it")
    return found
