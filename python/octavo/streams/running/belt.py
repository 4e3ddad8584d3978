# SPDX-License-Identifier: Apache-2.0
"""What lies before a stage, or before who reads the stream; in order. With the flow's lock."""

from __future__ import annotations

import math
import sys
from collections import deque
from typing import Any

from octavo.errors import Refused


def bytes_of(item: Any) -> int:
    """As far as can be told without looking into it."""
    size = getattr(item, "nbytes", None)
    return size if isinstance(size, int) else sys.getsizeof(item, 64)


class Belt:
    """Before the stage of this name. Of an unbounded one more bytes are an error, and not waited for."""

    def __init__(self, stage: str, most_items: float, most_bytes: int) -> None:
        self.stage, self.most_items, self.most_bytes = stage, most_items, most_bytes
        self.items: deque[tuple[Any, int]] = deque()
        self.bytes = 0
        self.closed = False  # no more will come
        self.cancelled = False  # nobody wants more

    def is_unbounded(self) -> bool:
        return self.most_items == math.inf

    def has_room(self) -> bool:
        if self.is_unbounded():
            return not self.cancelled
        return not self.cancelled and len(self.items) < self.most_items and (self.bytes < self.most_bytes or not self.items)

    def put(self, item: Any) -> None:
        """Dropped where nobody wants it."""
        if self.cancelled:
            return
        size = bytes_of(item)
        if self.is_unbounded() and self.bytes + size > self.most_bytes:
            raise Refused(
                f"before stage '{self.stage}' of a stream lie {self.bytes} bytes, and {self.most_bytes} is its limit. It is slower than what comes: give it "
                "more workers, leave unbounded() out, or name more memory, as unbounded(8 << 30)"
            )
        self.items.append((item, size))
        self.bytes += size

    def take(self) -> Any:
        item, size = self.items.popleft()
        self.bytes -= size
        return item

    def cancel(self) -> None:
        self.cancelled = self.closed = True
        self.items.clear()
        self.bytes = 0
