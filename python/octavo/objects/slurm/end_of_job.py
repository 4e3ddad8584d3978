# SPDX-License-Identifier: Apache-2.0
"""The end of a job of Slurm, or of its time: SIGTERM, then some seconds until all is killed. A program that leaves it to Python would be gone at once, with all
objects on its node; SystemExit lets ``with`` and ``finally`` do their work."""

import os
import signal
import sys
import threading
from types import FrameType

STATUS = 128 + signal.SIGTERM


def exit_in_order(number: int, frame: FrameType | None) -> None:
    del number, frame
    sys.exit(STATUS)


def begin() -> bool:
    """In a job, where the program has said nothing of its own: SIGTERM is SystemExit from now on. False: it stays as it is."""
    if "SLURM_JOB_ID" not in os.environ or threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return False
    signal.signal(signal.SIGTERM, exit_in_order)
    return True


def end() -> None:
    """As before begin(), where the program has not set its own since."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is exit_in_order:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
