# SPDX-License-Identifier: Apache-2.0
"""Which definitions this process knows. Each has a token, given by the process that first sent it: one defined anew has another, whatever its name is."""

from __future__ import annotations

import os
import threading
import uuid
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

D = TypeVar("D")


class Entry:
    """Of one definition. It does not keep it."""

    __slots__ = ("complete", "defaults", "namespace", "pickled", "token", "warned", "what")

    def __init__(self, token: bytes, what: weakref.ref[Any], complete: bool) -> None:
        self.token, self.what, self.complete = token, what, complete
        self.namespace: bytes | None = None  # of code: the namespace that it was first seen in
        self.pickled: bytes | None = None  # of code
        self.defaults: bytes | None = None  # a digest of those that a function arrived with
        self.warned = False  # of the size of its globals


class Registry:
    """Definitions by identity: they may be equal, or have no hash."""

    def __init__(self) -> None:
        self._by_id: dict[int, Entry] = {}
        self._by_token: dict[bytes, Entry] = {}
        self.hooks = threading.RLock()  # classes.py
        self._lock = threading.RLock()  # a collection within may end another definition
        self.ended: list[Callable[[bytes], None]] = []  # told of the token of each that is collected

    def entry(self, what: object) -> Entry:
        """Of a definition of this process, which gets a token if it has none."""
        found = self._by_id.get(id(what))
        return found if found is not None else self._enter(uuid.uuid4().bytes, what, complete=True)

    def token(self, what: object) -> bytes:
        return self.entry(what).token

    def find(self, token: bytes) -> Any:
        found = self._by_token.get(token)
        return None if found is None else found.what()

    def has(self, what: object) -> bool:
        return id(what) in self._by_id

    def arrive(self, token: bytes, made: D) -> D:
        """One that was made of what arrived, and is not complete yet; or what another thread has made of it meanwhile."""
        with self._lock:
            known = self.find(token)
            if known is not None:
                return known  # type: ignore[no-any-return]
            self._enter(token, made, complete=False)
            return made

    def begin_completion(self, what: object) -> bool:
        """Whether a definition that arrived has no state yet. What is known already is left alone."""
        found = self._by_id.get(id(what))
        return found is None or not found.complete

    def complete(self, what: object) -> None:
        found = self._by_id.get(id(what))
        if found is not None:
            found.complete = True

    def _enter(self, token: bytes, what: object, *, complete: bool) -> Entry:
        key = id(what)

        def end(_: object) -> None:
            with self._lock:
                if self._by_id.get(key) is entry:
                    del self._by_id[key]
                if self._by_token.get(token) is entry:
                    del self._by_token[token]
            for tell in self.ended:
                tell(token)

        with self._lock:
            found = self._by_id.get(key)
            if found is not None:
                return found
            entry = Entry(token, weakref.ref(what, end), complete)
            self._by_id[key] = self._by_token[token] = entry
            return entry

    def renew_locks(self) -> None:
        """In a child of fork(2): another thread may have had one, and is not there to give it back."""
        self.hooks = threading.RLock()
        self._lock = threading.RLock()


registry = Registry()
os.register_at_fork(after_in_child=registry.renew_locks)
