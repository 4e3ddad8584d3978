# SPDX-License-Identifier: Apache-2.0
"""Octavo's queue for ./dev bench python: this program puts, an object in another process takes."""

from collections.abc import Callable

import octavo as ov
from python_answering import say
from python_queue_timing import BOUND, measured, take_all


class Reader:
    def take(self, items: ov.Queue, count: int) -> float:
        return take_all(items.get, count)


def main() -> None:
    items: ov.Queue = ov.Queue(BOUND)
    reader = ov.process.make(Reader)

    def begin_taking(count: int) -> Callable[[], float]:
        return ov.start(reader.take, items, count).result

    say({row: {"octavo": value} for row, value in measured(items.put, begin_taking).items()})
    ov.destroy(reader)


if __name__ == "__main__":
    main()
