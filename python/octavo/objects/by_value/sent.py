# SPDX-License-Identifier: Apache-2.0
"""The globals and defaults that a peer was sent, and which have changed here since."""

from __future__ import annotations

import contextlib
import functools
import weakref
from types import FunctionType
from typing import Any

from octavo.objects.by_value.names import globals_used
from octavo.objects.by_value.namespaces import Namespace, namespaces
from octavo.objects.by_value.pickler import digest_of
from octavo.objects.by_value.registry import registry

CALLED = (FunctionType, functools.partial, functools._lru_cache_wrapper)  # also what is decorated, or made of a lambda: it has no token, but is one object
PLAIN = (type(None), bool, int, float, complex, str, bytes)  # the same as long as it is the same object
LARGE = 1 << 20  # bytes: an array whose contents are not compared


class Rebinding:
    """Globals that have changed here since the peer was sent them."""

    def __init__(self, namespace: Namespace, values: dict[str, Any]) -> None:
        self.namespace, self.values = namespace, values


class Sent:
    """A global as the peer was sent it. A definition, a module or a large array is the same as long as it is the same object."""

    def __init__(self, value: object, digest: bytes | None, size: int) -> None:
        self._digest = digest
        self.is_definition = registry.has(value) or isinstance(value, CALLED)
        self._object: weakref.ref[Any] | None = None
        if self.is_definition or size >= LARGE:
            with contextlib.suppress(TypeError):
                self._object = weakref.ref(value)

    def is_still(self, value: object) -> bool:
        if self._object is not None:
            return self._object() is value
        return digest_of(value)[0] == self._digest


class Redefaulting:
    """A function whose defaults have changed here since the peer was sent them."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function


class SentDefaults:
    """Of a function of a module, as the peer was sent them."""

    def __init__(self, function: FunctionType) -> None:
        values = defaults_of(function)
        self._plain = {key: value for key, value in values.items() if type(value) in PLAIN}
        self._others = {key: Sent(value, *digest_of(value)) for key, value in values.items() if key not in self._plain}

    def are_still(self, function: FunctionType) -> bool:
        now = defaults_of(function)
        if now.keys() != self._plain.keys() | self._others.keys():
            return False
        return all(now[key] is value for key, value in self._plain.items()) and all(each.is_still(now[key]) for key, each in self._others.items())


def defaults_of(function: FunctionType) -> dict[Any, Any]:
    """By number and by name."""
    positional: dict[Any, Any] = dict(enumerate(function.__defaults__ or ()))
    return {**positional, **(function.__kwdefaults__ or {})}


class SentGlobals:
    """Of one peer, by namespace and name."""

    def __init__(self) -> None:
        self._sent: weakref.WeakKeyDictionary[Namespace, dict[str, Sent]] = weakref.WeakKeyDictionary()
        self._seen: weakref.WeakSet[FunctionType] = weakref.WeakSet()  # of the functions that are made anew
        self._defaults: weakref.WeakKeyDictionary[FunctionType, SentDefaults] = weakref.WeakKeyDictionary()

    def note(self, namespace: Namespace, name: str, sent: Sent) -> None:
        self._sent.setdefault(namespace, {})[name] = sent

    def note_defaults(self, function: FunctionType) -> None:
        """Not of a method: its class is left alone there."""
        if "." not in function.__qualname__:
            self._defaults[function] = SentDefaults(function)

    def redefaulted(self) -> list[Redefaulting]:
        """Of all functions, for those that a call sends may call others."""
        return [Redefaulting(function) for function, sent in list(self._defaults.items()) if not sent.are_still(function)]

    def changed_for(self, function: FunctionType) -> Rebinding | None:
        """One that is made anew brings what has changed, though its code is known."""
        if function in self._seen:
            return None
        self._seen.add(function)
        variables = function.__globals__
        namespace = namespaces.of(variables)
        used = {name: variables[name] for name in globals_used(function.__code__) if name in variables}
        return self._changes(namespace, used)

    def redefined(self) -> list[Rebinding]:
        """Names of definitions which are those of others now: the functions there are to use these."""
        found = []
        for namespace, sent in list(self._sent.items()):
            now = {name: namespace.variables[name] for name, each in list(sent.items()) if each.is_definition and name in namespace.variables}
            changed = {name: value for name, value in now.items() if not sent[name].is_still(value)}
            if changed:
                found.append(Rebinding(namespace, changed))
        return found

    def _changes(self, namespace: Namespace, values: dict[str, Any]) -> Rebinding | None:
        sent = self._sent.get(namespace, {})
        changed = {name: value for name, value in values.items() if name not in sent or not sent[name].is_still(value)}
        return Rebinding(namespace, changed) if changed else None
