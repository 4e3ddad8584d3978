# SPDX-License-Identifier: Apache-2.0
"""What runs on this machine, what it has, and how it is connected: seen without asking anybody, so also of what does not answer.

>>> here = octavo.watching.address(p)                                       # of a remote pointer
>>> [mine] = [each for each in octavo.watching.processes() if each.address == here]
>>> print(mine.state, mine.method, mine.memory_bytes)
>>> octavo.watching.send_signal(mine, signal.SIGSTOP)
>>> print([(stage.name, stage.taken) for stream in octavo.watching.streams() for stage in stream.stages])
>>> octavo.watching.machines()                                              # a table in a notebook
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from octavo import _core
from octavo.errors import UsageError

__all__ = [
    "Address",
    "DiskFacts",
    "MachineFacts",
    "MailboxStatus",
    "ProcessStatus",
    "RoadStatus",
    "StageStatus",
    "StreamStatus",
    "address",
    "machines",
    "mailboxes",
    "processes",
    "roads",
    "send_signal",
    "streams",
]


class Address(NamedTuple):
    """Which object: on which agent, in which of its lives, which one there."""

    agent: int
    incarnation: int
    object: int


@dataclass(frozen=True)
class ProcessStatus:
    """An object and its process, as they are at this moment."""

    pid: int
    object: int  # 0: an agent that is a process of its own; 1: a program
    class_name: str
    name: str  # "ov://..." of one that has a name
    machine: str
    state: str  # idle, running, waiting, suspended, stopped; or ended, and its agent has not noticed
    method: str  # that runs or waits; empty: none
    method_seconds: float
    waits_for: tuple[int, int, int] | None  # agent, incarnation and object of whose answer it waits for, or a thread beside it
    waits_in: str  # the method that was called there; empty: none that is known
    waits_seconds: float
    calls_done: int
    calls_waiting: int
    calls_owed: int
    bytes_received: int  # in messages; pages are not among them
    bytes_sent: int
    memory_bytes: int  # resident, of the whole process
    started: float  # seconds since 1970
    on_thread: bool  # of a process that it shares with others
    agent: str  # program, machine or lasting
    agent_pid: int
    agent_id: int
    incarnation: int

    @property
    def address(self) -> Address:
        return Address(self.agent_id, self.incarnation, self.object)


@dataclass(frozen=True)
class RoadStatus:
    """A connection between two objects, from their first call to the end of one of them."""

    first: tuple[int, int, int]  # agent, incarnation, object
    second: tuple[int, int, int]
    road: str  # thread, shm or net
    why: str  # it was chosen


@dataclass(frozen=True)
class DiskFacts:
    """A file system on a disk of a machine."""

    path: str
    bytes: int
    free_bytes: int


@dataclass(frozen=True)
class MachineFacts:
    """The hardware of a machine, and how much of it is free."""

    name: str
    cores: int  # that this program may use
    memory_bytes: int
    memory_available: int
    load: float  # of the last minute
    disks: tuple[DiskFacts, ...]


class Machines(list[MachineFacts]):
    """A list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from octavo._src.html_table import rows_html

        size = _core.format_bytes
        rows = []
        for each in self:
            disks = ", ".join(f"{disk.path} {size(disk.free_bytes)} of {size(disk.bytes)} free" for disk in each.disks)
            rows.append((each.name, str(each.cores), f"{each.load:.2f}", f"{size(each.memory_available)} of {size(each.memory_bytes)} available", disks or "-"))
        return rows_html(("machine", "cores", "load", "memory", "disks"), rows)


@dataclass(frozen=True)
class MailboxStatus:
    """A mailbox of the home, "ov://home/...", that somebody reads."""

    name: str
    type: str  # of its messages
    reader: str  # the class of the object that reads it, or "the program"
    pid: int  # the reader's
    machine: str
    unread: int | None  # that came from other processes, and were not taken; None: the reader is on another machine, or reads more than eight


@dataclass(frozen=True)
class StageStatus:
    """A stage of a stream that runs, with the figures of its report as they are now (ST-13). Seconds are of all workers."""

    name: str
    place: str
    workers: int
    taken: int
    given: int
    left: int  # came, and lies before it
    busy: float
    waited_for_input: float
    waited_for_room: float
    waiting_for_input: int  # so many workers, now
    waiting_for_room: int
    waits_seconds: float  # the one that has waited longest, for as long


@dataclass(frozen=True)
class StreamStatus:
    """A stream that runs, and whose it is."""

    pid: int  # of the process that it runs in
    address: tuple[int, int, int] | None  # the object whose method runs it, or the program; None: a process without a Runtime
    class_name: str  # of that
    agent_pid: int  # the program's that it belongs to, or the daemon's
    started: float  # seconds since 1970
    came: int  # from the source
    delivered: int  # to ``into=``, or to who reads the stream
    stages: tuple[StageStatus, ...]


def address(p: object) -> Address:
    """Where a remote pointer points to."""
    if not isinstance(p, _core.PointerBase):
        raise UsageError(f"address() takes a remote pointer, not {type(p).__name__}. Give what make() gave")
    return Address(*_core.pointer_facts(p)[:3])


def processes() -> list[ProcessStatus]:
    """Of all programs of this user on this machine: the running, the hung and the stopped."""
    return [ProcessStatus(**each) for each in _core.all_processes()]


def roads() -> list[RoadStatus]:
    """How the objects of this user's programs on this machine are connected."""
    return [RoadStatus(**each) for each in _core.all_roads()]


def streams() -> list[StreamStatus]:
    """Those that run in this user's programs on this machine, also in those that do not answer. Inlined ones are not seen."""
    return [StreamStatus(**{**each, "stages": tuple(StageStatus(**stage) for stage in each["stages"])}) for each in _core.all_streams()]


def machines() -> Machines:
    """The machines there are: this one."""
    here = _core.machine_facts()
    return Machines([MachineFacts(**{**here, "disks": tuple(DiskFacts(*disk) for disk in here["disks"])})])


def mailboxes(prefix: str = "", home: str = "") -> list[MailboxStatus]:
    """The mailboxes of the home at ``prefix`` and below that somebody reads, by name. Nobody is asked, so a reader that is stuck is seen as well."""
    return [MailboxStatus(**each) for each in _core.home_mailboxes(prefix, home)]


def send_signal(who: ProcessStatus, signal: int) -> None:
    """Sends a signal to the process of ``who``, if it still is that object's."""
    _core.send_signal(*who.address, who.pid, int(signal))
