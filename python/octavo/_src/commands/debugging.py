# SPDX-License-Identifier: Apache-2.0
"""The command octavo debug: attaches to a breakpoint() in the process of an object (octavo/objects/server/debugging.py)."""

from __future__ import annotations

import os
import selectors
import socket
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from octavo.errors import GoneError, Refused, UsageError
from octavo.objects.server.debugging import PREFIX, peer_of

Pid = Annotated[int | None, typer.Argument(help="The PID that the breakpoint says. The one that waits if not given.")]


class Named(NamedTuple):
    """A socket by whose name a breakpoint of this process waits, if it is that process's: anybody may take such a name."""

    name: str
    pid: int
    inode: str


def named(pid: int | None) -> list[Named]:
    """Those of a process (None: of any)."""
    found = []
    for line in Path(f"/proc/{pid or 'self'}/net/unix").read_text().splitlines():
        *_, inode, name = line.split()
        owner = name.removeprefix(f"@{PREFIX}").partition("-")[0]
        if name.startswith(f"@{PREFIX}") and owner.isdecimal() and pid in (None, int(owner)):
            found.append(Named(name[1:], int(owner), inode))
    return found


def has(each: Named) -> bool:
    """Whether the process has that socket, as far as this one may know."""
    wanted = Path(f"socket:[{each.inode}]")
    try:
        return any(target_of(file) == wanted for file in Path(f"/proc/{each.pid}/fd").iterdir())
    except OSError:  # it is gone, or another user's
        return False


def target_of(descriptor: Path) -> Path | None:
    """None where it was closed meanwhile."""
    try:
        return descriptor.readlink()
    except OSError:
        return None


def waiting(pid: int | None) -> dict[str, int]:
    """Names of sockets at which a breakpoint of this process waits (None: of any), with the pid."""
    return {each.name: each.pid for each in named(pid) if has(each)}


def attach(name: str, pid: int) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(f"\0{name}")
    except OSError as problem:
        connection.close()
        raise GoneError(f"the breakpoint of process {pid} is gone, or another has attached to it: {problem}") from problem
    if peer_of(connection) != (pid, os.geteuid()):
        connection.close()
        raise refused(pid)
    return connection


def refused(pid: int) -> Refused:
    return Refused(f"the breakpoint of process {pid} is another user's, or another process has taken its name. Attach as the user that the process runs as")


def relay(connection: socket.socket) -> None:
    """Lines of standard input go there, what comes is printed; until the other end is done."""
    with selectors.DefaultSelector() as ready:
        ready.register(connection, selectors.EVENT_READ)
        try:
            ready.register(sys.stdin.fileno(), selectors.EVENT_READ)
        except PermissionError:  # a file, which is always ready
            connection.sendall(sys.stdin.buffer.read())
            connection.shutdown(socket.SHUT_WR)
        while True:
            for key, _ in ready.select():
                if key.fileobj is connection:
                    try:
                        came = connection.recv(65536)
                    except ConnectionResetError:
                        came = b""
                    if not came:
                        return
                    sys.stdout.buffer.write(came)
                    sys.stdout.buffer.flush()
                elif typed := os.read(sys.stdin.fileno(), 65536):
                    try:
                        connection.sendall(typed)
                    except BrokenPipeError:
                        return
                else:
                    ready.unregister(sys.stdin.fileno())
                    connection.shutdown(socket.SHUT_WR)


def debug(pid: Pid = None) -> None:
    """Attach to a breakpoint() in a remote method: pdb. Quitting lets the method go on."""
    try:
        found = waiting(pid)
        claimed = [] if found else named(pid)
    except FileNotFoundError:
        raise UsageError(f"there is no process {pid}. Give the pid that the breakpoint says, on its machine") from None
    if claimed:
        raise refused(claimed[0].pid)
    if not found:
        raise UsageError(f"no breakpoint waits {f'in process {pid}' if pid else 'on this machine'}")
    if len(set(found.values())) > 1:
        raise UsageError(f"breakpoints wait in several processes. Give one: {', '.join(map(str, sorted(set(found.values()))))}")
    name, owner = min(found.items())
    with attach(name, owner) as connection:
        try:
            relay(connection)
        except KeyboardInterrupt:
            typer.echo("\noctavo: the method goes on", err=True)


def add_commands(app: typer.Typer) -> None:
    app.command()(debug)
