# SPDX-License-Identifier: Apache-2.0
"""Names of datasets as h5ls has them: `file.h5/path/in/file`, or the file alone if it holds one array."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from octavo._src.paths import is_directory
from octavo.errors import IoError, UsageError

ENDINGS = (".h5", ".hdf5", ".he5", ".nc")
SIGNATURE = b"\x89HDF\r\n\x1a\n"
MOST_OBJECTS = 10_000  # looked at for the one dataset
MOST_NAMED = 10
ONLY_A_DIMENSION = "This is a netCDF dimension but not a netCDF variable"  # how netCDF calls a scale that holds nothing


def is_hdf5(path: str) -> bool:
    """Whether it is, or is within, a file that has an ending of HDF5 or its signature."""
    return split(path) is not None


def split(path: str) -> tuple[str, str] | None:
    """File and name within it ("" if none is given); None if no part of the path is an HDF5 file or could become one."""
    parts = path.rstrip("/").split("/")
    for count in range(1, len(parts) + 1):
        file = "/".join(parts[:count])
        if not file or is_directory(file):
            continue
        if _has_signature(file) or (file.lower().endswith(ENDINGS) and (not os.path.lexists(file) or Path(file).is_file())):
            return file, "/".join(part for part in parts[count:] if part)
        if os.path.lexists(file):
            return None
    return None


def _has_signature(file: str) -> bool:
    """At 0, or after a user block of 512 bytes, 1024, 2048 and so on; looked for up to 1 MiB. Only of a file: a FIFO would wait for its other end."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                return False
            at = 0
            while at <= 1 << 20:
                opened.seek(at)
                found = opened.read(len(SIGNATURE))
                if found == SIGNATURE:
                    return True
                if len(found) < len(SIGNATURE):
                    return False
                at = at * 2 or 512
    except OSError:
        return False
    return False


def dataset_in(opened: Any, file: str, name: str) -> Any:
    """The dataset of that name; without a name the only one there is. Dimension scales and coordinates count only where there is nothing else."""
    import h5py

    if name:
        found = opened.get(name)
        if isinstance(found, h5py.Dataset):
            return found
        arrays, scales = _listed(opened if found is None else found)
        inside = arrays + scales
        what = f"there is no '{name}' in '{file}'" if found is None else f"'{name}' in '{file}' is a group"
        raise (IoError if found is None else UsageError)(f"{what}. {_choice(file, inside)}")
    arrays, scales = _listed(opened)
    candidates = _apart_from_coordinates(opened, arrays) or arrays or scales
    if len(candidates) != 1:
        what = f"'{file}' holds {len(candidates) or 'no'} datasets" if len(candidates) <= MOST_NAMED else f"'{file}' holds many datasets"
        raise UsageError(f"{what}. {_choice(file, candidates)}")
    return opened[candidates[0]]


def _apart_from_coordinates(opened: Any, arrays: list[str]) -> list[str]:
    """Without those that another's attribute says are where its elements lie."""
    named = set()
    for array in arrays:
        told = opened[array].attrs.get("coordinates")
        if isinstance(told, str):
            named |= {f"{array.rpartition('/')[0]}/{each}" for each in told.split()} - {array}
    return [array for array in arrays if array not in named]


def datasets_of(file: str) -> list[str]:
    """Names of what a file holds, as far as they are listed; nothing for what is no HDF5 file."""
    import h5py

    try:
        with h5py.File(file, "r") as opened:
            arrays, scales = _listed(opened)
            return arrays + scales
    except OSError:
        return []


def is_only_a_dimension(dataset: Any) -> bool:
    """Whether it gives a dimension its length and name, and holds no elements."""
    name = dataset.attrs.get("NAME", b"") if dataset.attrs.get("CLASS") == b"DIMENSION_SCALE" else b""
    return (name if isinstance(name, bytes) else str(name).encode()).startswith(ONLY_A_DIMENSION.encode())


def _choice(file: str, names: list[str]) -> str:
    if not names:
        return "Check the path"
    return f"Name one of them: {', '.join(file + name for name in names[:MOST_NAMED])}{', ...' if len(names) > MOST_NAMED else ''}"


def _listed(group: Any) -> tuple[list[str], list[str]]:
    """Datasets, and dimension scales; it stops when more than can be named were seen."""
    import h5py

    arrays: list[str] = []
    scales: list[str] = []
    seen = 0

    def visit(_: str, each: Any) -> bool | None:
        nonlocal seen
        seen += 1
        if isinstance(each, h5py.Dataset) and not is_only_a_dimension(each):
            (scales if each.attrs.get("CLASS") == b"DIMENSION_SCALE" else arrays).append(str(each.name))
        return True if len(arrays) > MOST_NAMED or seen > MOST_OBJECTS else None

    group.visititems(visit)
    return arrays, scales
