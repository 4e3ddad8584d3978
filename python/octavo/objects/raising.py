# SPDX-License-Identifier: Apache-2.0
"""Exceptions between processes: the original with the remote traceback as its cause, and where it came from; as text where it cannot be pickled."""

import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from octavo.errors import Origin, RemoteError, RemoteTraceback, origin, text_of, type_name
from octavo.objects.by_value.exceptions import Alone
from octavo.objects.by_value.names import UnknownDefinition
from octavo.objects.by_value.peers import peers
from octavo.objects.pickling import cloud_dumps, loads, plain_dumps
from octavo.objects.trust import here

MOST_TOLD = 32 << 10  # characters of a traceback that goes through several processes
READ_ONLY = """
An array of octavo.empty() is shared with who sent it, and read-only where it arrives. \
Write to a copy (a.copy()) there, or give it away where it is sent: p.take(octavo.give(a))"""


def origin_of(text: str) -> Origin:
    kind, process, pid, machine = text.split("\n")
    return Origin(kind, int(process), int(pid), machine)


def describe(error: BaseException) -> tuple[str, str, str, bytes, str]:
    """Of an exception that leaves a process: its type, text, traceback, pickle (empty where it has none), and where it was raised, if that is elsewhere."""
    first = origin(error)
    return type_name(error), text_of(error), trace_of(error), pickle_of(error), "\n".join(map(str, first)) if first else ""


def trace_of(error: BaseException) -> str:
    """One that came from another process is not told anew: the lines of this process stand behind what was said there. Of very many calls between processes
    the first and the last are told."""
    cause = error.__cause__
    if not isinstance(cause, RemoteTraceback):
        try:
            return "".join(traceback.format_exception(error))
        except RecursionError:  # of an error at the end of the stack, which this would make anew
            return f"{type_name(error)}: the stack was full where its lines were to be told\n"
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename != __file__]
    trace = f"{cause.args[0]}\nThat was called by:\n{''.join(traceback.format_list(frames))}"
    if len(trace) <= MOST_TOLD:
        return trace
    begin, end = trace[: MOST_TOLD // 2].rpartition("\n")[0], trace[-MOST_TOLD // 2 :].partition("\n")[2]
    return f"{begin}\n\n... calls between processes that are left out here ...\n\n{end}"


def pickle_of(error: BaseException) -> bytes:
    """What the receiver can surely make an exception of again: tried here, as many exceptions can be pickled but not made again."""
    if not isinstance(error, Exception):  # SystemExit and KeyboardInterrupt would end the caller
        return b""
    if not here.pickle:
        return tried(error, error, plain_dumps)
    return tried(Alone(error), error, cloud_dumps) or tried(Alone(error, can_be_sent), error, cloud_dumps)


def tried(what: object, error: Exception, dumps: Callable[[object], bytes]) -> bytes:
    try:
        pickled = dumps(what)
        again: Any = loads(memoryview(pickled), [])
        is_same = type(again) is type(error) and text_of(again) == text_of(error) and len(again.args) == len(error.args)
    except Exception:
        return b""
    return pickled if is_same else b""


def can_be_sent(value: object) -> bool:
    try:
        cloud_dumps(value)
    except Exception:
        return False
    return True


def made_of(pickled: bytes) -> BaseException:
    error = loads(memoryview(pickled), [])
    if not isinstance(error, Exception):
        raise TypeError("no exception arrived where one belongs")
    return error


def raise_remote(name: str, text: str, trace: str, pickled: bytes, first: str, where: tuple[str, int, int, str, str] | None) -> NoReturn:
    """Raises what was raised in another process. ``where``: an Origin, and what the error has met on its way. ``first``: the Origin, if that process was told
    of it by another."""
    error: BaseException
    try:
        error = made_of(pickled) if pickled else RemoteError(f"{name}: {text}")
    except Exception:  # its class is not known here, or it is a pickle and none is read here
        error = RemoteError(f"{name}: {text}")
    if isinstance(error, UnknownDefinition):
        peers.clear()
    cause = RemoteTraceback(trace)
    if where is not None:
        cause.origin = origin_of(first) if first else Origin(*where[:4])
        cause.note = f"raised in {cause.origin}"
        told = "\n".join(getattr(error, "__notes__", ()))  # by another process on its way
        if where[4]:
            cause.note += f", {where[4]}"
        if isinstance(error, ValueError) and text.endswith(" is read-only") and READ_ONLY not in told:  # NumPy's words
            cause.note += READ_ONLY
        if hasattr(error, "add_note") and cause.note not in told:
            with suppress(Exception):  # of a frozen class
                error.add_note(cause.note)
    raise error from cause
