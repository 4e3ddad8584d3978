# SPDX-License-Identifier: Apache-2.0
"""A Zarr group may keep a copy of the metadata of all arrays in it (consolidated metadata), and readers believe the copy: an array that it lacks is
hidden, one that was replaced is read by the old shape and codecs. So who makes an array in such a group renews the copy's part for that array.
"""

from __future__ import annotations

import fcntl
import json
import os
import warnings
from pathlib import Path
from typing import Any

MOST_BYTES = 256 << 20


def renew(path: str | os.PathLike[str]) -> None:
    """For the array at `path`, which is there whole: its part of the copies of all groups that it lies in. Where that cannot be done: a warning
    that says which group is stale, as the array itself is made. Does nothing for what is no Zarr array."""
    array = Path(path).absolute()
    if not (array / "zarr.json").is_file() and not (array / ".zarray").is_file():
        return
    for group in array.parents:
        if not (group / "zarr.json").is_file() and not (group / ".zgroup").is_file():
            return
        try:
            _renew_in(group, array)
        except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as failure:
            warnings.warn(
                f"the consolidated metadata of the Zarr group '{group}' does not know '{array.relative_to(group)}' as it is now ({failure}). "
                f"Renew it: zarr.consolidate_metadata('{group}')",
                stacklevel=2,
            )


def _renew_in(group: Path, array: Path) -> None:
    descriptor = os.open(group, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # another array of the group may be finished at the same time
        name = array.relative_to(group).as_posix()
        v3, v2 = _load(group / "zarr.json"), _load(group / ".zmetadata")
        if v3 is not None and isinstance(inline := v3.get("consolidated_metadata"), dict):
            known = _without(inline["metadata"], name)
            if (array / "zarr.json").is_file():
                known[name] = _load(array / "zarr.json")
            inline["metadata"] = known
            _replace(group / "zarr.json", v3)
        if v2 is not None:
            known = _without(v2["metadata"], name)
            if not (array / "zarr.json").is_file():
                known.update({f"{name}/{file}": found for file in (".zarray", ".zattrs") if (found := _load(array / file)) is not None})
            v2["metadata"] = known
            _replace(group / ".zmetadata", v2)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _without(known: dict[str, Any], name: str) -> dict[str, Any]:
    """All but what the copy says of that node and of what was below it."""
    return {key: value for key, value in known.items() if key != name and not key.startswith(name + "/")}


def _load(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"'{path}' has {path.stat().st_size} bytes")
    found = json.loads(path.read_bytes())
    return found if isinstance(found, dict) else None


def _replace(path: Path, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    temporary = path.with_name(f"{path.name}.new.{os.getpid()}")
    try:
        with temporary.open("x") as file:
            json.dump(content, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
