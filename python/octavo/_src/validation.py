# SPDX-License-Identifier: Apache-2.0
"""The caller's values, checked and put into one form each; what is wrong is a UsageError or NotSupported that names it."""

from __future__ import annotations

import json
import operator
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from octavo import _core
from octavo._src.groups.membership import version_for
from octavo._src.paths import AnyPath, name_of
from octavo._src.transfer import check_kinds
from octavo.errors import NotSupported, UsageError
from octavo.options import RawLayout, Target

LEAST_BYTES = 4096  # a budget in text without a unit that is below is none
LARGEST = 2**62  # of what counts elements or bytes


@dataclass(frozen=True)
class RawSpec(RawLayout):
    """A layout that has been checked. ``dtype``: NumPy's name, without a byte order."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, kw_only=True)
class TargetSpec(Target):
    """A target that has been checked, at its ``path``; whether its numbers fit the array's shape is checked where that is known."""

    path: str
    chunks: tuple[int, ...] | None = None
    compressor: str | None = None
    shards: tuple[int, ...] | None = None
    zarr_format: Literal[2, 3] = 3
    devices: tuple[str, ...] = ()

    @property
    def encoded(self) -> bool:
        """Whether its chunks are encoded, or lie in shards."""
        return (self.compressor or "none") != "none" or self.shards is not None


def memory_bytes(memory: int | str | None, least: int = 1) -> int:
    """A budget in bytes. ``least``: 0 for a job, whose plan then says how much would do. None: of a job of which nothing is said."""
    if memory is None:
        return _core.default_budget()
    if isinstance(memory, str):
        count = _core.parse_bytes(memory)
        if memory.strip().isdecimal() and 0 < count < LEAST_BYTES:
            raise UsageError(f"memory {memory!r} is {count} bytes. Did you mean '{count}MiB'?")
    else:
        try:
            count = int(memory) if isinstance(memory, float) else operator.index(memory)
        except (TypeError, ValueError, OverflowError):
            count = -1
    if not least <= count < LARGEST:
        raise UsageError(f"memory {memory!r} is no budget. Give bytes, or text such as '256MiB'")
    return count


def integers(values: SupportsIndex | Sequence[SupportsIndex], what: str, least: int, path: str = "") -> tuple[int, ...]:
    """A shape or the like; one integer is a shape of one axis, as in NumPy. ``what`` and ``path``: for the messages."""
    where = f" of '{path}'" if path else ""
    given = values if isinstance(values, Sequence | np.ndarray) else (values,)
    try:
        found = tuple(operator.index(value) for value in given)
    except TypeError:
        raise UsageError(f"{what} {values!r}{where} is not made of integers. Give a sequence of them") from None
    if any(not least <= value < LARGEST for value in found):
        raise UsageError(f"{what} {found}{where} is out of range. Give integers from {least} on that an array can have")
    return found


def axes_of(axes: SupportsIndex | Sequence[SupportsIndex], path: str) -> tuple[int, ...]:
    """One integer is one axis, as in SciPy. Which the array has is for the plan."""
    if isinstance(axes, str) or (isinstance(axes, Sequence) and any(isinstance(each, str) for each in axes)):
        raise UsageError(f"axes {axes!r} of '{path}' is not made of integers. Give numbers, not names: octavo.info() tells which axis has which name")
    found = integers(axes, "axes", -LARGEST, path)
    if any(not -(2**31) <= axis < 2**31 for axis in found):
        raise UsageError(f"axes {list(found)} of '{path}' is out of range. Give integers that such an array can have")
    return found


def element_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """One of the element types that Octavo has, in either byte order."""
    try:
        found = np.dtype(dtype) if dtype is not None else np.dtype("O")
    except (TypeError, ValueError):
        raise UsageError(f"dtype {dtype!r} is none that NumPy knows. Give one of {', '.join(_core.dtypes)}") from None
    if found.name not in _core.dtypes:
        raise NotSupported(f"elements of type {dtype if dtype is None else found}. Convert them to one of {', '.join(_core.dtypes)}")
    return found


