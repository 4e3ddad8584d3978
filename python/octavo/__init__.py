# SPDX-License-Identifier: Apache-2.0
"""Objects as processes, and arrays larger than memory. Importing starts nothing."""

from typing import TYPE_CHECKING

from octavo.errors import (
    Cancelled,
    ChannelCancelled,
    Error,
    GoneError,
    IoError,
    LockAbandoned,
    NotSupported,
    ProcessDied,
    Refused,
    RemoteError,
    TimedOut,
    UsageError,
)

if TYPE_CHECKING:
    from octavo import distributed, fft
    from octavo.array import Array, create_array, open_array
    from octavo.buffered_arrays import BufferedArray, BufferedBlock, buffered
    from octavo.copying import copy
    from octavo.device_arrays import array_of
    from octavo.job import Job, Progress, Report
    from octavo.named_arrays import NamedFacts, NamedPlace, destroy_array, end_lasting_agent, named, names
    from octavo.objects.arrays import empty, give
    from octavo.objects.calling import call
    from octavo.objects.devices import DeviceCounters, DeviceFacts, PageDevice, PageFile, ZarrDevice
    from octavo.objects.executor import Executor
    from octavo.objects.futures import Future
    from octavo.objects.groups.group import Group, each, group, make_group
    from octavo.objects.groups.member import Member, self
    from octavo.objects.messages.channels import ChannelReader, ChannelWriter, channel
    from octavo.objects.messages.errors import BrokenBarrier, QueueShutDown
    from octavo.objects.messages.locks import Condition, Mutex, Semaphore
    from octavo.objects.messages.mailboxes import Mailbox, select
    from octavo.objects.messages.meetings import Barrier, Event
    from octavo.objects.messages.queues import Queue
    from octavo.objects.named.making import open, restore_previous, save
    from octavo.objects.places import Place, beside, place_of, process, thread
    from octavo.objects.pointers import Address, address, destroy, kill, scoped
    from octavo.objects.raising import Origin, origin
    from octavo.objects.remote_array import RemoteArray
    from octavo.objects.runtime import Runtime, played, slurm, ssh
    from octavo.objects.segments import Segment
    from octavo.objects.server.preloading import preload
    from octavo.objects.serving.service import Service
    from octavo.objects.serving.waiting import wait
    from octavo.objects.serving.workers import Worker
    from octavo.objects.starting import start
    from octavo.options import Budget, RawLayout, Target
    from octavo.phases import Phase, Phases, ProcessPhases
    from octavo.source import Source, info
    from octavo.streams.blocks import map_blocks
    from octavo.streams.boxes import StreamBox
    from octavo.streams.description import Pipeline, pipeline
    from octavo.streams.items import Again, To
    from octavo.streams.making import farm, stage
    from octavo.streams.report import StageReport, StreamReport
    from octavo.streams.stages import Farm, Stage
    from octavo.watching import (
        DiskFacts,
        MachineFacts,
        MailboxStatus,
        ProcessStatus,
        RoadStatus,
        SavedObject,
        machines,
        mailboxes,
        processes,
        restore_saved,
        roads,
        saved_objects,
        send_signal,
    )
del TYPE_CHECKING

__all__ = [
    "Address",
    "Again",
    "Array",
    "Barrier",
    "BrokenBarrier",
    "Budget",
    "BufferedArray",
    "BufferedBlock",
    "Cancelled",
    "ChannelCancelled",
    "ChannelReader",
    "ChannelWriter",
    "Condition",
    "DeviceCounters",
    "DeviceFacts",
    "DiskFacts",
    "Error",
    "Event",
    "Executor",
    "Farm",
    "Future",
    "GoneError",
    "Group",
    "IoError",
    "Job",
    "LockAbandoned",
    "MachineFacts",
    "Mailbox",
    "MailboxStatus",
    "Member",
    "Mutex",
    "NamedFacts",
    "NamedPlace",
    "NotSupported",
    "Origin",
    "PageDevice",
    "PageFile",
    "Phase",
    "Phases",
    "Pipeline",
    "Place",
    "ProcessDied",
    "ProcessPhases",
    "ProcessStatus",
    "Progress",
    "Queue",
    "QueueShutDown",
    "RawLayout",
    "Refused",
    "RemoteArray",
    "RemoteError",
    "Report",
    "RoadStatus",
    "Runtime",
    "SavedObject",
    "Segment",
    "Semaphore",
    "Service",
    "Source",
    "Stage",
    "StageReport",
    "StreamBox",
    "StreamReport",
    "Target",
    "TimedOut",
    "To",
    "UsageError",
    "Worker",
    "ZarrDevice",
    "address",
    "array_of",
    "beside",
    "buffered",
    "call",
    "channel",
    "copy",
    "create_array",
    "destroy",
    "destroy_array",
    "distributed",
    "each",
    "empty",
    "end_lasting_agent",
    "farm",
    "fft",
    "give",
    "group",
    "info",
    "kill",
    "machines",
    "mailboxes",
    "make_group",
    "map_blocks",
    "named",
    "names",
    "open",
    "open_array",
    "origin",
    "pipeline",
    "place_of",
    "played",
    "preload",
    "process",
    "processes",
    "restore_previous",
    "restore_saved",
    "roads",
    "save",
    "saved_objects",
    "scoped",
    "select",
    "self",
    "send_signal",
    "slurm",
    "ssh",
    "stage",
    "start",
    "thread",
    "wait",
]
__version__ = "0.1.0"

