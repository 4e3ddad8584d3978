# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C reaches all processes of a terminal's group. The program decides what becomes of it: its objects do nothing, whatever sets a handler and sets it
back (``asyncio.run``), and what they start or fork has it as every program does."""

import os
import signal
from types import FrameType


def nothing(_number: int, _frame: FrameType | None) -> None:
    """The handler of SIGINT in the process of an object: a real one, as an ignored signal is handed on to programs that are started."""


def leave_to_program() -> None:
    """Where it is not ignored already, as in a background job. (The library does the same beneath Python, so that nothing is woken.)"""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, nothing)


def take_again() -> None:
    if signal.getsignal(signal.SIGINT) is nothing:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def take_again_in_forks() -> None:
    """Of the object (``os.fork``, multiprocessing): they are no objects."""
    os.register_at_fork(after_in_child=take_again)
