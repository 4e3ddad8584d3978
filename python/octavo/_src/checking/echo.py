# SPDX-License-Identifier: Apache-2.0
"""The object that the sections make in a process, to see how fast it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
PATIENCE = 20.0  # seconds: a process that takes longer does not work


class Echo:
    """Gives back what it gets."""

    def number(self, n: int) -> int:
        """A small call."""
        return n

    def array(self, a: Any) -> Any:
        """A large one."""
        return a


def answered(call: Callable[..., T], *arguments: Any) -> T:
    """The result of a call that must not hang; TimedOut where it does."""
    from octavo import start

    return start(call, *arguments).result(PATIENCE)


@contextmanager
def echoing() -> Iterator[Echo]:
    """An Echo in a process of its own, which has answered."""
    from octavo import destroy, process

    made = answered(process.make, Echo)
    try:
        answered(made.number, 1)
        yield made
    finally:
        destroy(made)
