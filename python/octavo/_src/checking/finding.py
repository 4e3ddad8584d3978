# SPDX-License-Identifier: Apache-2.0
"""A line of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True)
class Finding:
    """``value`` and ``limit``, the most it could be, are in ``unit``. ``cure``: the command that makes it better, empty if nothing does.
    Where ``works`` is false, ``value`` is the reason.
    """

    section: str
    name: str
    value: Value
    unit: str = ""  # bytes, s, us, GB/s, 1/s; or empty
    limit: Value = None
    cure: str = ""
    works: bool = True
