# SPDX-License-Identifier: Apache-2.0
"""The machines of an engine: whether an agent begins on each, what is there, and how fast it is reached."""

from __future__ import annotations

import fcntl
import os
import platform
import socket
import struct
from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypedDict

from octavo._src.checking.bandwidth import best_rate
from octavo._src.checking.echo import Echo, answered
from octavo._src.checking.finding import Finding
from octavo.errors import UsageError

if TYPE_CHECKING:
    from octavo import _core
    from octavo.objects.places import Place

SECTION = "machines"
BYTES = 8 << 20
CALLS = 50
SIOCGIFADDR = 0x8915  # of netdevice(7)
# What ssh says, and what is done about it.
ASKED = {
    "Permission denied": "ssh-copy-id {}",
    "Host key verification failed": "ssh {} true, and answer what it asks about the host's key",
    "Could not resolve hostname": "name it in ~/.ssh/config, or give another name",
    "Connection refused": "start sshd there, or give its port in ~/.ssh/config",
}


class There(TypedDict):
    """What a machine says of itself."""

    host: str
    addresses: list[str]
    cores: int
    python: str
    octavo: str


def engine_from(text: str, link: str, address: str) -> _core.Engine:
    """Of ``slurm``, ``ssh:NODE,NODE`` or ``played:NODE,NODE``."""
    import octavo

    name, _, machines = text.partition(":")
    listed = [each for each in machines.split(",") if each]
    options: dict[str, Any] = {key: value for key, value in (("link", link), ("address", address)) if value}
    if name == "slurm" and not listed:
        return octavo.slurm(**options)
    if name == "ssh" and listed:
        return octavo.ssh(listed, **options)
    if name == "played" and listed and not options:
        return octavo.played(listed)
    raise UsageError(f"--engine {text}. Give slurm, ssh:NODE,NODE or played:NODE,NODE; --link and --address only to the first two")


def find(engine: _core.Engine) -> Iterator[Finding]:
    """An agent on each, an object there, and a large array to it and back."""
    from octavo import Runtime

    with Runtime(engine=engine) as cluster:
        here = facts()
        for name in cluster.machines():
            try:
                yield from findings_on(name, cluster.machine(name), here)
            except Exception as failure:
                why = " ".join(str(failure).split())
                yield Finding(SECTION, f"{name}: agent", why, cure=next((cure.format(name) for said, cure in ASKED.items() if said in why), ""), works=False)


def findings_on(name: str, place: Place, here: There) -> Iterator[Finding]:
    """``here``: what this machine says. The first call begins the agent there."""
    import numpy as np

    import octavo

    begin = perf_counter()
    there = octavo.call(place, facts)
    yield Finding(SECTION, f"{name}: agent and first call", perf_counter() - begin, "s")
    yield Finding(SECTION, f"{name}: host", there["host"])
    yield Finding(SECTION, f"{name}: addresses", ", ".join(there["addresses"]) or "none but the loopback")
    yield Finding(SECTION, f"{name}: cores", there["cores"])
    for what, theirs, ours in (("python", there["python"], here["python"]), ("octavo", there["octavo"], here["octavo"])):
        yield Finding(SECTION, f"{name}: {what}", theirs, cure="" if theirs == ours else f"install {what} {ours} there, as here")
    echo = answered(place.make, Echo)
    try:
        answered(echo.number, 0)
        begin = perf_counter()
        for i in range(CALLS):
            echo.number(i)
        yield Finding(SECTION, f"{name}: round trip of a small call", (perf_counter() - begin) / CALLS * 1e6, "us")
        sent = np.arange(BYTES // 8, dtype="int64")
        yield Finding(SECTION, f"{name}: an array there and back", best_rate(2 * BYTES, lambda: echo.array(sent)), "GB/s")
    finally:
        octavo.destroy(echo)


def facts() -> There:
    """Of the machine that this is called on."""
    from octavo import __version__

    return {
        "host": platform.node(),
        "addresses": addresses(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "octavo": __version__,
    }


def addresses() -> list[str]:
    """Of its network interfaces, as ``eth0 10.0.0.7``; without the loopback."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, interface in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(any_socket, SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
            except OSError:  # it has none
                continue
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                found.append(f"{interface} {address}")
    return found
