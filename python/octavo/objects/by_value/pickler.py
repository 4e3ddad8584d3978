# SPDX-License-Identifier: Apache-2.0
"""The pickler: cloudpickle's, with definitions that have tokens (``registry.py``). Whole, they may be sent to anybody; to a process that was taught them
(``peers.py``) a reference goes instead.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import io
import pickle
from collections.abc import Callable, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any, ClassVar

import cloudpickle

from octavo.objects.by_value import classes, enums, functions, others
from octavo.objects.by_value.code import reduce_code
from octavo.objects.by_value.exceptions import reduce_exception
from octavo.objects.by_value.held import resolve, sender
from octavo.objects.by_value.names import by_value_modules
from octavo.objects.by_value.namespaces import Namespace
from octavo.objects.by_value.registry import registry
from octavo.objects.by_value.size import warn_of_size

Reduced = Any  # what a reducer gives: a tuple, or NotImplemented
Digests = dict[str, bytes | None]


class Reference:
    """Stands for what functions are made of, which the receiver knows."""

    def __init__(self, token: bytes) -> None:
        self.token = token

    def __reduce__(self) -> Reduced:
        return resolve, (sender(), self.token)


class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Sends definitions whole."""

    reducers: ClassVar[dict[type, Callable[[Pickler, Any], Reduced]]] = {
        FunctionType: functions.reduce_function,
        CodeType: reduce_code,
        CellType: functions.reduce_cell,
        Namespace: functions.reduce_namespace,
        type: classes.reduce_class,
        **others.reducers,
    }

    takes_source = True
    is_trial = False

    def __init__(self, file: io.BytesIO, beside: Callable[[pickle.PickleBuffer], Any] | None = None) -> None:
        super().__init__(file, protocol=5, buffer_callback=beside)
        self.modules = by_value_modules()
        self.depths: dict[int, int] = {}  # of exceptions that caused others, by id

    def reducer_override(self, what: Any) -> Reduced:
        kind = type(what)
        reduce = self.reducers.get(kind)
        if reduce is not None:
            return reduce(self, what)
        if issubclass(kind, type):
            return classes.reduce_class(self, what)
        if isinstance(kind, enum.EnumMeta):
            return enums.reduce_member(self, what)
        if issubclass(kind, functools.cached_property):
            return others.reduce_cached_property(self, what)
        if issubclass(kind, BaseException):
            return reduce_exception(self, what)
        return NotImplemented

    def can_send(self, what: object) -> bool:
        """Tried, by a pickler that tries nothing itself, and takes no causes along."""
        if self.is_trial:
            return False
        with io.BytesIO() as file:
            trial = Pickler(file)
            trial.is_trial = True
            try:
                trial.dump(what)
            except Exception:
                return False
        return True

    def of_code_within(self, file: io.BytesIO) -> Pickler:
        """Of code in code, which is of the same source."""
        made = Pickler(file)
        made.takes_source = False
        return made

    def reference(self, what: object) -> Reduced:
        """None: it goes whole."""
        return None

    def reference_to_body(self, token: bytes, function: FunctionType) -> tuple[Reference] | None:
        return None

    def digests_of(self, function: FunctionType, values: Mapping[str, Any]) -> Digests:
        """By which the receiver sees whether a global that it knows has changed. Without one it stays as it is there."""
        return {}

    def digest_of_defaults(self, function: FunctionType) -> bytes | None:
        """By which the receiver sees whether they have changed."""
        return None


class FirstPickler(Pickler):
    """Of what is sent once to one that knows nothing yet."""

    def digests_of(self, function: FunctionType, values: Mapping[str, Any]) -> Digests:
        digests: Digests = {}
        for name, value in values.items():
            digests[name], size = digest_of(value)
            warn_of_size(function, name, size)
        return digests

    def digest_of_defaults(self, function: FunctionType) -> bytes | None:
        return digest_of((function.__defaults__, function.__kwdefaults__))[0]


class DigestPickler(Pickler):
    """Of what is compared only."""

    def reference(self, what: object) -> Reduced:
        return resolve, (b"", registry.token(what))

    def reference_to_body(self, token: bytes, function: FunctionType) -> tuple[Reference]:
        return (Reference(token),)


def digest_of(value: object) -> tuple[bytes | None, int]:
    """And how many bytes were looked at. None: it cannot be sent, as whoever sends it is told."""
    seen, beside = hashlib.blake2b(digest_size=16), 0

    def add(buffer: pickle.PickleBuffer) -> None:
        nonlocal beside
        with buffer.raw() as raw:
            seen.update(raw)
            beside += raw.nbytes

    with io.BytesIO() as file:
        try:
            DigestPickler(file, add).dump(value)
        except Exception:
            return None, 0
        seen.update(file.getbuffer())
        return seen.digest(), beside + file.tell()
