# SPDX-License-Identifier: Apache-2.0
"""Where the processes that move data spend their time: of a job in Report.phases, of a device in its counters().

>>> report = octavo.Job("density.zarr", "spectrum.zarr", timeline="run.json").run()
>>> for each in report.phases:
...     print(each.name, each.phases.reading.seconds, each.phases.reading.mb_per_second, each.phases.idle)
"""

from __future__ import annotations

from dataclasses import dataclass

from octavo import _core

__all__ = ["Phase", "Phases", "ProcessPhases"]

NAMES = ("reading", "caching", "computing", "network", "writing", "waiting")


@dataclass(frozen=True)
class Phase:
    """seconds: in which the process did, or waited for, this and nothing else. under_way: in which something of the kind was under way.
    bytes: moved or worked on.
    """

    seconds: float
    under_way: float
    bytes: int

    @property
    def mb_per_second(self) -> float:
        """10^6 bytes a second, in the time in which it was under way."""
        return self.bytes / 1e6 / self.under_way if self.under_way > 0 else 0.0


@dataclass(frozen=True)
class Phases:
    """The seconds of all phases and ``idle`` are together ``wall``, the time since the process was made.

    Of a device: reading and writing its disk, as long as it waits for that; caching, copying between the disk's buffers and pages; computing, converting
    elements; waiting, for room in the pool. Of a transform process: computing; caching, regrouping tiles; reading, writing and network, in which it waited for
    those of a box and computed nothing. network: it waited for devices on other machines only.
    """

    reading: Phase
    caching: Phase
    computing: Phase
    network: Phase
    writing: Phase
    waiting: Phase
    idle: float
    wall: float


@dataclass(frozen=True)
class ProcessPhases:
    """Of one process of a job. name: "source", "target 2", "transform 1" or "scratch"."""

    name: str
    machine: str
    pid: int
    phases: Phases


def phases_of(told: _core.Phases) -> Phases:
    """As the core tells them."""
    sums = {name: getattr(told, name) for name in NAMES}
    return Phases(**{name: Phase(each.seconds, each.under_way, each.bytes) for name, each in sums.items()}, idle=told.idle, wall=told.wall)


def process_phases(told: _core.ProcessPhases) -> ProcessPhases:
    """As the core tells them."""
    return ProcessPhases(told.name, told.machine, told.pid, phases_of(told.phases))
