# SPDX-License-Identifier: Apache-2.0
"""Classes and functions by name, ``module:qualname``: what is made, or called by a worker, where nothing is pickled."""

import importlib
import operator
import sys
from collections.abc import Callable
from types import BuiltinMethodType, MethodType
from typing import Any

from octavo.errors import UsageError
from octavo.objects.remote_array import ArrayOf

CURE = "Put it into a module that both can import, or make the Runtime without pickle=False"
ARRAY = "octavo.objects.remote_array:RemoteArray"


def name_of(what: Any) -> str:
    """Raises UsageError for what is not found by its name."""
    if isinstance(what, ArrayOf):
        return f"{ARRAY}[{name_of(what.kind)}]"
    module, name = getattr(what, "__module__", None) or "builtins", getattr(what, "__qualname__", None)
    if module in ("__main__", "__mp_main__"):  # the second is the same script, in a child that multiprocessing has spawned
        raise UsageError(f"{name} of __main__ cannot be sent by name, as this Runtime was made with pickle=False. {CURE}")
    if name is not None and module in sys.modules:
        try:
            found = operator.attrgetter(name)(sys.modules[module])
        except AttributeError:
            found = None
        if found is what or (isinstance(what, MethodType | BuiltinMethodType) and found == what):
            return f"{module}:{name}"
    raise UsageError(f"{what!r} has no name by which it can be imported, and this Runtime was made with pickle=False. {CURE}")


def named(name: str) -> Callable[..., Any]:
    """Imports it. Raises what the import does, and UsageError where it cannot be called."""
    if name.startswith(f"{ARRAY}[") and name.endswith("]"):
        return ArrayOf(named(name[len(ARRAY) + 1 : -1]))
    module, _, path = name.partition(":")
    found = operator.attrgetter(path)(importlib.import_module(module))
    if not callable(found):
        raise UsageError(f"{name} cannot be called. Name a class or a function")
    return found  # type: ignore[no-any-return]
