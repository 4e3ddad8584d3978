# SPDX-License-Identifier: Apache-2.0
"""Names of datasets as h5ls has them: `file.h5/path/in/file`, or the file alone if it holds one array."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from octavo._src.paths import is_directory, shown
from octavo.errors import IoError, NotSupported, UsageError

ENDINGS = (".h5", ".hdf5", ".he5", ".nc")
SIGNATURE = b"\x89HDF\r\n\x1a\n"
_CLASSIC = ("a file of netCDF's classic format", "nccopy -k nc4 in.nc out.nc")
OLDER = {b"CDF\x01": _CLASSIC, b"CDF\x02": _CLASSIC, b"CDF\x05": _CLASSIC, b"\x0e\x03\x13\x01": ("a file of HDF4", "h4toh5convert in.hdf out.h5")}
MOST_OBJECTS = 10_000  # looked at for the one dataset
MOST_NAMED = 10
HIDDEN = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS"}  # of HDF5's dimension scales
HIDDEN_OF_NETCDF = ("_Netcdf4", "_NCProperties", "_nc3_strict")
UNNAMED = "octavo_unnamed_"  # begins what Octavo calls the scale of a dimension that has no name beside others that have one
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


def check_kind(file: str) -> None:
    """NotSupported for a file of an older format that is called as HDF5's are."""
    try:
        with Path(file).open("rb") as opened:
            head = opened.read(4)
    except OSError:
        return  # who opens it says why
    for begin, (format_name, cure) in OLDER.items():
        if head == begin:
            raise NotSupported(f"'{file}' is {format_name} and not HDF5. Convert it: {cure}")


def opened_to_look(file: str) -> Any:
    """As h5py has it, also where this program has it open."""
    import h5py

    from octavo._src.sharing.hdf5_lock import locking_for

    return h5py.File(file, "r", locking=locking_for(file))


def is_reserved(attribute: str) -> bool:
    """Whether HDF5 or netCDF keeps the name for what it says itself: no reader shows it."""
    return attribute in HIDDEN or attribute.startswith(HIDDEN_OF_NETCDF)


def is_written_here(file: str) -> bool:
    """Whether HDF5 in this program has it open for writing: opened for reading, too, it is the same file to HDF5. False for what it cannot open."""
    try:
        with opened_to_look(file) as opened:
            return bool(opened.mode != "r")
    except OSError:
        return False


def dataset_in(opened: Any, file: str, name: str) -> Any:
    """The dataset of that name; without a name the only one there is. Dimension scales and coordinates count only where there is nothing else."""
    import h5py

    if name:
        found = _found(opened, file, name)
        if isinstance(found, h5py.Dataset):
            return found
        arrays, scales, _ = _listed(opened if found is None else found)
        inside = arrays + scales
        what = f"there is no '{name}' in '{file}'" if found is None else f"'{name}' in '{file}' is a group"
        raise (IoError if found is None else UsageError)(f"{what}. {_choice(file, inside)}")
    arrays, scales, stopped = _listed(opened)
    if stopped:
        raise UsageError(f"{_too_many(file)}. Name the dataset: {file}/name" + (f", {file}{arrays[0]} say" if arrays else ""))
    candidates = _apart_from_coordinates(opened, arrays) or arrays or scales
    if len(candidates) != 1:
        what = f"'{file}' holds {len(candidates) or 'no'} datasets" if len(candidates) <= MOST_NAMED else f"'{file}' holds many datasets"
        raise UsageError(f"{what}. {_choice(file, candidates)}")
    return opened[candidates[0]]


def _found(opened: Any, file: str, name: str) -> Any:
    """What is called so; None if nothing is. IoError for a link that leads nowhere."""
    import h5py

    try:
        found = opened.get(name)
    except RuntimeError as failure:
        if "too many links" not in str(failure):
            raise
        raise IoError(f"'{name}' in '{file}' is a link that leads back to itself, or on to too many others. Name what is meant by another path") from None
    if found is not None:
        return found
    group, _, last = name.rstrip("/").rpartition("/")
    parent = _found(opened, file, group) if group.strip("/") else opened
    if not isinstance(parent, h5py.Group):
        return None
    link = parent.get(last, getlink=True)
    if isinstance(link, h5py.SoftLink):
        raise IoError(f"'{name}' in '{file}' is a link to '{link.path}', which is not there. Put it there, or name another dataset")
    if isinstance(link, h5py.ExternalLink):
        _refuse_external(link, file, name)
    return None


def _refuse_external(link: Any, file: str, name: str) -> None:
    """Which file and which name in it HDF5 did not find."""
    from octavo._src.stores.failures import told

    other = str(Path(file).parent / link.filename)  # where HDF5 looks, unless HDF5_EXT_PREFIX says another place
    what = f"'{name}' in '{file}' is a link to '{link.path}' in the file '{link.filename}'"
    if not Path(other).exists():
        raise IoError(f"{what}, which is not there. Put that file beside it, or set HDF5_EXT_PREFIX to the directory that has it")
    with told(f"following a link: {what}", "Check that that is a whole HDF5 file"), opened_to_look(other) as opened:
        if _found(opened, other, link.path) is None:
            raise IoError(f"{what}, which does not hold it. Put it there, or name another dataset")


def _apart_from_coordinates(opened: Any, arrays: list[str]) -> list[str]:
    """Without those that another's attribute says are where its elements lie."""
    named = set()
    for array in arrays:
        told = opened[array].attrs.get("coordinates")
        if isinstance(told, str):
            named |= {f"{array.rpartition('/')[0]}/{each}" for each in told.split()} - {array}
    return [array for array in arrays if array not in named]


def datasets_of(file: str) -> list[str]:
    """Names of what a file holds; nothing for what is no HDF5 file. UsageError for one that holds too much to be looked at, IoError for one in use."""
    from octavo._src.stores.failures import translated

    try:
        opened = opened_to_look(file)
    except OSError as failure:
        if isinstance(failure, BlockingIOError) or "already open" in str(failure):
            raise translated(failure, f"looking at what '{file}' holds", "Close it where it is open") from failure
        return []
    with opened:
        arrays, scales, stopped = _listed(opened)
        if stopped:
            raise UsageError(f"{_too_many(file)}: what it holds is not known. Give another file")
        return arrays + scales


def is_only_a_dimension(dataset: Any) -> bool:
    """Whether it gives a dimension its length and name, and holds no elements."""
    name = dataset.attrs.get("NAME", b"") if dataset.attrs.get("CLASS") == b"DIMENSION_SCALE" else b""
    return (name if isinstance(name, bytes) else str(name).encode()).startswith(ONLY_A_DIMENSION.encode())


def _choice(file: str, names: list[str]) -> str:
    if not names:
        return "Check the path"
    return f"Name one of them: {', '.join(shown(file + name) for name in names[:MOST_NAMED])}{', ...' if len(names) > MOST_NAMED else ''}"


def _listed(group: Any) -> tuple[list[str], list[str], bool]:
    """Datasets, and dimension scales; it stops when more than can be named were seen. Whether it stopped for the number of objects."""
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
    return arrays, scales, seen > MOST_OBJECTS


def _too_many(file: str) -> str:
    return f"'{file}' holds more than {MOST_OBJECTS:,} objects, and no more were looked at"
