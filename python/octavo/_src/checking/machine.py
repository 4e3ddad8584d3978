# SPDX-License-Identifier: Apache-2.0
"""The processor, and what the kernel and a container allow."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator

from octavo import _core
from octavo._src.checking.finding import Finding
from octavo._src.checking.kernel_files import cgroup_cores, io_uring_refusal, membarrier_mask, number_of, soft_limit, text_of

SECTION = "machine"
GOVERNOR = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
ALL_GOVERNORS = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
URING_DISABLED = "/proc/sys/kernel/io_uring_disabled"
ENOUGH_FILES = 65536
EXPEDITED = {1 << 1: "global", 1 << 3: "private"}  # the commands of membarrier(2) that Octavo uses


def find() -> Iterator[Finding]:
    """From the processor to the limits."""
    facts = _core.machine_facts()
    yield Finding(SECTION, "processor", processor())
    yield Finding(SECTION, "cores", facts["cores"], limit=os.cpu_count())
    yield Finding(SECTION, "load of the last minute", facts["load"])
    yield Finding(SECTION, "memory", facts["memory_bytes"], "bytes", os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))  # less by cgroup
    cores = cgroup_cores()
    few = "" if cores is None or cores >= facts["cores"] else f"docker update --cpus {facts['cores']} CONTAINER, or CPUQuota= of the systemd unit"
    yield Finding(SECTION, "cores by cgroup", "no limit" if cores is None else cores, cure=few)
    if governor := text_of(GOVERNOR):
        slow = "" if governor == "performance" else f"echo performance | sudo tee {ALL_GOVERNORS}"
        yield Finding(SECTION, "frequency governor", governor, limit="performance", cure=slow)
    yield open_files()
    yield io_uring()
    yield membarrier()


def processor() -> str:
    """Its model."""
    found = re.search(r"^model name\s*:\s*(.+)$", text_of("/proc/cpuinfo"), re.MULTILINE)
    return found[1] if found else "unknown"


def open_files() -> Finding:
    """Each object takes some descriptors of its program."""
    soft, hard = soft_limit(resource.RLIMIT_NOFILE)
    most = ENOUGH_FILES if isinstance(hard, str) else min(hard, ENOUGH_FILES)
    low = isinstance(soft, int) and soft < most
    return Finding(SECTION, "RLIMIT_NOFILE", soft, limit=hard, cure=f"ulimit -n {most}" if low else "")


def io_uring() -> Finding:
    """Without it disks are read and written by threads."""
    refusal = io_uring_refusal()
    if not refusal:
        return Finding(SECTION, "io_uring", "works")
    disabled = number_of(URING_DISABLED)
    cure = f"echo 0 | sudo tee {URING_DISABLED}" if disabled else "docker run --security-opt seccomp=unconfined, if this is a container"
    return Finding(SECTION, "io_uring", f"{refusal}: disks are read and written by threads", limit="works", cure=cure)


def membarrier() -> Finding:
    """Without it a thread that waits looks again from time to time."""
    mask = membarrier_mask()
    if mask is None:
        return Finding(SECTION, "membarrier", "not there", limit="global, private")
    has = [name for bit, name in EXPEDITED.items() if mask & bit]
    return Finding(SECTION, "membarrier", ", ".join(has) or "not there", limit="global, private")
