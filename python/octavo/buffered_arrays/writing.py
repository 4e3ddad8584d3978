# SPDX-License-Identifier: Apache-2.0
"""A bar for a write-back that takes its time.

>>> with shown(buffers, 8, progress=None) as watch:
...     buffers.writeback(watch)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo import _core
    from octavo.progress import Bar


@contextmanager
def shown(buffers: _core.BufferHandle, item_bytes: int, progress: bool | None) -> Iterator[Callable[[int], None] | None]:
    """What the write-back is to tell of the bytes that it wrote; None where nobody would see it. The bar is made when it tells for the first time.

    progress: True shows one anywhere, False nowhere; None: on a terminal, and in a notebook.
    """
    if progress is False or (progress is None and not sys.stderr.isatty() and "ipykernel" not in sys.modules):
        yield None
        return
    total, begun = buffers.dirty_elements * item_bytes, time.monotonic()
    with ExitStack() as stack:
        bars: list[Bar] = []

        def watch(done: int) -> None:
            from octavo.progress import Bar

            if not bars:
                bars.append(stack.enter_context(Bar(progress)))
            bars[0].draw("writing back", done, total, time.monotonic() - begun)

        yield watch
