# SPDX-License-Identifier: Apache-2.0
"""What a fork of a fork server does first, so that it is as good as a process that was started."""

import os
import sys


def change_environment(changes: list[bytes]) -> None:
    """In a fork: of each variable that is another than in its fork server, NAME=value, or NAME of one that is gone."""
    for each in changes:
        name, is_set, value = each.partition(b"=")
        if is_set:
            os.environb[name] = value
        else:
            os.environb.pop(name, None)


def wake_fork() -> None:
    """In a fork: no two draw the same random numbers."""
    if random := sys.modules.get("numpy.random"):
        random.seed()