def raw_spec(raw: RawLayout | None) -> RawSpec | None:
    """The layout of a raw file; the byte order is the dtype's or ``big_endian``. None of one that says itself what it is."""
    if raw is None:
        return None
    kind = element_type(raw.dtype)
    (start,) = integers(raw.offset, "offset", 0)
    return RawSpec(integers(raw.shape, "shape", 0), kind.name, start, raw.big_endian or kind.str[0] == ">", raw.part)


def target_spec(path: str, target: Target) -> TargetSpec:
    """What is to be made at ``path``."""
    version = version_for(path) if target.zarr_format is None else target.zarr_format
    if version not in (2, 3):
        raise UsageError(f"zarr_format {version!r} of '{path}': there is no Zarr of version {version}. Choose 2 or 3")
    compressor, level = _codec(path, target)
    return TargetSpec(
        path=path,
        chunks=None if target.chunks is None else integers(target.chunks, "chunks", 1, path),
        compressor=compressor,
        level=level,
        shards=None if target.shards is None else integers(target.shards, "shards", 1, path),
        zarr_format=3 if version == 3 else 2,
        devices=tuple(name_of(each, "a directory of devices") for each in _listed(target.devices, path)),
        map=target.map,
    )


def _codec(path: str, target: Target) -> tuple[str | None, int | None]:
    """Its name and level."""
    given: Any = target.compressor
    level: Any = target.level
    if isinstance(given, Mapping):
        if level is not None and "level" in given:
            raise UsageError(f"compressor {dict(given)!r} of '{path}' beside the level {level}. Give the level once")
        given, level = given.get("name"), given.get("level", level)
    try:
        number = None if level is None else operator.index(level)
    except TypeError:
        raise UsageError(f"level {level!r} of the compressor of '{path}'. Give an integer") from None
    if not isinstance(given, str | None):
        raise UsageError(f"compressor {target.compressor!r} of '{path}'. Give its name, such as 'zstd', or a mapping of name and level")
    if number is not None and given in (None, "none"):
        raise UsageError(f"level {number} of '{path}' without a compressor. Name one, or leave the level out")
    return given, number


def _listed(devices: Sequence[AnyPath] | None, path: str) -> Sequence[AnyPath]:
    if isinstance(devices, str | bytes | os.PathLike):
        raise UsageError(f"devices {devices!r} of '{path}'. Give a list of directories, one on each disk")
    return devices or ()


def check_lengths(path: str, shape: tuple[int, ...], **given: Sequence[object] | None) -> None:
    """UsageError for what does not have one for each axis."""
    for name, values in given.items():
        if values is not None and len(values) != len(shape):
            raise UsageError(f"{name} {tuple(values)} of '{path}' of shape {shape}. Give one for each of the {len(shape)} axes")


def fill_text(value: Any, dtype: np.dtype[Any], form: _core.FormatFacts, path: str) -> str:
    """The fill value as JSON, as Zarr v3 has it; "" for none."""
    if value is None:
        return ""
    from octavo._src.stores.elements import fill_json

    if not form.may_lack_blocks:
        raise UsageError(f"fill_value {value!r} of '{path}': an .{form.name} file has none. Leave it out and write the elements, or make a .zarr or .h5 array")
    outside = UsageError(f"fill_value {value!r} of '{path}' is outside {dtype}. Give one that it can be")
    given = np.asarray(value)
    if given.dtype.kind == "O" and isinstance(value, int):  # of more than 64 bits
        if dtype.kind in "iu" or abs(value) > sys.float_info.max:
            raise outside
        given = np.asarray(float(value))
    if given.ndim or given.dtype.kind not in "iufc":
        raise UsageError(f"fill_value {value!r} of '{path}' is not one number. Give one that a {dtype} can be")
    check_kinds(given.dtype, dtype, f"the fill_value of '{path}'")
    with np.errstate(all="ignore"):
        element = given.astype(dtype)[()]
    if dtype.kind in "iu" and int(element) != given.item():
        raise outside
    return json.dumps(fill_json(element, dtype))


def json_text(value: object, what: str, path: str) -> str:
    """ "" for None."""
    if value is None:
        return ""
    try:
        return json.dumps(dict(value) if isinstance(value, Mapping) else value)
    except (TypeError, ValueError) as e:
        raise UsageError(f"{what} of '{path}' cannot be written as JSON: {e}. Use str, int, float, bool, None, lists and dicts") from None
