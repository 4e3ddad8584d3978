# SPDX-License-Identifier: Apache-2.0
"""The globals of functions that travel by value: one namespace there for each module here.

A function brings what it uses when it first arrives. What is there already stays, as what functions there have made of it (a cache, a model that was loaded) is
kept; but for a global that has changed since at its sender, which a digest tells.
"""

from __future__ import annotations

import builtins
import os
import sys
import threading
import uuid
import weakref
from collections.abc import Mapping
from typing import Any

MARK = "__octavo_namespace__"  # in the globals of functions that arrived, and of code that is run in no module
OF_MODULE = ("__name__", "__package__", "__path__", "__file__")


class Namespace:
    """One in which functions are run here. At home: that of the process which defined them, whose globals no arrival changes."""

    def __init__(self, token: bytes, variables: dict[str, Any], *, at_home: bool) -> None:
        self.token, self.variables, self.at_home = token, variables, at_home
        self._digests: dict[str, bytes | None] = {}

    def of_module(self) -> dict[str, Any]:
        return {name: self.variables[name] for name in OF_MODULE if name in self.variables}

    def bring(self, values: Mapping[str, Any], digests: Mapping[str, bytes | None]) -> None:
        for name, value in values.items():
            digest = digests.get(name)
            if name not in self.variables or (not self.at_home and digest is not None and self._digests.get(name) not in (None, digest)):
                self.variables[name] = value
            if digest is not None:
                self._digests[name] = digest


class Namespaces:
    """Those of this process."""

    def __init__(self) -> None:
        self._of_modules: weakref.WeakKeyDictionary[Any, Namespace] = weakref.WeakKeyDictionary()
        self._by_token: weakref.WeakValueDictionary[bytes, Namespace] = weakref.WeakValueDictionary()
        self._lock = threading.RLock()

    def of(self, variables: dict[str, Any]) -> Namespace:
        marked = variables.get(MARK)
        if isinstance(marked, Namespace) and marked.variables is variables:
            return marked
        module = sys.modules.get(variables.get("__name__", ""))
        in_module = module is not None and getattr(module, "__dict__", None) is variables
        with self._lock:
            found = self._of_modules.get(module) if in_module else None
            if found is not None:
                return found
            made = Namespace(uuid.uuid4().bytes, variables, at_home=True)
            self._by_token[made.token] = made
            if in_module:
                self._of_modules[module] = made
            else:
                variables[MARK] = made
            return made

    def arrive(self, token: bytes, of_module: dict[str, Any]) -> Namespace:
        with self._lock:
            found = self._by_token.get(token)
            if found is None:
                found = Namespace(token, {**of_module, "__builtins__": builtins}, at_home=False)
                found.variables[MARK] = found  # its functions keep it
                self._by_token[token] = found
            return found

    def renew_lock(self) -> None:
        """In a child of fork(2), as ``Registry.renew_locks``."""
        self._lock = threading.RLock()


namespaces = Namespaces()
os.register_at_fork(after_in_child=namespaces.renew_lock)


def namespace_there(token: bytes, of_module: dict[str, Any]) -> Namespace:
    return namespaces.arrive(token, of_module)
