# SPDX-License-Identifier: Apache-2.0
"""Calls that wait: their arguments as they are when the call is made, for whichever worker will be free.

Definitions that travel by value are referred to, and taught to the worker when it is known.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable
from types import FunctionType
from typing import Any, cast

from octavo import _core
from octavo.objects.by_value.peers import MANY_FORGOTTEN, Body, Key, Peer, ReferringPickler, peers
from octavo.objects.trust import here


class Unfit(Exception):
    """Memory that is handed over, or shared: it goes with a call of its own."""


def within(buffer: pickle.PickleBuffer) -> bool:
    memory = memoryview(buffer).obj
    if isinstance(memory, _core.SegmentMemory | _core.ChannelEnd | _core.Block) or _core.is_to_be_given(memory):
        raise Unfit
    return True


plain_kinds = frozenset({int, float, complex, bool, str, bytes, type(None)})  # which refer to no definition


class Nobody:
    """A peer that is not known yet."""

    def knows(self, token: bytes) -> bool:
        return False

    @property
    def sent(self) -> Nobody:
        return self

    def changed_for(self, function: FunctionType) -> None:
        return None


nobody = cast(Peer, Nobody())


class Packed:
    """A value, and the definitions that it refers to."""

    __slots__ = ("bytes", "has_functions", "refers_to")

    def __init__(self, value: object) -> None:
        """Raises what pickling does, and Unfit."""
        self.refers_to: dict[bytes, object] = {}
        self.has_functions = False
        if not here.pickle:
            from octavo.objects.pickling import plain_dumps

            self.bytes = plain_dumps(value, within)
            return
        if type(value) is tuple and plain_kinds.issuperset(map(type, value)):  # a tenth of the time
            self.bytes = pickle.dumps(value, protocol=5)
            return
        with io.BytesIO() as file:
            pickler = ReferringPickler(file, nobody, within)
            pickler.dump(value)
            self.bytes = file.getvalue()
        if pickler.has_functions or pickler.unknown:
            self.refers_to, self.has_functions = pickler.unknown, pickler.has_functions


def teach(key: Key, packed: Iterable[Packed]) -> None:
    """Before these are sent there."""
    refers_to: dict[bytes, object] = {}
    has_functions = False
    for each in packed:
        if each.refers_to:
            refers_to.update(each.refers_to)
            has_functions = has_functions or each.has_functions
    if not refers_to:
        return
    peer = peers.at(key)
    peer.look()
    unknown: dict[bytes, object] = {}
    rebound: list[Any] = []
    for token, what in refers_to.items():
        if not peer.knows(token):
            unknown[token] = what
        if isinstance(what, Body) and (changed := peer.sent.changed_for(what.function)) is not None and token not in unknown:
            rebound.append(changed)
    if has_functions:
        rebound += [*peer.sent.redefined(), *peer.sent.redefaulted()]
    if unknown or rebound or len(peer.forgotten) >= MANY_FORGOTTEN:
        peer.teach(unknown, rebound)
