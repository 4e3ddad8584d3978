# SPDX-License-Identifier: Apache-2.0
"""What /proc, /sys and the kernel itself say. What is not there is None or empty."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
import resource
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MEMBARRIER = {"x86_64": 324, "aarch64": 283}
IO_URING_SETUP = 425


def text_of(path: str | Path) -> str:
    """What a file of the kernel says; empty if there is none that can be read."""
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return ""


def number_of(path: str | Path) -> int | None:
    """The same as a number."""
    text = text_of(path)
    return int(text) if text.lstrip("-").isdecimal() else None


def chosen(text: str) -> str:
    """The word in brackets: "never" of "always [never]"."""
    found = re.search(r"\[(\w+)\]", text)
    return found[1] if found else ""


def soft_limit(which: int) -> tuple[int | str, int | str]:
    """Of this process, and the most it may set it to."""
    soft, hard = ("unlimited" if each == resource.RLIM_INFINITY else each for each in resource.getrlimit(which))
    return soft, hard


def call_kernel(number: int, *arguments: object) -> int:
    """A system call; what is negative is an error number."""
    library = ctypes.CDLL(None, use_errno=True)
    result = int(library.syscall(number, *arguments))
    return -ctypes.get_errno() if result < 0 else result


def io_uring_refusal() -> str:
    """The name of the error with which the kernel refuses a ring; empty: it gives one."""
    parameters = ctypes.create_string_buffer(120)
    result = call_kernel(IO_URING_SETUP, 4, parameters)
    if result < 0:
        return errno.errorcode.get(-result, str(-result))
    os.close(result)
    return ""


def membarrier_mask() -> int | None:
    """The commands of membarrier(2) that the kernel has; None where it cannot be asked."""
    number = MEMBARRIER.get(platform.machine())
    if number is None:
        return None
    mask = call_kernel(number, 0, 0)
    return mask if mask >= 0 else None


def cpu_groups() -> Iterator[Path]:
    """The folders of this process's group and those above it, of either version."""
    for line in text_of("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = Path("/sys/fs/cgroup", controllers)
        if controllers and not root.is_dir():
            root = Path("/sys/fs/cgroup/cpu")
        here = PurePosixPath(path)
        for each in (here, *here.parents):
            yield root / each.relative_to("/")


def cgroup_cores() -> float | None:
    """The cores' worth of time that the groups leave this process; None: they set no limit."""
    found = []
    for folder in cpu_groups():
        quota, _, period = text_of(folder / "cpu.max").partition(" ")
        if not quota:
            quota, period = text_of(folder / "cpu.cfs_quota_us"), text_of(folder / "cpu.cfs_period_us")
        if quota.isdecimal() and period.isdecimal() and int(period) > 0:
            found.append(int(quota) / int(period))
    return min(found, default=None)
