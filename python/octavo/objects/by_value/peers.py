# SPDX-License-Identifier: Apache-2.0
"""What other processes know of the definitions of this one: each is taught them once, by a call before the first that needs them, and then referred to.

Calls are served in the order in which they were begun, but for those that call an object back while it waits (C-3). So a process that hosts objects counts on
what it taught only when that was answered.
"""

from __future__ import annotations

import io
import pickle
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from octavo import _core
from octavo.objects.by_value.functions import bring_defaults, rebind, reduce_body
from octavo.objects.by_value.held import resolve, sender
from octavo.objects.by_value.namespaces import Namespace, namespaces
from octavo.objects.by_value.pickler import Digests, FirstPickler, Pickler, Reduced, Reference, digest_of
from octavo.objects.by_value.registry import registry
from octavo.objects.by_value.sent import Rebinding, Redefaulting, Sent, SentGlobals
from octavo.objects.by_value.size import warn_of_size

MOST_PEERS = 4096  # one that is forgotten is taught again
MANY_FORGOTTEN = 256  # a call of their own tells of so many
Key = tuple[int, int, int]  # the address of an object


class Body:
    """Of these functions, which are made anew each time: what stays."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function


class Peer:
    """What one process was taught by this one."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.known: dict[bytes, bool] = {}  # by token: whether it has answered
        self.forgotten: list[bytes] = []
        self.sent = SentGlobals()
        self._lessons: list[tuple[Any, list[bytes]]] = []
        self._lock = threading.Lock()

    def knows(self, token: bytes) -> bool:
        answered = self.known.get(token)
        return answered is not None and (answered or not is_served())

    def look(self) -> None:
        """At what was answered meanwhile."""
        if not self._lessons:
            return
        with self._lock:
            done = [each for each in self._lessons if each[0].done()]
            self._lessons = [each for each in self._lessons if each not in done]
        for lesson, tokens in done:
            learnt = has_worked(lesson)
            for token in tokens:
                if token in self.known:
                    if learnt:
                        self.known[token] = True
                    else:
                        self.known.pop(token, None)

    def teach(self, unknown: dict[bytes, object], rebound: list[Rebinding | Redefaulting]) -> None:
        """Begins to, before the call that refers to them."""
        forgotten, self.forgotten = self.forgotten, []
        beside: list[pickle.PickleBuffer] = []
        with io.BytesIO() as file:
            pickler = Lesson(file, self, beside.append)
            pickler.dump([*unknown.values(), *rebound])
            data = file.getvalue()
        what = sender(), list(unknown), list(pickler.within), data, [pickle.PickleBuffer(each) for each in beside], forgotten
        lesson = _core.start_perform(pointer_to(self.key), "learn", what)
        tokens = [*unknown, *pickler.within]
        with self._lock:
            self._lessons.append((lesson, tokens))
        peers.note_taught(self, tokens)
        self.known.update((token, False) for token in tokens if not self.known.get(token))


class ReferringPickler(Pickler):
    """To one that was taught, or is to be before this arrives."""

    def __init__(self, file: io.BytesIO, peer: Peer, beside: Callable[[pickle.PickleBuffer], Any] | None) -> None:
        super().__init__(file, beside)
        self.peer = peer
        self.unknown: dict[bytes, object] = {}
        self.rebound: list[Rebinding | Redefaulting] = []
        self.has_functions = False

    def reference(self, what: object) -> Reduced:
        token = registry.token(what)
        self.has_functions = self.has_functions or not isinstance(what, type)
        if not self.peer.knows(token):
            self.unknown[token] = what
        return resolve, (sender(), token)

    def reference_to_body(self, token: bytes, function: FunctionType) -> tuple[Reference]:
        if not self.peer.knows(token):
            self.unknown[token] = Body(function)
        self.has_functions = True
        changed = self.peer.sent.changed_for(function)
        if changed is not None and token not in self.unknown:
            self.rebound.append(changed)
        return (Reference(token),)


