# SPDX-License-Identifier: Apache-2.0
"""The end of a child that a method has forked: as of one that a function at the top of a program has, and no answer to the method's caller."""

import os
import sys
import threading
from typing import NoReturn

from octavo.objects.server.output import flush_output


def end_with(raised: BaseException | None) -> NoReturn:
    """What the method raised there; None: it returned. Without ``atexit``, which is the object's."""
    status = 1
    try:
        status = status_of(raised)
        threading._shutdown()  # type: ignore[attr-defined]  # waits for the child's own threads
        flush_output()
    finally:
        os._exit(status)


def status_of(raised: BaseException | None) -> int:
    """What is to be shown of it is shown."""
    if raised is None:
        return 0
    if not isinstance(raised, SystemExit):
        sys.excepthook(type(raised), raised, raised.__traceback__)
        return 1
    if raised.code is None or isinstance(raised.code, int):
        return int(raised.code or 0) & 0xFF
    print(raised.code, file=sys.stderr)
    return 1
