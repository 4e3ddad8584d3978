# SPDX-License-Identifier: Apache-2.0
"""The commands octavo ps | kill | ls | restore | machines."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from octavo import _core, watching
from octavo._src.commands.saying import say, say_json
from octavo._src.commands.tables import duration, moment, table
from octavo._src.commands.watching_streams import streams_table
from octavo._src.paths import shown
from octavo._src.saved_objects import restore_saved, saved_objects
from octavo.errors import UsageError
from octavo.watching import ProcessStatus, machines, processes, send_signal

Json = Annotated[bool, typer.Option("--json", help="All that is known, exact, for programs.")]
Watch = Annotated[bool, typer.Option("--watch", help="Again each second, until Ctrl-C.")]
Roads = Annotated[bool, typer.Option("--roads", help="How they are connected, and why so.")]
Streams = Annotated[bool, typer.Option("--streams", help="The stages of streams alone.")]
Who = Annotated[str, typer.Argument(help="The PID or OBJECT that octavo ps shows.")]
Signal = Annotated[str | None, typer.Option(help="Such as TERM, STOP or CONT. KILL if not given, TERM for a program or an agent.")]
Prefix = Annotated[str, typer.Argument(help="ov://PREFIX. All names if not given.")]
Name = Annotated[str, typer.Argument(help="ov://NAME")]

DAY = 86400.0
CALL_IN_PYTHON = "octavo::bindings::PythonObject::"  # whatever its method is


def object_text(number: int) -> str:
    """As in messages: the id of one with a name in hex."""
    return "-" if number == 0 else f"{number:016x}" if number >> 63 else str(number)


def whom(address: tuple[int, int, int], everyone: Sequence[ProcessStatus], here: str | None = None) -> str:
    """An object, as this command names it. What lives on a thread shares its pid. here: the machine that need not be named; None: none needs be."""
    found = [each for each in everyone if each.address[::2] == address[::2]]  # a lasting address is of any incarnation
    if not found:
        return f"object {object_text(address[2])} elsewhere"
    one = found[0]
    where = "" if here is None or one.machine == here else f" on {one.machine}"
    return f"{one.class_name} (pid {one.pid}{where}{f', object {object_text(one.object)}' if one.on_thread else ''})"


def waits(status: ProcessStatus, everyone: Sequence[ProcessStatus], now: float, here: str | None = None) -> str:
    """For whom, in which method, and since when: empty for one that does not wait. here: as of whom(); None: the machine of who waits."""
    if status.waits_for is None:
        return ""
    since = now - status.waits_seconds
    clock = time.strftime("%H:%M:%S", time.localtime(since)) if status.waits_seconds < DAY else moment(since)
    called = "" if status.waits_in.startswith(CALL_IN_PYTHON) else status.waits_in
    target = whom(status.waits_for, everyone, status.machine if here is None else here)
    return f"waits for {target}{f' in {called}' if called else ''} since {clock}"


def doing(status: ProcessStatus, everyone: Sequence[ProcessStatus], now: float) -> str:
    """Its call, and whom it waits for."""
    waiting = waits(status, everyone, now)
    if status.state == "waiting":
        return f"{status.method} {waiting}".strip()
    owed = f"{status.calls_owed} begun, not answered" if status.calls_owed else ""
    return ", ".join(filter(None, (status.method, owed, waiting))) or "-"


def circles(everyone: Sequence[ProcessStatus]) -> list[list[ProcessStatus]]:
    """Those that wait for each other, each in the order in which they do."""
    objects = {each.address[::2]: each for each in everyone if each.object != 0}
    found, seen = [], set[tuple[int, int, int]]()
    for each in everyone:
        way: list[ProcessStatus] = []
        one: ProcessStatus | None = each
        while one is not None and one.address not in seen:
            seen.add(one.address)
            way.append(one)
            one = objects.get(one.waits_for[::2]) if one.waits_for else None
        if one in way:
            found.append(way[way.index(one) :])
    return found


def circle_text(circle: Sequence[ProcessStatus], everyone: Sequence[ProcessStatus], now: float) -> str:
    """A line that names all of them."""
    machines = {each.machine for each in circle}
    here = machines.pop() if len(machines) == 1 else ""  # no machine has this name
    return f"circle: {whom(circle[0].address, everyone, here)} " + ", which ".join(waits(each, everyone, now, here) for each in circle)


def process_row(status: ProcessStatus, everyone: Sequence[ProcessStatus], now: float) -> list[str]:
    """A line of octavo ps."""
    size = _core.format_bytes
    busy = status.waits_seconds if status.state == "waiting" or not status.method else status.method_seconds
    return [
        str(status.pid),
        object_text(status.object),
        status.machine,
        status.class_name + (" (thread)" if status.on_thread else ""),
        status.name or "-",
        status.state,
        duration(busy) if status.method or status.waits_for else "-",
        str(status.calls_done),
        str(status.calls_waiting),
        size(status.bytes_received),
        size(status.bytes_sent),
        size(status.memory_bytes),
        duration(now - status.started),
        doing(status, everyone, now),
    ]


def say_all(values: Sequence[Any]) -> None:
    """A list of what dataclasses hold, for programs."""
    say_json([asdict(each) for each in values])


def show_processes() -> None:
    """The table of octavo ps."""
    everyone, now = processes(), time.time()
    head = ("PID", "OBJECT", "MACHINE", "CLASS", "NAME", "STATE", "FOR", "CALLS", "WAITING", "IN", "OUT", "MEMORY", "AGE", "DOING")
    right = ("PID", "OBJECT", "FOR", "CALLS", "WAITING", "IN", "OUT", "MEMORY", "AGE")
    say(table(head, [process_row(each, everyone, now) for each in everyone], right))
    for circle in circles(everyone):
        say(shown(circle_text(circle, everyone, now)))


def show_roads() -> None:
    """The table of octavo ps --roads."""
    everyone = processes()
    rows = [[whom(each.first, everyone), whom(each.second, everyone), each.road, each.why] for each in watching.roads()]
    say(table(("FROM", "TO", "ROAD", "WHY"), rows))


def show_streams(*, alone: bool) -> None:
    """The table of octavo ps --streams, which is the second one of octavo ps where there are any."""
    found = watching.streams()
    if found or alone:
        say(streams_table(found))


def show(*, roads: bool, streams: bool) -> None:
    """Once."""
    if roads:
        show_roads()
    elif streams:
        show_streams(alone=True)
    else:
        show_processes()
        show_streams(alone=False)


def ps(json: Json = False, watch: Watch = False, roads: Roads = False, streams: Streams = False) -> None:
    """What the processes of this user's programs on this machine do, and their streams, also where they do not answer; or how they are connected."""
    if roads and streams:
        raise UsageError("--roads and --streams are tables of their own. Give one of them")
    if json:
        say_all(watching.roads() if roads else watching.streams() if streams else processes())
        return
    try:
        while True:
            if watch:
                typer.echo("\x1b[2J\x1b[H", nl=False)  # the screen is cleared
            show(roads=roads, streams=streams)
            if not watch:
                return
            time.sleep(1)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def find(who: str, everyone: Sequence[ProcessStatus]) -> ProcessStatus:
    """The one process that is meant. A pid means the process itself, not what lives on its threads."""
    found = [each for each in everyone if (who == str(each.pid) and not each.on_thread) or (each.object != 0 and who == object_text(each.object))]
    if not found:
        raise UsageError(f"there is no process or object '{who}'. See octavo ps")
    if len(found) > 1:
        several = ", ".join(f"{each.class_name} (pid {each.pid})" for each in found)
        raise UsageError(f"'{who}' may be any of {several}. Give the pid of the one that is meant")
    return found[0]


