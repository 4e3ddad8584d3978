# SPDX-License-Identifier: Apache-2.0
"""Objects as processes, and arrays larger than memory. Importing starts nothing.

What most programs use is here; the rest, by what it is about: octavo.naming (what has a name), octavo.watching (what runs), octavo.devices (who keeps the pages
of arrays), octavo.streams, octavo.distributed, octavo.buffered_arrays, octavo.fft, octavo.job, octavo.source (what is known of an array), octavo.phases (where
the time went), octavo.errors. None of them needs an import of its own.
"""

from typing import TYPE_CHECKING

from octavo.errors import (
    Cancelled,
    Error,
    GoneError,
    IoError,
    NotSupported,
    ProcessDied,
    Refused,
    RemoteError,
    TimedOut,
    UsageError,
)

if TYPE_CHECKING:
    from octavo import buffered_arrays as buffered_arrays
    from octavo import devices as devices
    from octavo import distributed as distributed
    from octavo import errors as errors
    from octavo import fft as fft
    from octavo import job as job
    from octavo import naming as naming
    from octavo import phases as phases
    from octavo import source as source
    from octavo import streams as streams
    from octavo import watching as watching
    from octavo.array import Array, create_array, open_array
    from octavo.array_groups import ArrayGroup, open_group
    from octavo.buffered_arrays.array import BufferedArray, buffered
    from octavo.copying import copy
    from octavo.job import Job
    from octavo.naming import named
    from octavo.objects.arrays import empty, give
    from octavo.objects.calling import call
    from octavo.objects.executor import Executor
    from octavo.objects.futures import Future
    from octavo.objects.groups.group import Group, each, group, make_group
    from octavo.objects.groups.member import Member, self
    from octavo.objects.messages.channels import ChannelReader, ChannelWriter, channel
    from octavo.objects.messages.locks import Condition, Mutex, Semaphore
    from octavo.objects.messages.mailboxes import Mailbox, select
    from octavo.objects.messages.meetings import Barrier, Event
    from octavo.objects.messages.queues import Queue
    from octavo.objects.named.making import open
    from octavo.objects.places import Place, beside, place_of, process, thread
    from octavo.objects.pointers import destroy, kill, scoped
    from octavo.objects.remote_array import RemoteArray
    from octavo.objects.runtime import Runtime, played, slurm, ssh
    from octavo.objects.segments import Segment
    from octavo.objects.server.preloading import preload
    from octavo.objects.serving.service import Service
    from octavo.objects.serving.waiting import wait
    from octavo.objects.serving.workers import Worker
    from octavo.objects.starting import start
    from octavo.options import Budget, RawLayout, Target
    from octavo.source import info
    from octavo.streams.blocks import map_blocks
    from octavo.streams.boxes import StreamBox
    from octavo.streams.description import pipeline
    from octavo.streams.items import Again
    from octavo.streams.making import farm, stage
    from octavo.streams.report import StreamReport
del TYPE_CHECKING

__all__ = [
    "Again",
    "Array",
    "ArrayGroup",
    "Barrier",
    "Budget",
    "BufferedArray",
    "Cancelled",
    "ChannelReader",
    "ChannelWriter",
    "Condition",
    "Error",
    "Event",
    "Executor",
    "Future",
    "GoneError",
    "Group",
    "IoError",
    "Job",
    "Mailbox",
    "Member",
    "Mutex",
    "NotSupported",
    "Place",
    "ProcessDied",
    "Queue",
    "RawLayout",
    "Refused",
    "RemoteArray",
    "RemoteError",
    "Runtime",
    "Segment",
    "Semaphore",
    "Service",
    "StreamBox",
    "StreamReport",
    "Target",
    "TimedOut",
    "UsageError",
    "Worker",
    "beside",
    "buffered",
    "call",
    "channel",
    "copy",
    "create_array",
    "destroy",
    "each",
    "empty",
    "farm",
    "give",
    "group",
    "info",
    "kill",
    "make_group",
    "map_blocks",
    "named",
    "open",
    "open_array",
    "open_group",
    "pipeline",
    "place_of",
    "played",
    "preload",
    "process",
    "scoped",
    "select",
    "self",
    "slurm",
    "ssh",
    "stage",
    "start",
    "thread",
    "wait",
]
__version__ = "0.1.0"

# Public, too, and each imported when first asked for: NumPy, which most of them need, starts threads when it is loaded.
_MODULES = ("buffered_arrays", "devices", "distributed", "errors", "fft", "job", "naming", "phases", "source", "streams", "watching")
_LATER = {
    "Again": "octavo.streams.items",
    "Array": "octavo.array",
    "ArrayGroup": "octavo.array_groups",
    "Barrier": "octavo.objects.messages.meetings",
    "Budget": "octavo.options",
    "BufferedArray": "octavo.buffered_arrays.array",
    "ChannelReader": "octavo.objects.messages.channels",
    "ChannelWriter": "octavo.objects.messages.channels",
    "Condition": "octavo.objects.messages.locks",
    "Event": "octavo.objects.messages.meetings",
    "Executor": "octavo.objects.executor",
    "Future": "octavo.objects.futures",
    "Group": "octavo.objects.groups.group",
    "Job": "octavo.job",
    "Mailbox": "octavo.objects.messages.mailboxes",
    "Member": "octavo.objects.groups.member",
    "Mutex": "octavo.objects.messages.locks",
    "Place": "octavo.objects.places",
    "Queue": "octavo.objects.messages.queues",
    "RawLayout": "octavo.options",
    "RemoteArray": "octavo.objects.remote_array",
    "Runtime": "octavo.objects.runtime",
    "Segment": "octavo.objects.segments",
    "Semaphore": "octavo.objects.messages.locks",
    "Service": "octavo.objects.serving.service",
    "StreamBox": "octavo.streams.boxes",
    "StreamReport": "octavo.streams.report",
    "Target": "octavo.options",
    "Worker": "octavo.objects.serving.workers",
    "beside": "octavo.objects.places",
    "buffered": "octavo.buffered_arrays.array",
    "call": "octavo.objects.calling",
    "channel": "octavo.objects.messages.channels",
    "copy": "octavo.copying",
    "create_array": "octavo.array",
    "destroy": "octavo.objects.pointers",
    "each": "octavo.objects.groups.group",
    "empty": "octavo.objects.arrays",
    "farm": "octavo.streams.making",
    "give": "octavo.objects.arrays",
    "group": "octavo.objects.groups.group",
    "info": "octavo.source",
    "kill": "octavo.objects.pointers",
    "make_group": "octavo.objects.groups.group",
    "map_blocks": "octavo.streams.blocks",
    "named": "octavo.naming",
    "open": "octavo.objects.named.making",
    "open_array": "octavo.array",
    "open_group": "octavo.array_groups",
    "pipeline": "octavo.streams.description",
    "place_of": "octavo.objects.places",
    "played": "octavo.objects.runtime",
    "preload": "octavo.objects.server.preloading",
    "process": "octavo.objects.places",
    "scoped": "octavo.objects.pointers",
    "select": "octavo.objects.messages.mailboxes",
    "self": "octavo.objects.groups.member",
    "slurm": "octavo.objects.runtime",
    "ssh": "octavo.objects.runtime",
    "stage": "octavo.streams.making",
    "start": "octavo.objects.starting",
    "thread": "octavo.objects.places",
    "wait": "octavo.objects.serving.waiting",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"octavo.{name}")
    if name not in _LATER:
        raise AttributeError(f"module 'octavo' has no attribute '{name}'")
    value: object = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