# These need NumPy, whose libraries start threads when they are loaded: imported when first asked for.
_LATER = {
    "BrokenBarrier": "octavo.errors",
    "QueueShutDown": "octavo.errors",
    "Address": "octavo.objects.pointers",
    "Again": "octavo.streams.items",
    "Array": "octavo.array",
    "Budget": "octavo.options",
    "BufferedArray": "octavo.buffered_arrays",
    "BufferedBlock": "octavo.buffered_arrays",
    "Condition": "octavo.objects.messages.locks",
    "DeviceCounters": "octavo.objects.devices",
    "DeviceFacts": "octavo.objects.devices",
    "DiskFacts": "octavo.watching",
    "Executor": "octavo.objects.executor",
    "Future": "octavo.objects.futures",
    "Group": "octavo.objects.groups.group",
    "Job": "octavo.job",
    "MachineFacts": "octavo.watching",
    "MailboxStatus": "octavo.watching",
    "Member": "octavo.objects.groups.member",
    "Mutex": "octavo.objects.messages.locks",
    "Barrier": "octavo.objects.messages.meetings",
    "Event": "octavo.objects.messages.meetings",
    "Queue": "octavo.objects.messages.queues",
    "NamedFacts": "octavo.named_arrays",
    "NamedPlace": "octavo.named_arrays",
    "Origin": "octavo.objects.raising",
    "PageDevice": "octavo.objects.devices",
    "PageFile": "octavo.objects.devices",
    "Phase": "octavo.phases",
    "Phases": "octavo.phases",
    "Place": "octavo.objects.places",
    "ProcessPhases": "octavo.phases",
    "ProcessStatus": "octavo.watching",
    "Progress": "octavo.job",
    "RawLayout": "octavo.options",
    "RemoteArray": "octavo.objects.remote_array",
    "Report": "octavo.job",
    "RoadStatus": "octavo.watching",
    "Runtime": "octavo.objects.runtime",
    "SavedObject": "octavo.watching",
    "ChannelReader": "octavo.objects.messages.channels",
    "ChannelWriter": "octavo.objects.messages.channels",
    "Mailbox": "octavo.objects.messages.mailboxes",
    "select": "octavo.objects.messages.mailboxes",
    "Segment": "octavo.objects.segments",
    "Semaphore": "octavo.objects.messages.locks",
    "channel": "octavo.objects.messages.channels",
    "Service": "octavo.objects.serving.service",
    "Source": "octavo.source",
    "Farm": "octavo.streams.stages",
    "Pipeline": "octavo.streams.description",
    "Stage": "octavo.streams.stages",
    "StageReport": "octavo.streams.report",
    "StreamBox": "octavo.streams.boxes",
    "StreamReport": "octavo.streams.report",
    "farm": "octavo.streams.making",
    "pipeline": "octavo.streams.description",
    "stage": "octavo.streams.making",
    "Target": "octavo.options",
    "To": "octavo.streams.items",
    "Worker": "octavo.objects.serving.workers",
    "ZarrDevice": "octavo.objects.devices",
    "address": "octavo.objects.pointers",
    "array_of": "octavo.device_arrays",
    "beside": "octavo.objects.places",
    "buffered": "octavo.buffered_arrays",
    "call": "octavo.objects.calling",
    "copy": "octavo.copying",
    "create_array": "octavo.array",
    "destroy": "octavo.objects.pointers",
    "destroy_array": "octavo.named_arrays",
    "distributed": "octavo.distributed",
    "each": "octavo.objects.groups.group",
    "empty": "octavo.objects.arrays",
    "end_lasting_agent": "octavo.named_arrays",
    "fft": "octavo.fft",
    "give": "octavo.objects.arrays",
    "group": "octavo.objects.groups.group",
    "info": "octavo.source",
    "kill": "octavo.objects.pointers",
    "machines": "octavo.watching",
    "mailboxes": "octavo.watching",
    "make_group": "octavo.objects.groups.group",
    "map_blocks": "octavo.streams.blocks",
    "named": "octavo.named_arrays",
    "names": "octavo.named_arrays",
    "open": "octavo.objects.named.making",
    "open_array": "octavo.array",
    "origin": "octavo.objects.raising",
    "place_of": "octavo.objects.places",
    "preload": "octavo.objects.server.preloading",
    "played": "octavo.objects.runtime",
    "process": "octavo.objects.places",
    "processes": "octavo.watching",
    "restore_previous": "octavo.objects.named.making",
    "restore_saved": "octavo.watching",
    "roads": "octavo.watching",
    "save": "octavo.objects.named.making",
    "saved_objects": "octavo.watching",
    "scoped": "octavo.objects.pointers",
    "self": "octavo.objects.groups.member",
    "send_signal": "octavo.watching",
    "slurm": "octavo.objects.runtime",
    "ssh": "octavo.objects.runtime",
    "start": "octavo.objects.starting",
    "thread": "octavo.objects.places",
    "wait": "octavo.objects.serving.waiting",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'octavo' has no attribute '{name}'")
    from importlib import import_module

    module = import_module(_LATER[name])
    value: object = module if name in ("fft", "distributed") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
