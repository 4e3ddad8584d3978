# SPDX-License-Identifier: Apache-2.0
"""Tuples with names, and dataclasses, that Octavo itself sends."""

from dataclasses import fields
from typing import Any

from octavo.errors import Origin
from octavo.objects.devices import DeviceCounters, DeviceFacts
from octavo.objects.streams import StreamHandle
from octavo.phases import Phase, Phases
from octavo.watching import Address

RECORDS: dict[str, Any] = {each.__name__: each for each in (Address, DeviceCounters, DeviceFacts, Origin, Phase, Phases, StreamHandle)}


def names_of(kind: Any) -> tuple[str, ...]:
    """Of the items of a record, in their order."""
    named: tuple[str, ...] | None = getattr(kind, "_fields", None)
    return tuple(each.name for each in fields(kind)) if named is None else named
