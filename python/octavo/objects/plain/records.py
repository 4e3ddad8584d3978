# SPDX-License-Identifier: Apache-2.0
"""Tuples with names that Octavo itself sends."""

from typing import Any

from octavo.objects.devices import DeviceCounters, DeviceFacts
from octavo.objects.pointers import Address
from octavo.objects.raising import Origin
from octavo.objects.streams import StreamHandle

RECORDS: dict[str, Any] = {each.__name__: each for each in (Address, DeviceCounters, DeviceFacts, Origin, StreamHandle)}
