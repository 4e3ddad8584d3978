# SPDX-License-Identifier: Apache-2.0
"""What is found by its name in any process, and so travels as that; and which names code uses."""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, ModuleType
from typing import Any

import cloudpickle

from octavo.errors import Error

USES = {"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
OF_A_CLASS_BODY = {"LOAD_NAME"}  # a global where the body has no such name


def by_value_modules() -> set[str]:
    """``__main__``, also in a child that multiprocessing has spawned, and what the user has registered with cloudpickle."""
    return {"__main__", "__mp_main__", *cloudpickle.list_registry_pickle_by_value()}


def is_of(module: str, modules: set[str]) -> bool:
    """Whether it, or a package that has it, is one of them."""
    while module:
        if module in modules:
            return True
        module = module.rpartition(".")[0]
    return False


def is_found_by_name(what: Any, modules: set[str]) -> bool:
    """``modules``: those whose definitions travel by value."""
    name, module = getattr(what, "__qualname__", None) or what.__name__, getattr(what, "__module__", None)
    if not isinstance(module, str) or is_of(module, modules):
        return False
    found: object = sys.modules.get(module)
    if found is None:
        return False
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is what


@functools.lru_cache(maxsize=4096)
def globals_used(code: CodeType) -> tuple[str, ...]:
    """By it and by the code within."""
    steps = list(dis.get_instructions(code))
    names = [step.argval for step in steps if step.opname in USES]
    own = {step.argval for step in steps if step.opname == "STORE_NAME"}
    names += [step.argval for step in steps if step.opname in OF_A_CLASS_BODY and step.argval not in own]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names += globals_used(inner)
    return tuple(dict.fromkeys(names))


@functools.lru_cache(maxsize=4096)
def attributes_used(code: CodeType) -> frozenset[str]:
    """Names that may be attributes, in it and in the code within."""
    return frozenset(code.co_names).union(*(attributes_used(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def submodules_used(code: CodeType, values: Iterable[object]) -> list[str]:
    """``import a.b`` binds ``a`` alone: the others are to be imported there, too."""
    return [name for value in values if isinstance(value, ModuleType) for name in loaded_under(value.__name__, attributes_used(code))]


def loaded_under(package: str, names: frozenset[str]) -> Iterator[str]:
    for name in names:
        module = f"{package}.{name}"
        if isinstance(sys.modules.get(module), ModuleType):
            yield module
            yield from loaded_under(module, names)


class UnknownDefinition(Error):
    """A reference to a definition that this process was not sent."""
