# SPDX-License-Identifier: Apache-2.0
"""What lies before a stage, or before who reads the stream; in order. With the flow's lock."""

from __future__ import annotations

import sys
from collections import deque
from typing import Any


def bytes_of(item: Any) -> int:
    """As far as can be told without looking into it."""
    size = getattr(item, "nbytes", None)
    return size if isinstance(size, int) else sys.getsizeof(item, 64)


class Belt:
    def __init__(self, most_items: int, most_bytes: int) -> None:
        self.most_items, self.most_bytes = most_items, most_bytes
        self.items: deque[tuple[Any, int]] = deque()
        self.bytes = 0
        self.closed = False  # no more will come
        self.cancelled = False  # nobody wants more

    def has_room(self) -> bool:
        return not self.cancelled and len(self.items) < self.most_items and (self.bytes < self.most_bytes or not self.items)

    def put(self, item: Any) -> None:
        """Dropped where nobody wants it."""
        if self.cancelled:
            return
        size = bytes_of(item)
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
