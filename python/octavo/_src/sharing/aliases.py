# SPDX-License-Identifier: Apache-2.0
"""Whether what is to be written is read from where it goes: then a part may be overwritten before it is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from octavo._core import ArrayHandle

MAPPED = re.compile(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ +(/.*)\n?")  # of /proc/self/maps: addresses, and the file


def are_one(path: str, handle: ArrayHandle | None, other_path: str, other: ArrayHandle | None) -> bool:
    """Whether two arrays that are open are the same, by whatever path. Of HDF5 the dataset is compared, of all else the file or directory."""
    identity, others = getattr(handle, "identity", None), getattr(other, "identity", None)
    if identity is not None and others is not None:
        return bool(identity == others)
    try:
        return Path(path).samefile(other_path)
    except OSError:
        return path == other_path


def lies_in(elements: npt.NDArray[Any], handle: ArrayHandle) -> bool:
    """Whether they are a mapping of a file that the array lies in, also by numpy.memmap."""
    file = _mapped_file(elements)
    if file is None:
        return False
    identity: tuple[int, ...] = getattr(handle, "identity", ())
    for place in (handle.storage.path, *handle.storage.files):
        try:
            status = file.stat()
            if identity[:2] == (status.st_dev, status.st_ino):
                return True
            if Path(place).samefile(file) or Path(place).resolve() in file.parents:
                return True
        except OSError:
            continue
    return False


def _mapped_file(elements: npt.NDArray[Any]) -> Path | None:
    """That the memory of the elements is a mapping of; None for memory that is NumPy's own."""
    base: Any = elements
    while isinstance(base, np.ndarray):
        if base.base is None:
            return None
        base = base.base
    address = elements.ctypes.data
    with Path("/proc/self/maps").open(encoding="utf-8", errors="surrogateescape") as mappings:
        for line in mappings:
            found = MAPPED.match(line)
            if found and int(found[1], 16) <= address < int(found[2], 16):
                return Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), found[3])).resolve()
    return None
