# SPDX-License-Identifier: Apache-2.0
"""The disk's own rate, and how a job's time is set against it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "raw_disk"
APART = 1.5  # where the raws around a job differ by more, the disk was not the same disk before and after


@dataclass(frozen=True)
class Raw:
    """GB/s, sequential, O_DIRECT, 4 MiB, 8 at once, huge pages; the write with its fsync."""

    read: float
    write: float

    def seconds(self, bytes_each_way: int, passes: int) -> float:
        """The least time for so many passes, each reading and writing all."""
        return passes * bytes_each_way / 1e9 * (1 / self.read + 1 / self.write)


def measure(stem: Path, size: int) -> Raw:
    """``stem``.0 is made at the first call and kept."""
    if not PROGRAM.exists():
        raise SystemExit(f"bench: {PROGRAM} is missing: run ./dev build first")
    done = subprocess.run([str(PROGRAM), str(stem), str(size)], stdout=subprocess.PIPE, text=True, check=True)
    facts = json.loads(done.stdout)
    return Raw(facts["read_gbs"], facts["write_gbs"])


def mean(before: Raw, after: Raw) -> Raw:
    return Raw((before.read + after.read) / 2, (before.write + after.write) / 2)


def agree(before: Raw, after: Raw) -> bool:
    pairs = ((before.read, after.read), (before.write, after.write))
    return all(max(pair) <= APART * min(pair) for pair in pairs)


def read_ahead_kb(path: Path) -> int | None:
    """Of the disk that ``path`` is on: what costs NumPy's memmap most. None where it is no plain disk."""
    device = path.stat().st_dev
    block = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
    for settings in (block / "queue", block.parent / "queue"):
        if (settings / "read_ahead_kb").exists():
            return int((settings / "read_ahead_kb").read_text())
    return None
