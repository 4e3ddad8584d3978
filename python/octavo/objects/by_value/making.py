# SPDX-License-Identifier: Apache-2.0
"""Classes, and enums, put together where they arrive."""

from __future__ import annotations

import abc
import contextlib
from _abc import _abc_init  # type: ignore[import-not-found]
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from octavo.objects.by_value.registry import registry

IS_OF_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE: neither built-in nor of a C module of old


def create(of: type | None, name: str, bases: tuple[type, ...], first: dict[str, Any]) -> type:
    metaclass = type(bases[0]) if of is None else of
    make = built_in(metaclass, "__new__")
    try:
        with without_hooks([each for base in bases for each in base.__mro__ if registry.has(each)]):
            made: type = make(metaclass, name, bases, dict(first))
    except Exception:  # of one in a module, which wants what the class statement had
        with without_hooks([each for base in bases for each in base.__mro__ if each.__flags__ & IS_OF_PYTHON]):
            made = make(metaclass, name, bases, dict(first))
    built_in(metaclass, "__init__")(made, name, bases, dict(first))  # by which ctypes knows the fields from Python 3.13 on
    if issubclass(metaclass, abc.ABCMeta):
        _abc_init(made)
    return made


def built_in(metaclass: type, name: str) -> Any:
    """That of Python, which metaclasses of scripts are derived from."""
    return next(found for each in metaclass.__mro__ if (found := vars(each).get(name)) is not None and not isinstance(found, FunctionType | staticmethod))


@contextlib.contextmanager
def without_hooks(kinds: list[type]) -> Iterator[None]:
    """Their ``__init_subclass__`` has done its work where the class was defined: what came of it is in the state of these classes."""
    with registry.hooks:
        kept = {kind: vars(kind)["__init_subclass__"] for kind in kinds if "__init_subclass__" in vars(kind) and kind.__module__ != "typing"}
        try:
            for kind in kept:
                type.__setattr__(kind, "__init_subclass__", classmethod(overlook))
            yield
        finally:
            for kind, hook in kept.items():
                type.__setattr__(kind, "__init_subclass__", hook)


def overlook(_: Any, /, **keywords: Any) -> None:
    """Stands for such a hook."""


def complete_class(kind: type, state: tuple[dict[str, Any], list[type]]) -> None:
    if not registry.begin_completion(kind):
        return
    put = built_in(type(kind), "__setattr__")
    for name, value in state[0].items():
        put(kind, name, value)
    for each in state[1]:
        kind.register(each)  # type: ignore[attr-defined]
    registry.complete(kind)