class Lesson(FirstPickler):
    """Definitions that a peer does not know, with what they need of others that it does not know."""

    def __init__(self, file: io.BytesIO, peer: Peer, beside: Callable[[pickle.PickleBuffer], Any]) -> None:
        super().__init__(file, beside)
        self.peer = peer
        self.within: dict[bytes, None] = {}

    def reducer_override(self, what: Any) -> Reduced:
        if type(what) is Body:
            return reduce_body(self, what.function)
        if type(what) is Rebinding:
            return rebind, ((what.namespace, what.values, self.digests(what.namespace, what.values), []),)
        if type(what) is Redefaulting:
            function = what.function
            return bring_defaults, (function, function.__defaults__, function.__kwdefaults__, self.digest_of_defaults(function))
        return super().reducer_override(what)

    def digest_of_defaults(self, function: FunctionType) -> bytes | None:
        self.peer.sent.note_defaults(function)
        return super().digest_of_defaults(function)

    def digests_of(self, function: FunctionType, values: Mapping[str, Any]) -> Digests:
        return self.digests(namespaces.of(function.__globals__), values, function)

    def digests(self, namespace: Namespace, values: Mapping[str, Any], function: FunctionType | None = None) -> Digests:
        digests: Digests = {}
        for name, value in values.items():
            digests[name], size = digest_of(value)
            self.peer.sent.note(namespace, name, Sent(value, digests[name], size))
            if function is not None:
                warn_of_size(function, name, size)
        return digests

    def reference(self, what: object) -> Reduced:
        token = registry.token(what)
        if self.peer.knows(token):
            return resolve, (sender(), token)
        self.within[token] = None
        return None

    def reference_to_body(self, token: bytes, function: FunctionType) -> tuple[Reference] | None:
        return (Reference(token),) if self.peer.knows(token) else None


class Peers:
    """Of this process."""

    def __init__(self) -> None:
        self._sender = b""
        self._peers: OrderedDict[Key, Peer] = OrderedDict()
        self._taught: dict[bytes, weakref.WeakSet[Peer]] = {}  # by token
        registry.ended.append(self._forget)

    def at(self, key: Key) -> Peer:
        if self._sender != sender():  # this is a child of fork(2): its parent taught them
            self.clear()
            self._sender = sender()
        found = self._peers.get(key)
        if found is None:
            found = self._peers[key] = Peer(key)
            if len(self._peers) > MOST_PEERS:
                self._peers.popitem(last=False)
        return found

    def clear(self) -> None:
        self._peers, self._taught = OrderedDict(), {}

    def note_taught(self, peer: Peer, tokens: list[bytes]) -> None:
        for token in tokens:
            self._taught.setdefault(token, weakref.WeakSet()).add(peer)

    def _forget(self, token: bytes) -> None:
        """Of a definition that is no more."""
        for peer in self._taught.pop(token, ()):
            if peer.known.pop(token, None) is not None:
                peer.forgotten.append(token)


peers = Peers()


def is_served() -> bool:
    """Whether this thread may serve calls, some of which descend from others."""
    from octavo.objects.futures import threads_of_objects

    return threading.get_ident() in threads_of_objects or bool(getattr(sys.modules["__main__"], "is_octavo_server", False))


def has_worked(lesson: Any) -> bool:
    try:
        return lesson.exception(0) is None
    except Exception:  # it was cancelled
        return False


def pointer_to(key: Key) -> Any:
    from octavo.objects.pointers import Pointer

    return Pointer(*key, "", None)


def dump_for(key: Key, value: object, beside: Callable[[pickle.PickleBuffer], Any] | None) -> tuple[bytes, Callable[[], None] | None]:
    """The bytes, and what is to be done before they are sent, if anything."""
    peer = peers.at(key)
    peer.look()
    with io.BytesIO() as file:
        pickler = ReferringPickler(file, peer, beside)
        pickler.dump(value)
        rebound = [*pickler.rebound, *peer.sent.redefined(), *peer.sent.redefaulted()] if pickler.has_functions else []
        if not pickler.unknown and not rebound and len(peer.forgotten) < MANY_FORGOTTEN:
            return file.getvalue(), None
        return file.getvalue(), lambda: peer.teach(pickler.unknown, rebound)
