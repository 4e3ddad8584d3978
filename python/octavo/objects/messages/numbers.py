# SPDX-License-Identifier: Apache-2.0
"""Numbers that users give: how many, how much, how long. What is none is a UsageError that names it."""

from __future__ import annotations

import math
import operator

from octavo import _core
from octavo.errors import UsageError

MOST = 2**63 - 1


def whole(number: object, what: str, cure: str) -> int:
    """``what``: with a place for the number, "a channel with room for {} messages"."""
    try:
        found = operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{what.format(repr(number))}. {cure}") from None
    if not -MOST <= found <= MOST:
        raise UsageError(f"{what.format(found)}. {cure}, of 63 bits at most")
    return found


def room(messages: object, bytes: object, of: str) -> tuple[int, int]:
    """Of a channel or a mailbox, as how many messages and bytes."""
    most = whole(messages, f"{of} with room for messages={{}}", "Give how many as an int of 1 or more")
    size = "Give them as an int of 1 or more, or as a text like '64MiB'"
    limit = _core.parse_bytes(bytes) if isinstance(bytes, str) else whole(bytes, f"{of} with room for bytes={{}}", size)
    if most < 1 or limit < 1:
        raise UsageError(f"{of} was to have room for {most} messages and {limit} bytes. Give it room for one at least")
    return most, limit


def seconds(timeout: float | None) -> float | None:
    """Of a wait; None: for ever."""
    if timeout is None:
        return None
    try:
        is_number = not math.isnan(timeout)
    except TypeError:
        is_number = False
    if not is_number:
        raise UsageError(f"timeout={timeout!r}. Give seconds as a number, or None to wait for ever")
    return float(timeout)
