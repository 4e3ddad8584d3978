# SPDX-License-Identifier: Apache-2.0
"""Turns what the libraries raise into Octavo's errors, which say what failed, where, and the cure."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from octavo._src.paths import shown
from octavo.errors import Error, IoError, NotSupported, Refused

MOST_TEXT = 400  # of a library's own message
CURES = {
    errno.ENOSPC: "Free space on that disk, or choose another",
    errno.EDQUOT: "Free space within your quota, or choose another disk",
    errno.EACCES: "Check the rights of the file and of its directories",
    errno.EPERM: "Check the rights of the file and of its directories",
    errno.EROFS: "Choose a file system that can be written to",
    errno.ENOENT: "Check the path",
    errno.ENOTDIR: "Check the path",
    errno.EMFILE: "Raise the number of open files: ulimit -n",
    errno.EIO: "See the system's log: the disk may be failing",
}
LOCKED = "Close the file where it is open for writing, then try again; or set HDF5_USE_FILE_LOCKING=FALSE if nobody writes to it"

KNOWN = (  # HDF5's words, what they mean, the cure
    (
        "file is already open for write",
        "it is open for writing by SWMR, or its program died while it was",
        "Close it where it is open; if that is nowhere, run: h5clear -s FILE",
    ),
    (
        "external raw data file",
        "its elements lie in another file, which is not found",
        "Set HDF5_EXTFILE_PREFIX to the directory that has that file, or work in the one in which it was written",
    ),
)


@contextmanager
def told(doing: Callable[[], str] | str, otherwise: str) -> Iterator[None]:
    """Within it, exceptions become Octavo's. `doing`: what failed and where; `otherwise`: the cure for what is not known better."""
    try:
        yield
    except Error:
        raise
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as failure:
        raise translated(failure, doing() if callable(doing) else doing, otherwise) from failure


def translated(failure: BaseException, doing: str, otherwise: str) -> Error:
    """The error for an exception of a library."""
    text = _text_of(failure)
    if isinstance(failure, MemoryError):
        return Refused(f"{doing}: there was not enough memory. Free memory, or store the array in smaller chunks: {text}")
    if type(failure).__name__ == "UnknownCodecError" or "codec not available" in text:
        return NotSupported(f"{doing}: {text}. Install the package that has this codec, or store the array with another")
    if isinstance(failure, ImportError):
        return NotSupported(f"{doing}: {text}. Install what is missing")
    if isinstance(failure, OSError):
        number = _errno_of(failure, text)
        if "lock file" in text:
            return IoError(f"{doing}: it is open elsewhere ({text}). {LOCKED}")
        for words, what, cure in KNOWN:
            if words in text:
                return IoError(f"{doing}: {what} ({text}). {cure}")
        if number in CURES:
            return IoError(f"{doing}: {os.strerror(number)}. {CURES[number]}")
    return IoError(f"{doing}: {text}. {otherwise}")


def _text_of(failure: BaseException) -> str:
    words = shown(" ".join(str(failure).split())).rstrip(".")
    return f"{type(failure).__name__}: {words}"[:MOST_TEXT] if words else type(failure).__name__


def _errno_of(failure: OSError, text: str) -> int:
    """HDF5 says the number within its text."""
    if failure.errno:
        return failure.errno
    found = re.search(r"errno = (\d{1,5})", text)
    return int(found[1]) if found else 0
