# SPDX-License-Identifier: Apache-2.0
"""Other programs that use the names of a test, and the arrays that the tests make."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import octavo
from kit import Array, noise

T = TypeVar("T")
SHAPE, PAGE = (12, 10, 9), (4, 4, 4)  # not a multiple of the page
VALUES = noise(SHAPE)


def program(text: str, status: int = 0) -> str:
    """Runs it to its end; what it printed."""
    beginning = "import os, signal, sys\nimport numpy as np\nimport octavo as ov\n"
    ended = subprocess.run([sys.executable, "-c", beginning + textwrap.dedent(text)], text=True, capture_output=True, timeout=60, check=False)
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout


def make(name: str, values: Array | None = VALUES) -> octavo.Array:
    """Over two page files in the directory of the test."""
    files = [f"{name.rpartition('/')[2]}.{number}" for number in range(2)]
    made = octavo.named(name).make_array(SHAPE, PAGE, "complex128", files)
    if values is not None:
        made[...] = values
    return made


def all_of(name: str) -> Array:
    with octavo.open_array(name) as opened:
        return np.asarray(opened[...])


def devices_of(name: str) -> list[octavo.naming.NamedFacts]:
    return [each for each in octavo.naming.names(f"{name}/device") if each.class_name == "octavo::PageFile"]


def kill_devices(name: str) -> None:
    for each in devices_of(name):
        os.kill(each.pid, signal.SIGKILL)


def again(call: Callable[[], T], seconds: float = 20) -> T:
    """What a call gives once the device is there again: the calls that its death met have failed."""
    begin = time.monotonic()
    while True:
        try:
            return call()
        except octavo.ProcessDied:
            assert time.monotonic() - begin < seconds
