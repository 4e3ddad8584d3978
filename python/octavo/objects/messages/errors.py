# SPDX-License-Identifier: Apache-2.0
"""Errors of queues and barriers that are those of the standard's, too; found in octavo.errors."""

import queue
import sys
import threading

from octavo.errors import GoneError


class BrokenBarrier(GoneError, threading.BrokenBarrierError):
    """Not all came to a barrier, and they will not any more: one died, was out of time, or it was aborted."""


if sys.version_info >= (3, 13):

    class QueueShutDown(GoneError, queue.ShutDown):
        """Nothing is put into this queue any more, or comes out of it."""

else:

    class QueueShutDown(GoneError):
        """Nothing is put into this queue any more, or comes out of it."""


for _each in (BrokenBarrier, QueueShutDown):
    _each.__module__ = "octavo.errors"
