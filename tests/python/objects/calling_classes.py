# SPDX-License-Identifier: Apache-2.0
"""Classes whose objects call functions in other processes."""

from __future__ import annotations

import time

import octavo


def one() -> int:
    return 1


class Helper:
    """Calls back whoever it is told."""

    def help(self, other: Busy) -> int:
        time.sleep(0.02)
        return other.back()


class Busy:
    """Begins many calls of functions, and is called back meanwhile, where it begins some, too."""

    def set(self, me: Busy, helper: Helper, workers: list[octavo.Worker]) -> None:
        self.me, self.helper, self.service = me, helper, octavo.Service(workers)

    def back(self) -> int:
        return octavo.call(self.service, one) + octavo.start(octavo.process, one).result()

    def begin(self, calls: int) -> tuple[list[int], int]:
        helping = [octavo.start(self.helper.help, self.me) for _ in range(3)]
        time.sleep(0.05)
        first = octavo.start(octavo.process, one)
        many = [octavo.start(self.service, one) for _ in range(calls)]
        return [each.result() for each in helping], first.result() + sum(each.result() for each in many)