def signal_number(name: str | None, who: ProcessStatus) -> int:
    """Of TERM, SIGTERM or 15."""
    if name is None:
        return signal.SIGKILL if who.object > 1 else signal.SIGTERM
    known = signal.Signals.__members__.get(name.upper() if name.upper().startswith("SIG") else f"SIG{name.upper()}")
    if known is not None:
        return known
    if name.isdecimal() and 0 < int(name) < signal.NSIG:
        return int(name)
    raise UsageError(f"there is no signal '{name}'. Give one such as TERM, KILL, STOP or CONT")


def kill(who: Who, signal: Signal = None) -> None:
    """Sends a signal to the process of an object, to a program or to an agent."""
    found = find(who, processes())
    send_signal(found, signal_number(signal, found))


def ls(prefix: Prefix = "", json: Json = False) -> None:
    """What has a name that this machine keeps for this user: objects, whether they run or rest, and below them the mailboxes that are read."""
    found, boxes = saved_objects(prefix), watching.mailboxes(prefix)
    if json:
        say_all([*found, *boxes])
        return
    rows = [
        [each.name, each.class_name, str(each.generation), moment(each.saved), _core.format_bytes(each.bytes), str(each.pid or "-"), each.trouble]
        for each in found
    ]
    say(table(("NAME", "CLASS", "GENERATION", "SAVED", "BYTES", "PID", ""), rows, ("GENERATION", "BYTES", "PID")))
    if boxes:
        read = [[each.name, "-" if each.unread is None else str(each.unread), each.type, each.reader, str(each.pid), each.machine] for each in boxes]
        say("\n" + table(("MAILBOX", "UNREAD", "TYPE", "READER", "PID", "MACHINE"), read, ("UNREAD", "PID")))


def restore(name: Name) -> None:
    """Goes back to the state of an object before the current one, which is kept beside it as ID.damaged."""
    now = restore_saved(name)
    say(f"{shown(now.name)}: generation {now.generation}, saved {moment(now.saved)}, is its state again")


def show_machines(json: Json = False) -> None:
    """Cores, memory, load and disks."""
    found = machines()
    if json:
        say_all(found)
        return
    size = _core.format_bytes
    rows = []
    for each in found:
        disks = ", ".join(f"{disk.path} {size(disk.free_bytes)} of {size(disk.bytes)} free" for disk in each.disks)
        rows.append([each.name, str(each.cores), f"{each.load:.2f}", size(each.memory_bytes), size(each.memory_available), disks or "-"])
    say(table(("MACHINE", "CORES", "LOAD", "MEMORY", "AVAILABLE", "DISKS"), rows, ("CORES", "LOAD", "MEMORY", "AVAILABLE")))


def add_commands(app: typer.Typer) -> None:
    """Puts them on the command line."""
    app.command("ps")(ps)
    app.command("kill")(kill)
    app.command("ls")(ls)
    app.command("restore")(restore)
    app.command("machines")(show_machines)
