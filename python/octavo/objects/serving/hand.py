# SPDX-License-Identifier: Apache-2.0
"""A worker as its pool sees it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from octavo.objects.pointers import Pointer
from octavo.watching import address

if TYPE_CHECKING:
    from octavo.objects.serving.task import Task


class Hand:
    """Its calls that are not answered, in the order in which they are sent: one after the other, so that they are run and answered in that order, too."""

    def __init__(self, worker: Pointer) -> None:
        self.worker = worker
        self.key = tuple(address(worker))
        self.lives_again = address(worker).incarnation == 0  # it has a name
        self.calls: list[Task[Any]] = []
        self.sending = False  # somebody sends one
        self.is_dead = False
        self.begun: Task[Any] | None = None  # of a dead one: which it did
        self.answered = 0.0  # when it did so last

    def has_run(self) -> float:
        """Seconds, of the first of its calls."""
        return time.monotonic() - max(self.answered, self.calls[0]._sent) if self.calls else 0.0

    def dies(self) -> None:
        """The first call that was not answered had begun."""
        if self.is_dead:
            return
        self.is_dead = True
        for call in self.calls:
            reply = call._current
            if reply is not None and (not reply.ready() or reply.died()):
                self.begun = call
                return

    def had_begun(self, call: Task[Any]) -> bool:
        """Of a dead one: may have, as far as can be known."""
        return self.begun is None or call is self.begun
