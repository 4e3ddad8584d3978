# SPDX-License-Identifier: Apache-2.0
"""Running a job for somebody who wants its result."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from octavo import _core
from octavo.errors import Refused

if TYPE_CHECKING:
    from octavo.array import Array
    from octavo.job import Job

Plan = TypeVar("Plan")
MIB = 1 << 20
LEAST = re.compile(r"the least that would do is (\d+) bytes")
GIVEN = re.compile(r"Give it at least [^;]*;")
MOST_TRIES = 20


def run(job: Job, progress: bool | None) -> Array:
    """Runs it, with a bar where one is wanted and can be seen, and opens what it made."""
    from octavo._src import wanted
    from octavo._src.opening import LEAST_MEMORY, open_handle
    from octavo.array import Array

    if progress is False:
        job.run()
    else:
        from octavo.progress import Bar

        with Bar(progress) as bar:
            job.run(bar.show)
    layout = job.target_layout
    told = wanted.opening(job.target, False, max(job.memory, LEAST_MEMORY), layout.get("shape"), layout.get("dtype"), 0, False)
    handle = open_handle(told)
    if handle.least_memory > told.memory:  # a job can do with less than who reads its result: its work is not lost for that
        told = replace(told, memory=handle.least_memory)
        handle = open_handle(told)
    return Array(handle, told)


def planned(plan: Callable[[int], Plan], memory: int) -> Plan:
    """What ``plan`` makes of this budget. Where that is refused, the least that the refusal names is one that was tried: chunks and servers
    are chosen by the budget, so what would do for those of the small one need not do for those of its own.
    """
    try:
        return plan(memory)
    except Refused as refusal:
        text, named = str(refusal), LEAST.search(str(refusal))
    for _ in range(MOST_TRIES):
        if named is None:
            break
        least = int(named[1])
        try:
            plan(least)
        except Refused as again:
            named = LEAST.search(str(again))
        else:
            text = GIVEN.sub(f"Give it at least {_core.format_bytes(-(-least // MIB) * MIB)};", LEAST.sub(f"the least that would do is {least} bytes", text))
            break
    raise Refused(text)
