# SPDX-License-Identifier: Apache-2.0
"""Code by value. It keeps the name of its file, and takes its source along where that is in no file, for tracebacks and ``breakpoint()``."""

from __future__ import annotations

import io
import linecache
import pickle
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING

import cloudpickle

from octavo.objects.by_value.registry import registry

if TYPE_CHECKING:
    from octavo.objects.by_value.pickler import Pickler, Reduced

FILE_NAME = 10  # which argument of CodeType(), in Python 3.10 and all after it


def reduce_code(pickler: Pickler, code: CodeType) -> Reduced:
    """As a pickle within the pickle: it is written once here, and read once there."""
    entry = registry.entry(code)
    if entry.pickled is None:
        entry.pickled = pickled(pickler, code)
    lines = source_in_no_file(code.co_filename) if pickler.takes_source else None
    return (make_code, (entry.token, entry.pickled), lines, None, None, keep_source) if lines else (make_code, (entry.token, entry.pickled))


def pickled(pickler: Pickler, code: CodeType) -> bytes:
    """As cloudpickle does it, which since 3.1 puts ``<dynamic-code>`` for the file's name."""
    _, given = cloudpickle.Pickler.dispatch_table[CodeType](code)
    with io.BytesIO() as file:
        pickler.of_code_within(file).dump((*given[:FILE_NAME], code.co_filename, *given[FILE_NAME + 1 :]))
        return file.getvalue()


def make_code(token: bytes, data: bytes) -> CodeType:
    known: CodeType | None = registry.find(token)
    return registry.arrive(token, CodeType(*pickle.loads(data))) if known is None else known


def source_in_no_file(name: str) -> list[str] | None:
    """The lines of a cell of a notebook, of what was typed, and of other code whose source only this process has. The same list each time: sent once."""
    entry = linecache.cache.get(name)
    if entry is None or len(entry) != 4 or (entry[1] is not None and Path(name).exists()):
        return None
    return entry[2]


def keep_source(code: CodeType, lines: list[str]) -> None:
    """Where such code arrives."""
    entry = linecache.cache.get(code.co_filename)
    if entry is None or (len(entry) == 4 and entry[1] is None):
        linecache.cache[code.co_filename] = sum(map(len, lines)), None, lines, code.co_filename
