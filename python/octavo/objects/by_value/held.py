# SPDX-License-Identifier: Apache-2.0
"""Definitions that other processes have taught this one. They are kept as long as their senders may refer to them."""

from __future__ import annotations

import os
import uuid
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from octavo.objects.by_value.names import UnknownDefinition
from octavo.objects.by_value.registry import registry

MOST_SENDERS = 4096


class Failed:
    """Instead of definitions that could not be made here."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Held:
    """By sender: each says for itself which it needs no more."""

    def __init__(self) -> None:
        self._pid = 0
        self._me = b""
        self._of_senders: OrderedDict[bytes, dict[bytes, Any]] = OrderedDict()

    def me(self) -> bytes:
        """This process as a sender. A child of fork(2) is another."""
        if self._pid != os.getpid():
            self._pid, self._me = os.getpid(), uuid.uuid4().bytes
        return self._me

    def hold(self, by: bytes, definitions: dict[bytes, Any], forgotten: Iterable[bytes]) -> None:
        held = self._of_senders.setdefault(by, {})
        self._of_senders.move_to_end(by)
        held.update(definitions)
        for token in forgotten:
            held.pop(token, None)
        while len(self._of_senders) > MOST_SENDERS:
            self._of_senders.popitem(last=False)

    def find(self, by: bytes, token: bytes) -> Any:
        found = self._of_senders.get(by, {}).get(token)
        if found is None:
            found = registry.find(token)
        if found is None:
            raise UnknownDefinition("a definition that is not known here any more was referred to. Call again: it is sent again")
        if isinstance(found, Failed):
            raise found.error
        return found


held = Held()


def resolve(by: bytes, token: bytes) -> Any:
    """What a reference stands for."""
    return held.find(by, token)


def sender() -> bytes:
    return held.me()
